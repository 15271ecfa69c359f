/* SPDX-License-Identifier: MIT
 * view: a tensor as a robust start sees it: clipped and completed slab by slab, medians of what a
 * model leaves, and the sums over all slabs from which bases of its modes are made
 *
 * A median is that of a sample whose places follow from the shape: T is read there once, and no
 * model needs another reading. */
#include <stdlib.h>

#include "rpca/observed/entries.h"

enum { PANEL = 1 << 18, SAMPLE = 1 << 15, PLACES = 1 << 22 };

bool crs_observe(const crease_space *shape, const double *tensor, const double *mask,
                 crs_observed *o, crease_error *e)
{
    const ptrdiff_t size = crease_size(shape);
    bool finite = true;
    *o = (crs_observed){ .tensor = NULL };
    if (mask) o->mask = crs_alloc((size_t)size, 1);
    if (mask && !o->mask) return crs_fail(e, CREASE_NO_MEMORY, "out of memory: a mask");
    for (ptrdiff_t j = 0; mask && j < size; j++) {
        o->mask[j] = mask[j] > 0;
        finite = finite && (o->mask[j] || isfinite(tensor[j]));
    }
    if (!finite) o->tensor = crs_doubles(size, "the observed entries", e);
    if (!finite && !o->tensor) return false;
    for (ptrdiff_t j = 0; !finite && j < size; j++) o->tensor[j] = o->mask[j] ? tensor[j] : 0;
    crs_memory_open(&o->data, shape, finite ? tensor : o->tensor, o->mask);
    return true;
}

crs_partition crs_view_panels(const crs_cp_view *v, const crease_space *slab)
{
    crs_partition p = { .shape = *slab, .mode = v->source->cut.mode };
    const ptrdiff_t length = slab->dim[p.mode];
    p.rows = fewer(length, more(1, PANEL / crs_right(slab, p.mode)));
    p.count = p.per = (length + p.rows - 1) / p.rows; /* modes before it have one index */
    return p;
}

/* The first is among the largest. */
static crease_space largest_panel(const crs_cp_view *v)
{
    const crs_slab first = crs_slab_at(&v->source->cut, 0);
    const crs_partition panels = crs_view_panels(v, &first.shape);
    return crs_slab_at(&panels, 0).shape;
}

ptrdiff_t crs_view_scratch(const crs_cp_view *v)
{
    const crease_space s = largest_panel(v);
    return crease_size(&s) + (v->model ? crs_kruskal_scratch(&s, v->model->rank) : 0);
}

crs_slab crs_view_panel(const crs_cp_view *v, const crs_slab *s, const crs_partition *panels,
                        ptrdiff_t k, double *work)
{
    crs_slab p = crs_slab_at(panels, k);
    const ptrdiff_t size = crease_size(&p.shape);
    p.t = s->t + p.first;
    p.w = s->w ? s->w + p.first : NULL;
    p.first += s->first;
    for (int n = 0; n < p.shape.order; n++) p.from[n] += s->from[n];
    if (!p.w && v->limit == INFINITY && !v->residual) return p; /* V = T */
    fill(size, 0, work);
    if (v->model) {
        const crs_kruskal k_of = crs_slab_kruskal(&p, v->model);
        crs_reconstruct(&k_of, 1, work, work + size);
    }
    for (ptrdiff_t j = 0; j < size; j++) {
        const bool here = !p.w || p.w[j];
        const double rest = here ? clip(p.t[j] - work[j], -v->limit, v->limit) : 0;
        work[j] = v->residual ? rest : work[j] + rest;
    }
    p.t = work;
    return p;
}

/* M_j by its formula */
static double model_at(const crs_kruskal *k, ptrdiff_t j)
{
    ptrdiff_t index[CREASE_MAX_ORDER];
    double sum = 0;
    for (int n = k->shape.order - 1; n >= 0; n--)
        index[n] = j % k->shape.dim[n], j /= k->shape.dim[n];
    for (ptrdiff_t r = 0; r < k->rank; r++) {
        double product = 1;
        for (int n = 0; n < k->shape.order; n++) product *= k->factor[n][index[n] * k->rank + r];
        sum += product;
    }
    return sum;
}

/* A step through all entries whose first ones are spread evenly, whatever the dimensions: prime to
 * their number and near its golden section. */
static ptrdiff_t even_step(ptrdiff_t size)
{
    for (ptrdiff_t step = (ptrdiff_t)(0.6180339887498949 * (double)size);; step++) {
        ptrdiff_t a = size, b = step;
        while (b > 0) {
            const ptrdiff_t rest = a % b;
            a = b, b = rest;
        }
        if (a == 1) return step;
    }
}

/* The next places of the walk through all entries, from `from` on; where it stands then */
static ptrdiff_t walk(ptrdiff_t size, ptrdiff_t from, ptrdiff_t count, ptrdiff_t *at)
{
    const ptrdiff_t step = even_step(size);
    for (ptrdiff_t k = 0; k < count; k++) {
        at[k] = from;
        from = from < size - step ? from + step : from + step - size;
    }
    return from;
}

/* How many places are looked at for `wanted` observed ones: a few more than their share says. */
static ptrdiff_t places_for(const crs_cp_view *v, ptrdiff_t wanted, ptrdiff_t left)
{
    const double size = (double)crease_size(&v->shape);
    const double missing =
        v->source && v->source->facts.known ? (double)v->source->facts.missing : 0;
    const double each = size / larger(size - missing, 1);
    return fewer(left, fewer(PLACES, (ptrdiff_t)(1.02 * (double)wanted * each) + 1024));
}

/* A place of the walk, and how far on it is */
typedef struct {
    ptrdiff_t at, turn;
} stop;

static int compare_stops(const void *a, const void *b)
{
    const ptrdiff_t x = ((const stop *)a)->at, y = ((const stop *)b)->at;
    return (x > y) - (x < y);
}

/* T at the places that come next, and whether it was observed there; entries are read in their
 * order. */
typedef struct {
    ptrdiff_t count;
    ptrdiff_t *at, *sorted; /* in the order of the walk and of the entries */
    double *t;              /* in that of the entries */
    unsigned char *seen;
    stop *stop; /* likewise */
} places;

static void close_places(places *p)
{
    crs_free(p->at);
    crs_free(p->sorted);
    crs_free(p->t);
    crs_free(p->seen);
    crs_free(p->stop);
}

static bool open_places(places *p, ptrdiff_t count, crease_error *e)
{
    const size_t n = (size_t)count;
    *p = (places){ .count = count, .at = crs_alloc(n, sizeof *p->at) };
    p->sorted = p->at ? crs_alloc(n, sizeof *p->sorted) : NULL;
    p->t = p->sorted ? crs_alloc(n, sizeof *p->t) : NULL;
    p->seen = p->t ? crs_alloc(n, 1) : NULL;
    p->stop = p->seen ? crs_alloc(n, sizeof *p->stop) : NULL;
    return p->stop || crs_fail(e, CREASE_NO_MEMORY, "out of memory: places of a sample");
}

/* Those that were observed, until the sample is full */
static bool visit(crs_source *source, places *p, ptrdiff_t most, crs_cp_sample *s, crease_error *e)
{
    for (ptrdiff_t k = 0; k < p->count; k++) p->stop[k] = (stop){ p->at[k], k };
    qsort(p->stop, (size_t)p->count, sizeof *p->stop, compare_stops);
    for (ptrdiff_t k = 0; k < p->count; k++) p->sorted[k] = p->stop[k].at;
    if (source && !crs_source_entries(source, p->count, p->sorted, p->t, p->seen, e)) return false;
    for (ptrdiff_t k = 0; k < p->count; k++) p->sorted[p->stop[k].turn] = k;
    for (ptrdiff_t k = 0; k < p->count && s->count < most; k++) {
        const ptrdiff_t from = p->sorted[k];
        if (!source || p->seen[from]) s->at[s->count] = p->at[k], s->t[s->count++] = p->t[from];
    }
    return true;
}

bool crs_cp_sample_open(crs_cp_sample *s, const crs_cp_view *v, crease_error *e)
{
    const ptrdiff_t size = crease_size(&v->shape), most = fewer(size, SAMPLE);
    if (v->source && v->source->listed) {
        crs_view_count(v);
        return crs_listed_sample(v->source->listed, most, s, e);
    }
    *s = (crs_cp_sample){ .at = crs_alloc((size_t)most, sizeof *s->at) };
    if (!s->at) return crs_fail(e, CREASE_NO_MEMORY, "out of memory: a sample of the data");
    s->t = crs_doubles(most, "a sample of the data", e);
    bool done = s->t;
    crs_view_count(v);
    for (ptrdiff_t at = 0, left = size; done && left > 0 && s->count < most;) {
        const ptrdiff_t count = places_for(v, most - s->count, left);
        places p;
        done = open_places(&p, count, e);
        if (done) at = walk(size, at, count, p.at);
        done = done && visit(v->source, &p, most, s, e);
        close_places(&p);
        left = count == PLACES ? 0 : left - count; /* few are observed: so many must do */
    }
    return done;
}

void crs_cp_sample_close(crs_cp_sample *s)
{
    crs_free(s->at);
    crs_free(s->t);
    *s = (crs_cp_sample){ .count = 0 };
}

double *crs_view_residuals(const crs_cp_view *v, ptrdiff_t *used, crease_error *e)
{
    crs_cp_sample own = { .count = 0 };
    const crs_cp_sample *s = v->sample ? v->sample : &own;
    const bool ready = v->sample || crs_cp_sample_open(&own, v, e);
    double *out = ready ? crs_doubles(more(1, s->count), "a sample of the residual", e) : NULL;
    for (ptrdiff_t k = 0; out && k < s->count; k++)
        out[k] = s->t[k] - (v->model ? model_at(v->model, s->at[k]) : 0);
    *used = s->count;
    crs_cp_sample_close(&own);
    return out;
}

bool crs_view_median(const crs_cp_view *v, double *median, crease_error *e)
{
    ptrdiff_t used;
    double *work = crs_view_residuals(v, &used, e);
    for (ptrdiff_t k = 0; work && k < used; k++) work[k] = fabs(work[k]);
    *median = work && used ? crs_median(used, work) : 0;
    crs_free(work);
    return work != NULL;
}

bool crs_view_middle(const crs_cp_view *v, double *median, double *around, crease_error *e)
{
    ptrdiff_t used;
    double *work = crs_view_residuals(v, &used, e);
    *median = work && used ? crs_median(used, work) : 0;
    for (ptrdiff_t k = 0; work && k < used; k++) work[k] = fabs(work[k] - *median);
    *around = work && used ? crs_median(used, work) : 0;
    crs_free(work);
    return work != NULL;
}

bool crs_view_check(const crs_cp_view *v, crease_error *e)
{
    if (v->checked) return true;
    if (!v->source->facts.known) crs_view_count(v);
    if (!crs_source_survey(v->source, v->threads > 1 ? v->threads : 1, e)) return false;
    const crs_survey *f = &v->source->facts;
    return f->bad < 0 || crs_fail(e, CREASE_BAD_DATA,
                                  "entry %td of the tensor is %g; give finite numbers, or mask it",
                                  f->bad + 1, f->wrong);
}

/* A job on a view, and the memory of each of its workers */
typedef struct {
    const crs_cp_view *v;
    const crs_cp_measure *m; /* of sums by modes */
    const crs_mode_map *a;   /* of a projection */
} looking;

/* What the job on another rank is about: the same, and what it leads to. */
typedef struct {
    looking g;
    crs_cp_view v;
    crs_source source; /* of which the partition is asked */
    crs_kruskal model;
    crs_cp_measure m;
    crs_mode_map a[CREASE_MAX_ORDER];
} sent;

static void visit_view(crs_visitor *v, sent *s)
{
    crs_visit(v, s->v.shape);
    crs_visit(v, s->v.limit);
    crs_visit(v, s->v.residual);
    crs_visit_kruskal(v, &s->model);
    crs_visit(v, s->m.lead);
    crs_visit(v, s->m.columns);
    crs_visit_kruskal(v, &s->m.with);
    for (int n = 0; n < s->v.shape.order; n++) {
        crs_visit_array(v, s->m.q[n], s->v.shape.dim[n] * s->m.columns[n]);
        crs_visit(v, s->a[n].to);
        crs_visit(v, s->a[n].transposed);
        crs_visit_array(v, s->a[n].matrix, s->v.shape.dim[n] * s->a[n].to);
    }
}

/* Rank 0 has no more than g. */
static void visit_sent(crs_visitor *v, void *self)
{
    looking *g = self;
    if (!crs_visit_reads(v)) {
        sent s = { .v = *g->v };
        if (g->v->model) s.model = *g->v->model;
        if (g->m) s.m = *g->m;
        s.model.shape = s.m.with.shape = s.v.shape;
        for (int n = 0; n <= g->v->source->cut.mode; n++) s.m.q[n] = NULL; /* is not read */
        for (int n = 0; g->a && n < s.v.shape.order; n++) s.a[n] = g->a[n];
        visit_view(v, &s);
        return;
    }
    sent *s = self;
    visit_view(v, s);
    s->source.cut = crs_partition_of(&s->v.shape);
    s->v.source = &s->source;
    s->v.model = s->model.rank > 0 ? &s->model : NULL;
    s->g = (looking){ &s->v, &s->m, s->a };
}

typedef struct {
    double **own; /* of each worker */
    int workers;
} rooms;

static void close_rooms(void *room)
{
    rooms *r = room;
    for (int k = 0; r->own && k < r->workers; k++) crs_free(r->own[k]);
    crs_free(r->own);
    crs_free(r);
}

static rooms *open_rooms(int workers, ptrdiff_t each, crease_error *e)
{
    rooms *r = crs_alloc(1, sizeof *r);
    if (r) *r = (rooms){ crs_alloc((size_t)workers, sizeof *r->own), workers };
    bool done = r && r->own;
    for (int k = 0; done && k < workers; k++) {
        r->own[k] = crs_alloc((size_t)each, sizeof **r->own);
        done = r->own[k];
    }
    if (done) return r;
    crs_fail(e, CREASE_NO_MEMORY, "out of memory: a slab");
    if (r) close_rooms(r);
    return NULL;
}

/* Room for one slab: its sums, the values of a panel and what else they are made by */
typedef struct {
    ptrdiff_t factors, values, lead, product;
} measure_parts;

static measure_parts parts_of(const looking *g)
{
    const crease_space panel = largest_panel(g->v);
    const crs_cp_measure *m = g->m;
    const ptrdiff_t size = crease_size(&panel);
    measure_parts p = { .factors = crs_kruskal_scratch(&panel, more(1, m->with.rank)),
                        .values = crs_view_scratch(g->v) };
    if (m->lead) p.lead = size / panel.dim[m->lead] * m->columns[m->lead];
    for (int n = 0; n < panel.order; n++)
        p.product = more(p.product, (m->lead ? p.lead : size) / panel.dim[n] * m->columns[n]);
    return p;
}

static ptrdiff_t measure_room(const looking *g)
{
    const crease_space slab = crs_slab_at(&g->v->source->cut, 0).shape;
    const measure_parts p = parts_of(g);
    ptrdiff_t all = p.factors + p.values + p.lead + p.product;
    for (int n = 0; n < slab.order; n++) all += g->m->columns[n] * slab.dim[n];
    return all;
}

/* w (its own rows) of mode n, from a panel; work is what p says. */
static void measure_panel(const looking *g, int n, const crs_slab *s, double *w, double *work)
{
    const measure_parts p = parts_of(g);
    const crs_cp_measure *m = g->m;
    double *lead = work + p.factors + p.values;
    const crs_cp_square a = { n, m->columns[n], m->q[n], w, n == m->lead ? lead : lead + p.lead };
    const crs_kruskal with = crs_slab_kruskal(s, &m->with);
    crease_space short_one = s->shape;
    if (n <= g->v->source->cut.mode) {
        crs_mttkrp(&with, n, 1, s->t, w, work);
    } else if (!m->lead || n == m->lead) {
        add_square(&a, &s->shape, s->t);
    } else {
        short_one.dim[m->lead] = m->columns[m->lead];
        add_square(&a, &short_one, lead);
    }
}

/* w[n] is of the slab's own rows. */
static void measure_slab(const looking *g, const crs_slab *s, double *const *w, double *squares,
                         double *work)
{
    const crs_partition panels = crs_view_panels(g->v, &s->shape);
    const crs_cp_measure *m = g->m;
    double *values = work + parts_of(g).factors;
    *squares = 0;
    for (int n = 0; n < s->shape.order; n++) fill(s->shape.dim[n] * m->columns[n], 0, w[n]);
    for (ptrdiff_t k = 0; k < panels.count && !crease_watch_over(g->v->watch); k++) {
        const crs_slab p = crs_view_panel(g->v, s, &panels, k, values);
        *squares += crs_dot(crease_size(&p.shape), p.t, p.t);
        if (m->lead) measure_panel(g, m->lead, &p, w[m->lead], work); /* the others need it */
        for (int n = 0; n < s->shape.order; n++)
            if (m->columns[n] && (n != m->lead || n == 0))
                measure_panel(g, n, &p, w[n] + (p.from[n] - s->from[n]) * m->columns[n], work);
    }
}

static void plan_measure(const void *args, const crease_space *shape, crs_total *sums)
{
    const looking *g = args;
    for (int n = 0; n < shape->order; n++)
        crs_total_plan(sums, CRS_SUM, shape->dim[n] * g->m->columns[n]);
    crs_total_plan(sums, CRS_SUM, 1);
}

static void *open_measure(const void *args, const crs_partition *cut, int workers, int threads,
                          crease_error *e)
{
    (void)cut, (void)threads;
    return open_rooms(workers, measure_room(args), e);
}

static bool add_measure(const void *args, void *room, const crs_slab *s, int worker,
                        crs_total *sums, crease_error *e)
{
    const looking *g = args;
    double *w[CREASE_MAX_ORDER] = { NULL }, *at = ((rooms *)room)->own[worker], squares;
    (void)e;
    for (int n = 0; n < s->shape.order; n++) w[n] = at, at += s->shape.dim[n] * g->m->columns[n];
    measure_slab(g, s, w, &squares, at);
    for (int n = 0; n < s->shape.order; n++)
        crs_total_add(sums, n, s->from[n] * g->m->columns[n], s->shape.dim[n] * g->m->columns[n],
                      w[n]);
    crs_total_add(sums, s->shape.order, 0, 1, &squares);
    return true;
}

const crs_job crs_measure_job = { .name = "measure",
                                  .size = sizeof(sent),
                                  .visit = visit_sent,
                                  .plan = plan_measure,
                                  .open = open_measure,
                                  .close = close_rooms,
                                  .add = add_measure };

/* One slab needs no sums over slabs. */
static bool measure_one(const looking *g, double *const *w, double *squares, crease_error *e)
{
    crs_source *s = g->v->source;
    crs_slab slab;
    double *work = crs_doubles(measure_room(g), "a slab", e);
    const bool done = work && s->ops->take(s, 0, &slab, e);
    if (done) measure_slab(g, &slab, w, squares, work);
    if (done) s->ops->give(s, &slab);
    crs_free(work);
    return done;
}

bool crs_view_measure(const crs_cp_view *v, const crs_cp_measure *m, double *const *w,
                      double *squares, crease_error *e)
{
    const looking g = { .v = v, .m = m };
    const int d = v->shape.order;
    double sum = 0;
    crs_look l;
    crs_view_count(v);
    if (v->source->cut.count == 1 && !v->source->team) {
        const bool done = measure_one(&g, w, &sum, e);
        if (squares) *squares = sum;
        return done;
    }
    if (!crs_look_once(&l, v->source, &crs_measure_job, &g, v->threads > 1 ? v->threads : 1,
                       v->watch, e))
        return false;
    for (int n = 0; n < d; n++)
        crs_total_read(&l.sums, n, 0, v->shape.dim[n] * m->columns[n], w[n]);
    if (squares) *squares = crs_total_at(&l.sums, d, 0);
    crs_look_close(&l);
    return true;
}

/* The shape of V x_n A_n' */
static crease_space projected(const crease_space *shape, const crs_mode_map *a)
{
    crease_space to = *shape;
    for (int n = 0; n < to.order; n++)
        if (a[n].matrix) to.dim[n] = a[n].to;
    return to;
}

/* Of one panel: nothing between is larger than both ends */
static ptrdiff_t project_work(const looking *g)
{
    const crease_space panel = largest_panel(g->v), to = projected(&panel, g->a);
    return 2 * more(crease_size(&panel), crease_size(&to));
}

static void plan_projection(const void *args, const crease_space *shape, crs_total *sums)
{
    const crease_space to = projected(shape, ((const looking *)args)->a);
    crs_total_plan(sums, CRS_SUM, crease_size(&to));
}

static void *open_projection(const void *args, const crs_partition *cut, int workers, int threads,
                             crease_error *e)
{
    const looking *g = args;
    const crease_space slab = crs_slab_at(cut, 0).shape, to = projected(&slab, g->a);
    (void)threads;
    return open_rooms(workers, crease_size(&to) + project_work(g) + crs_view_scratch(g->v), e);
}

/* Rows of the first mode are the slab's own, or all are one sum. */
static bool add_projection(const void *args, void *room, const crs_slab *s, int worker,
                           crs_total *sums, crease_error *e)
{
    const looking *g = args;
    const crs_partition panels = crs_view_panels(g->v, &s->shape);
    const crease_space to = projected(&s->shape, g->a);
    const ptrdiff_t size = crease_size(&to), row = crs_right(&to, 0);
    double *out = ((rooms *)room)->own[worker], *work = out + size,
           *values = work + project_work(g);
    (void)e;
    fill(size, 0, out);
    for (ptrdiff_t k = 0; k < panels.count && !crease_watch_over(g->v->watch); k++) {
        const crs_slab p = crs_view_panel(g->v, s, &panels, k, values);
        crs_mode_map a[CREASE_MAX_ORDER] = { { NULL, 0, false } };
        for (int n = 0; n < to.order; n++)
            if (g->a[n].matrix)
                a[n] = (crs_mode_map){ g->a[n].matrix + p.from[n] * g->a[n].to, g->a[n].to, true };
        double *own = g->a[0].matrix ? out : out + (p.from[0] - s->from[0]) * row;
        crs_multi_ttm(&p.shape, a, 1, p.t, 1, own, work);
    }
    crs_total_add(sums, 0, g->a[0].matrix ? 0 : s->from[0] * row, size, out);
    return true;
}

const crs_job crs_project_job = { .name = "project",
                                  .size = sizeof(sent),
                                  .visit = visit_sent,
                                  .plan = plan_projection,
                                  .open = open_projection,
                                  .close = close_rooms,
                                  .add = add_projection };

bool crs_view_project(const crs_cp_view *v, const crs_mode_map *a, double *out, crease_error *e)
{
    const looking g = { .v = v, .a = a };
    const crease_space to = projected(&v->shape, a);
    crs_look l;
    crs_view_count(v);
    if (!crs_look_once(&l, v->source, &crs_project_job, &g, v->threads > 1 ? v->threads : 1,
                       v->watch, e))
        return false;
    crs_total_read(&l.sums, 0, 0, crease_size(&to), out);
    crs_look_close(&l);
    return true;
}
