/* SPDX-License-Identifier: MIT
 * parts: the parts of an answer of several slabs, made of the factors and the data by whoever looks
 * at a slab, on any rank; and what is known of all of them, in one look
 *
 * A slab is made panel by panel, a few rows each. Panels follow from the shape alone, so that every
 * entry has the same bits for any number of threads and ranks, in memory or streamed. */
#include <stdlib.h>

#include "core/parallel.h"
#include "rpca/handle.h"
#include "rpca/observed/entries.h"

bool crs_parts_of(const crease_rpca *r, crs_parts *p)
{
    const crs_cp_point *point = r->center || crs_levels_of(r) ? NULL
                                : r->tucker                   ? crs_tucker_run_slabs(r->tucker)
                                : r->cp                       ? crs_cp_fit_slabs(r->cp)
                                                              : NULL;
    if (point) *p = (crs_parts){ *point, r->units ? r->units->data : 0 };
    return point;
}

void crs_visit_parts(crs_visitor *v, crs_parts *p)
{
    crs_visit_point(v, &p->point);
    crs_visit(v, p->power);
}

typedef struct {
    double *kr, *m, *e, *noise, *t; /* t: of data in another unit */
    crs_panel panel;
    bool failed;
    crease_error why;
} place;

struct crs_parts_room {
    int threads;
    ptrdiff_t size, columns; /* doubles of a place; of the Khatri-Rao rows of a worker */
    double *memory;
    place *place; /* of all workers */
    int batch;
    ptrdiff_t most;
};

int crs_parts_batch(const crs_parts_room *r) { return r->batch; }
ptrdiff_t crs_parts_most(const crs_parts_room *r) { return r->most; }

void crs_parts_close(crs_parts_room *r)
{
    if (!r) return;
    crs_free(r->memory);
    crs_free(r->place);
    crs_free(r);
}

static crs_cp_point point_in(const crs_parts *p, const crs_slab *slab)
{
    crs_cp_point own = crs_cp_point_in(&p->point, slab);
    own.grid = crs_cp_rows(&own.k.shape, own.k.rank);
    return own;
}

/* A few panels for every thread, unless they are large. */
static void measure(crs_parts_room *r, const crs_parts *p, const crs_partition *cut)
{
    enum { LARGE = 1 << 16, EACH = 4 };
    const ptrdiff_t rank = p->point.k.rank;
    for (ptrdiff_t k = 0; k < cut->per; k += more(1, cut->per - 1)) { /* the first and the last */
        const crs_slab slab = crs_slab_at(cut, k);
        const crs_slabs g = point_in(p, &slab).grid;
        r->most = more(r->most, g.rows * g.right);
        r->columns = more(r->columns, g.right * rank);
        r->size = more(r->size, g.rows * (4 * g.right + rank));
    }
    r->batch = r->threads > 1 && r->most < LARGE ? EACH * r->threads : r->threads;
}

crs_parts_room *crs_parts_open(const crs_parts *p, const crs_partition *cut, int workers,
                               int threads, crease_error *e)
{
    crs_parts_room *r = crs_alloc(1, sizeof *r);
    ptrdiff_t each, all;
    if (!r) return crs_fail(e, CREASE_NO_MEMORY, "out of memory: parts of the result"), NULL;
    r->threads = threads;
    measure(r, p, cut);
    r->place = crs_alloc((size_t)workers * (size_t)r->batch, sizeof *r->place);
    if (r->place && crs_mul_size(r->size, r->batch, &each) &&
        crs_add_size(each, r->columns, &each) && crs_mul_size(each, workers, &all))
        r->memory = crs_doubles(all, "parts of the result", e);
    else
        crs_fail(e, CREASE_NO_MEMORY, "out of memory: parts of the result");
    if (r->memory) return r;
    crs_parts_close(r);
    return NULL;
}

typedef struct {
    const crs_parts *p;
    crs_cp_point point; /* in the slab */
    crs_cp_room columns;
    const crs_slab *slab;
    const crs_parts_use *use;
    place *place;
    ptrdiff_t first; /* row of the first panel of the batch */
} making;

/* 2^power times m, e and T; what is left of T is the noise, 0 where nothing was observed. */
static void finish(const making *k, place *at, ptrdiff_t first, ptrdiff_t n)
{
    const int power = k->p->power;
    const double *t = k->point.t + first;
    const unsigned char *w = k->point.w ? k->point.w + first : NULL;
    if (power != 0) {
        crs_times_power(n, power, at->m, at->m);
        crs_times_power(n, power, at->e, at->e);
        crs_times_power(n, power, t, at->t);
        t = at->t;
    }
    for (ptrdiff_t j = 0; j < n; j++) at->noise[j] = w && !w[j] ? 0 : t[j] - at->m[j] - at->e[j];
    at->panel = (crs_panel){ .first = k->slab->first + first,
                             .count = n,
                             .lowrank = at->m,
                             .sparse = at->e,
                             .noise = at->noise,
                             .data = t,
                             .seen = w,
                             .share = noise_share(&k->point) };
}

static void make_panel(void *self, ptrdiff_t task, int worker)
{
    const making *k = self;
    const crs_slabs *g = &k->point.grid;
    place *at = &k->place[task];
    const ptrdiff_t first = k->first + task * g->rows, rows = fewer(g->rows, g->left - first);
    (void)worker;
    crs_cp_panel(&k->point, &k->columns, first, rows, at->kr, at->m, at->e);
    finish(k, at, first * g->right, rows * g->right);
    at->failed = k->use->see && !k->use->see(k->use->self, &at->panel, (int)task, &at->why);
}

static void carve(const crs_parts_room *r, making *k, int worker)
{
    double *at = r->memory + worker * (r->columns + r->batch * r->size);
    k->columns.columns = at;
    at += r->columns;
    k->place = r->place + worker * r->batch;
    for (int j = 0; j < r->batch; j++, at += r->size) {
        place *p = &k->place[j];
        p->m = at, p->e = at + r->most, p->noise = at + 2 * r->most, p->t = at + 3 * r->most;
        p->kr = at + 4 * r->most;
    }
}

static bool take_batch(const making *k, ptrdiff_t count, crease_error *e)
{
    for (ptrdiff_t j = 0; j < count; j++) {
        if (k->place[j].failed) {
            if (e) *e = k->place[j].why;
            return false;
        }
        if (k->use->take && !k->use->take(k->use->self, &k->place[j].panel, (int)j, e))
            return false;
    }
    return true;
}

bool crs_parts_each(const crs_parts *p, crs_parts_room *r, const crs_slab *slab, int worker,
                    const crs_parts_use *use, crease_error *e)
{
    making k = { .p = p, .point = point_in(p, slab), .slab = slab, .use = use };
    const crs_slabs *g = &k.point.grid;
    carve(r, &k, worker);
    crs_cp_columns(&k.point, &k.columns);
    for (; k.first < g->left; k.first += r->batch * g->rows) {
        const ptrdiff_t panels = (g->left - k.first + g->rows - 1) / g->rows;
        const ptrdiff_t now = fewer(panels, r->batch);
        crs_parallel(r->threads, now, make_panel, &k);
        if (!take_batch(&k, now, e)) return false;
    }
    return true;
}

/* ---- what is known of them ---- */

/* Of all slabs: counts, squares of the noise and of T where the sparse part is 0, the least |T - M|
 * of an outlier. Of each: its outliers, the largest |T - M| among them, and where that is. */
enum { COUNTS, SQUARES, LEAST, OUTLIERS, LARGEST, WHERE };
enum { OBSERVED, CLEAR, KINDS };

typedef struct {
    crs_parts parts;
    double clear; /* the |T - M| beyond which an outlier is; NaN: none is */
} question;

typedef struct {
    int64_t count[KINDS], outliers;
    double squares[2], least, largest;
    int64_t where; /* twice the entry, and 1 where T - M > 0 */
} tally;

typedef struct {
    crs_parts_room *parts;
    tally *place, *slab; /* a batch for each worker; one for each */
} tallies;

typedef struct {
    const question *q;
    tally *place, *slab;
} counting;

static void plan_facts(const void *args, const crease_space *shape, crs_total *sums)
{
    const ptrdiff_t slabs = crs_partition_of(shape).count;
    (void)args;
    crs_total_plan(sums, CRS_COUNT, KINDS);
    crs_total_plan(sums, CRS_SUM, 2);
    crs_total_plan(sums, CRS_MOST, 1);
    for (int k = OUTLIERS; k <= WHERE; k++) crs_total_plan(sums, CRS_COUNT, slabs);
}

static void close_facts(void *room)
{
    tallies *r = room;
    crs_parts_close(r->parts);
    crs_free(r->place);
    crs_free(r->slab);
    crs_free(r);
}

static void *open_facts(const void *args, const crs_partition *cut, int workers, int threads,
                        crease_error *e)
{
    const question *q = args;
    const size_t n = (size_t)workers;
    tallies *r = crs_alloc(1, sizeof *r);
    if (!r) return crs_fail(e, CREASE_NO_MEMORY, "out of memory: counts"), NULL;
    r->parts = crs_parts_open(&q->parts, cut, workers, threads, e);
    if (r->parts) {
        r->place = crs_alloc(n * (size_t)crs_parts_batch(r->parts), sizeof *r->place);
        r->slab = r->place ? crs_alloc(n, sizeof *r->slab) : NULL;
        if (!r->slab) crs_fail(e, CREASE_NO_MEMORY, "out of memory: counts");
    }
    if (r->slab) return r;
    close_facts(r);
    return NULL;
}

static void join(const tally *from, tally *to)
{
    for (int k = 0; k < KINDS; k++) to->count[k] += from->count[k];
    for (int k = 0; k < 2; k++) to->squares[k] += from->squares[k];
    to->least = smaller(to->least, from->least);
    if (from->outliers > 0 && (to->outliers == 0 || from->largest > to->largest))
        to->largest = from->largest, to->where = from->where;
    to->outliers += from->outliers;
}

static void count_outlier(const question *q, ptrdiff_t entry, double rest, tally *t)
{
    const double size = fabs(rest);
    t->least = smaller(t->least, size);
    if (size > q->clear) t->count[CLEAR]++;
    if (t->outliers++ == 0 || size > t->largest)
        t->largest = size, t->where = 2 * (int64_t)entry + (rest > 0);
}

static bool see_facts(void *self, const crs_panel *p, int seat, crease_error *e)
{
    const counting *c = self;
    tally t = { .least = INFINITY };
    (void)e;
    for (ptrdiff_t j = 0; j < p->count; j++) {
        if (p->seen && !p->seen[j]) continue;
        t.count[OBSERVED]++;
        if (p->sparse[j] != 0) {
            count_outlier(c->q, p->first + j, p->sparse[j] + p->noise[j], &t);
            continue;
        }
        t.squares[0] += square(p->noise[j]);
        t.squares[1] += square(p->data[j]);
    }
    c->place[seat] = t;
    return true;
}

static bool take_facts(void *self, const crs_panel *p, int seat, crease_error *e)
{
    const counting *c = self;
    (void)p, (void)e;
    join(&c->place[seat], c->slab);
    return true;
}

static bool add_facts(const void *args, void *room, const crs_slab *slab, int worker,
                      crs_total *sums, crease_error *e)
{
    const question *q = args;
    const tallies *r = room;
    tally *t = &r->slab[worker];
    counting c = { q, r->place + worker * crs_parts_batch(r->parts), t };
    const crs_parts_use use = { see_facts, take_facts, &c };
    *t = (tally){ .least = INFINITY };
    if (!crs_parts_each(&q->parts, r->parts, slab, worker, &use, e)) return false;
    const int64_t least = INT64_MAX - crs_ordered(t->least), largest = crs_ordered(t->largest);
    crs_total_count(sums, COUNTS, 0, KINDS, t->count);
    crs_total_add(sums, SQUARES, 0, 2, t->squares);
    crs_total_count(sums, LEAST, 0, 1, &least);
    crs_total_count(sums, OUTLIERS, slab->index, 1, &t->outliers);
    crs_total_count(sums, LARGEST, slab->index, 1, &largest);
    crs_total_count(sums, WHERE, slab->index, 1, &t->where);
    return true;
}

static void visit_facts(crs_visitor *v, void *self)
{
    question *q = self;
    crs_visit_parts(v, &q->parts);
    crs_visit(v, q->clear);
}

const crs_job crs_facts_job = { .name = "facts",
                                .size = sizeof(question),
                                .visit = visit_facts,
                                .plan = plan_facts,
                                .open = open_facts,
                                .close = close_facts,
                                .add = add_facts };

/* The robust deviation of the noise, by a sample of the entries whose sparse part is 0. */
static bool find_deviation(const crs_parts *p, double limit, double *deviation, crease_error *e)
{
    const crs_cp_point *at = &p->point;
    const crs_cp_view v = { .shape = at->k.shape, .source = at->source, .model = &at->k };
    ptrdiff_t used, calm = 0;
    double *rest = crs_view_residuals(&v, &used, e);
    if (!rest) return false;
    for (ptrdiff_t k = 0; k < used; k++)
        if (fabs(rest[k]) <= at->dead) rest[calm++] = ldexp(fabs(rest[k]), p->power);
    *deviation = calm > 0 ? crs_deviation_of(crs_median(calm, rest), limit) : NAN;
    crs_free(rest);
    return true;
}

/* The first of the largest. */
static void find_largest(const crs_total *sums, crease_rpca_facts *f)
{
    const crs_total_array *a = sums->array;
    ptrdiff_t best = -1;
    f->outliers = 0;
    for (ptrdiff_t k = 0; k < a[OUTLIERS].size; k++) {
        f->outliers += (ptrdiff_t)a[OUTLIERS].whole[k];
        if (a[OUTLIERS].whole[k] == 0) continue;
        if (best < 0 || a[LARGEST].whole[k] > a[LARGEST].whole[best]) best = k;
    }
    f->largest = -1;
    if (best < 0) return;
    const int64_t where = a[WHERE].whole[best];
    const double size = crs_unordered(a[LARGEST].whole[best]);
    f->largest = (ptrdiff_t)(where / 2);
    f->largest_rest = where % 2 ? size : -size;
}

static bool keep_counts(crease_rpca *r, const crs_total_array *a, crease_error *e)
{
    const size_t n = (size_t)a->size;
    crs_free(r->in_slab);
    r->in_slab = crs_alloc(n, sizeof *r->in_slab);
    if (r->in_slab) memcpy(r->in_slab, a->whole, n * sizeof *r->in_slab);
    return r->in_slab || crs_fail(e, CREASE_NO_MEMORY, "out of memory: counts of outliers");
}

bool crs_parts_count(crease_rpca *r, const crs_parts *p, double limit, crs_calm *calm,
                     crease_error *e)
{
    crease_rpca_facts *f = &r->facts;
    question q = { .parts = *p };
    crs_look l;
    double deviation;
    if (!find_deviation(p, limit, &deviation, e)) return false;
    q.clear = CREASE_CLEAR * deviation;
    if (!crs_look_once(&l, p->point.source, &crs_facts_job, &q, r->s.threads, NULL, e))
        return false;
    const crs_total_array *a = l.sums.array;
    if (!keep_counts(r, &a[OUTLIERS], e)) return crs_look_close(&l), false;
    f->deviation = deviation;
    f->observed = (ptrdiff_t)a[COUNTS].whole[OBSERVED];
    f->clear = (ptrdiff_t)a[COUNTS].whole[CLEAR];
    f->least = crs_unordered(INT64_MAX - a[LEAST].whole[0]);
    find_largest(&l.sums, f);
    *calm = (crs_calm){ crs_total_at(&l.sums, SQUARES, 0), crs_total_at(&l.sums, SQUARES, 1),
                        isfinite(deviation) };
    crs_look_close(&l);
    return true;
}

/* ---- of observed entries that are all there is ---- */

bool crs_parts_listed(const crease_rpca *r, crs_parts *p)
{
    if (!r->cp || !crs_is_listed(r->cp->source)) return false;
    *p = (crs_parts){ r->cp->point, r->units ? r->units->data : 0 };
    return true;
}

typedef struct {
    const question *q;
    tally t;
} listed_tally;

static void see_listed(void *self, const crs_listed_entry *x)
{
    listed_tally *c = self;
    c->t.count[OBSERVED]++;
    if (x->e != 0) {
        count_outlier(c->q, x->place, x->e + x->s, &c->t);
        return;
    }
    c->t.squares[0] += square(x->s);
    c->t.squares[1] += square(x->t);
}

bool crs_parts_count_listed(crease_rpca *r, const crs_parts *p, double limit, crs_calm *calm,
                            crease_error *e)
{
    crease_rpca_facts *f = &r->facts;
    question q = { .parts = *p };
    listed_tally c = { &q, { .least = INFINITY } };
    double deviation;
    if (!find_deviation(p, limit, &deviation, e)) return false;
    q.clear = CREASE_CLEAR * deviation;
    crs_listed_each(&p->point, p->power, see_listed, &c);
    f->deviation = deviation;
    f->observed = (ptrdiff_t)c.t.count[OBSERVED];
    f->clear = (ptrdiff_t)c.t.count[CLEAR];
    f->outliers = (ptrdiff_t)c.t.outliers;
    f->least = c.t.least;
    f->largest = f->outliers > 0 ? (ptrdiff_t)(c.t.where / 2) : -1;
    if (f->outliers > 0) f->largest_rest = c.t.where % 2 ? c.t.largest : -c.t.largest;
    *calm = (crs_calm){ c.t.squares[0], c.t.squares[1], isfinite(deviation) };
    return true;
}

static void take_pair(void *self, const crs_listed_entry *x)
{
    double **to = self;
    if (x->e == 0) return;
    *(*to)++ = (double)x->place;
    *(*to)++ = x->e;
}

static int compare_pairs(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void crs_parts_pairs(const crs_parts *p, double *pair)
{
    double *end = pair;
    crs_listed_each(&p->point, p->power, take_pair, &end);
    qsort(pair, (size_t)(end - pair) / 2, 2 * sizeof *pair, compare_pairs);
}
