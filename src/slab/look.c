/* SPDX-License-Identifier: MIT
 * look: how a shape is cut into slabs, a tensor in memory as a source, and a job run over all slabs
 *
 * Threads take whole slabs where there are enough for all; otherwise all work on one slab after the
 * other. Every worker has totals of its own, which are joined at the end. */
#include "core/parallel.h"
#include "slab/slab.h"

enum { ENTRIES = 1 << 22, MOST = 1 << 25, EACH = 1 << 10 };
enum { ENOUGH = 2 }; /* slabs for every thread */

/* 2^22 entries, or 2^10 for every row of the factors of modes 1, 2, ..: what a slab adds stays
 * small beside it. */
crs_partition crs_partition_of(const crease_space *shape)
{
    crs_partition p = { .shape = *shape };
    ptrdiff_t sum = 0, right = crease_size(shape);
    for (int n = 1; n < shape->order; n++) sum += shape->dim[n];
    const ptrdiff_t most = more(ENTRIES, EACH * fewer(sum, MOST / EACH));
    for (right /= shape->dim[0]; right > most; right /= shape->dim[p.mode]) p.mode++;
    const ptrdiff_t length = shape->dim[p.mode], fit = fewer(length, most / right);
    p.per = (length + fit - 1) / fit;
    p.rows = (length + p.per - 1) / p.per;
    p.per = (length + p.rows - 1) / p.rows;
    p.count = crs_left(shape, p.mode) * p.per;
    return p;
}

crs_slab crs_slab_at(const crs_partition *p, ptrdiff_t k)
{
    crs_slab s = { .index = k, .shape = p->shape };
    ptrdiff_t before = k / p->per;
    const ptrdiff_t first = k % p->per * p->rows, length = p->shape.dim[p->mode];
    s.first = (before * length + first) * crs_right(&p->shape, p->mode);
    s.from[p->mode] = first;
    s.shape.dim[p->mode] = fewer(p->rows, length - first);
    for (int n = p->mode - 1; n >= 0; before /= p->shape.dim[n--]) {
        s.from[n] = before % p->shape.dim[n];
        s.shape.dim[n] = 1;
    }
    return s;
}

ptrdiff_t crs_slab_with(const crs_partition *p, ptrdiff_t entry)
{
    const ptrdiff_t row = entry / crs_right(&p->shape, p->mode), length = p->shape.dim[p->mode];
    return row / length * p->per + row % length / p->rows;
}

ptrdiff_t crs_slab_most(const crs_partition *p) { return p->rows * crs_right(&p->shape, p->mode); }

crs_slab crs_slab_merged(const crs_slab *s, const crease_space *shape)
{
    crs_slab own = *s;
    const int less = s->shape.order - shape->order;
    if (less == 0) return own;
    own.shape = *shape;
    own.shape.dim[0] = crease_size(&s->shape);
    own.from[0] = s->first / crs_right(shape, 0);
    for (int n = 1; n < shape->order; n++) {
        own.from[n] = s->from[n + less];
        own.shape.dim[n] = s->shape.dim[n + less];
        own.shape.dim[0] /= own.shape.dim[n];
    }
    return own;
}

crs_kruskal crs_slab_kruskal(const crs_slab *s, const crs_kruskal *k)
{
    crs_kruskal own = *k;
    own.shape = s->shape;
    for (int n = 0; n < s->shape.order; n++) own.factor[n] += s->from[n] * k->rank;
    return own;
}

void crs_visit_kruskal(crs_visitor *v, crs_kruskal *k)
{
    crs_visit(v, k->shape);
    crs_visit(v, k->rank);
    for (int n = 0; n < k->shape.order; n++)
        crs_visit_array(v, k->factor[n], k->shape.dim[n] * k->rank);
}

static bool take(crs_source *s, ptrdiff_t k, crs_slab *out, crease_error *e)
{
    (void)e;
    *out = crs_slab_at(&s->cut, k);
    out->t = s->whole + out->first;
    if (s->seen) out->w = s->seen + out->first;
    return true;
}

static void give(crs_source *s, const crs_slab *slab) { (void)s, (void)slab; }
static void close(crs_source *s) { (void)s; }

void crs_memory_open(crs_memory *m, const crease_space *shape, const double *t,
                     const unsigned char *w)
{
    static const crs_source_ops ops = { "memory", take, give, close };
    *m = (crs_memory){ .source = {
                           .ops = &ops, .cut = crs_partition_of(shape), .whole = t, .seen = w } };
    m->source.count = m->source.cut.count;
    m->source.whole = t;
    m->source.seen = w;
}

void crs_mark_missing(ptrdiff_t n, double *t, unsigned char *w)
{
    for (ptrdiff_t j = 0; j < n; j++) {
        w[j] = t[j] == t[j];
        if (!w[j]) t[j] = 0;
    }
}

typedef struct {
    crs_memory memory;
    crs_source_ops ops;
    double *t;
    unsigned char *w;
} held;

static void close_held(crs_source *s)
{
    held *h = (held *)s;
    crs_free(h->t);
    crs_free(h->w);
    crs_free(h);
}

crs_source *crs_held_open(const crease_space *shape, double *t, bool missing, crease_error *e)
{
    const ptrdiff_t n = crease_size(shape);
    held *h = crs_alloc(1, sizeof *h);
    unsigned char *w = h && missing ? crs_alloc((size_t)n, 1) : NULL;
    if (!h || (missing && !w)) {
        crs_free(h);
        crs_free(t);
        return crs_fail(e, CREASE_NO_MEMORY, "out of memory: a mask of %td entries", n), NULL;
    }
    if (w) crs_mark_missing(n, t, w);
    crs_memory_open(&h->memory, shape, t, w);
    h->t = t;
    h->w = w;
    h->ops = *h->memory.source.ops;
    h->ops.close = close_held;
    h->memory.source.ops = &h->ops;
    return &h->memory.source;
}

/* The slab of least index that failed, and why. */
typedef struct crs_look_failure {
    ptrdiff_t slab;
    crease_error error;
} failure;

void crs_look_close(crs_look *l)
{
    if (l->place > 0 && l->source->team) crs_team_begin(l, CRS_TEAM_CLOSE, NULL, NULL);
    for (int k = 1; l->own && k < l->workers; k++) crs_total_close(&l->own[k - 1]);
    crs_free(l->own);
    crs_free(l->failed);
    crs_total_close(&l->sums);
    if (l->room) l->job->close(l->room);
    *l = (crs_look){ .job = NULL };
}

bool crs_look_open(crs_look *l, crs_source *s, const crs_job *job, const void *args, int threads,
                   crease_error *e)
{
    if (threads < 1) threads = crs_threads();
    const bool apart = (s->team || !s->one) && s->count >= ENOUGH * (ptrdiff_t)threads;
    *l = (crs_look){ .job = job, .source = s, .workers = apart ? threads : 1 };
    l->threads = apart ? 1 : threads;
    if (s->team && !crs_team_begin(l, CRS_TEAM_OPEN, args, e)) return false;
    job->plan(args, &s->cut.shape, &l->sums);
    const crs_total planned = l->sums;
    bool done = crs_total_open(&l->sums, e);
    l->failed = done ? crs_alloc((size_t)l->workers, sizeof *l->failed) : NULL;
    if (done && !l->failed) done = crs_fail(e, CREASE_NO_MEMORY, "out of memory: a look");
    if (done && l->workers > 1) {
        l->own = crs_alloc((size_t)l->workers - 1, sizeof *l->own);
        if (!l->own) done = crs_fail(e, CREASE_NO_MEMORY, "out of memory: totals");
    }
    for (int k = 1; done && k < l->workers; k++) {
        l->own[k - 1] = planned;
        done = crs_total_open(&l->own[k - 1], e);
    }
    if (done && job->open) {
        l->room = job->open(args, &s->cut, l->workers, l->threads, e);
        done = l->room;
    }
    if (s->team) done = crs_team_finish(l, CRS_TEAM_OPEN, done ? -1 : s->team->rank, e);
    if (!done) crs_look_close(l);
    return done;
}

typedef struct {
    crs_look *l;
    const void *args;
    crease_watch *watch;
} looking;

static void look_at(void *self, ptrdiff_t task, int worker)
{
    const looking *r = self;
    crs_source *s = r->l->source;
    const ptrdiff_t k = s->first + task;
    failure *f = &r->l->failed[worker];
    crs_slab slab;
    if (f->slab >= 0 || crease_watch_over(r->watch)) return;
    if (r->l->job->wants && !r->l->job->wants(r->args, &s->cut, k)) return;
    crs_total *sums = worker == 0 ? &r->l->sums : &r->l->own[worker - 1];
    bool done = s->ops->take(s, k, &slab, &f->error);
    if (done) {
        done = r->l->job->add(r->args, r->l->room, &slab, worker, sums, &f->error);
        s->ops->give(s, &slab);
    }
    if (!done) f->slab = k;
}

static ptrdiff_t first_failure(const looking *r, crease_error *e)
{
    const failure *first = NULL;
    for (int k = 0; k < r->l->workers; k++)
        if (r->l->failed[k].slab >= 0 && (!first || r->l->failed[k].slab < first->slab))
            first = &r->l->failed[k];
    if (first && e) *e = first->error;
    return first ? first->slab : -1;
}

bool crs_look_run(crs_look *l, const void *args, crease_watch *watch, crease_error *e)
{
    looking r = { .l = l, .args = args, .watch = watch };
    const ptrdiff_t slabs = l->source->count;
    const crs_team *team = l->source->team;
    if (team && !crs_team_begin(l, CRS_TEAM_RUN, args, e)) return false;
    for (int k = 0; k < l->workers; k++) l->failed[k].slab = -1;
    crs_total_clear(&l->sums);
    for (int k = 1; k < l->workers; k++) crs_total_clear(&l->own[k - 1]);
    crs_parallel(l->workers, slabs, look_at, &r); /* one worker's slabs may have threads inside */
    for (int k = 1; k < l->workers; k++) crs_total_join(&l->sums, &l->own[k - 1]);
    const ptrdiff_t failed = first_failure(&r, e);
    return team ? crs_team_finish(l, CRS_TEAM_RUN, failed, e) : failed < 0;
}

bool crs_look_once(crs_look *l, crs_source *s, const crs_job *job, const void *args, int threads,
                   crease_watch *watch, crease_error *e)
{
    if (!crs_look_open(l, s, job, args, threads, e)) return false;
    if (crs_look_run(l, args, watch, e)) return true;
    crs_look_close(l);
    return false;
}
