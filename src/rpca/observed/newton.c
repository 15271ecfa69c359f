/* SPDX-License-Identifier: MIT
 * newton: passes over the observed entries, and by them Newton's method on all factors but that of
 * the longest mode, whose rows are eliminated
 *
 * The rows of the lead mode are cut into bands of fixed places. What a band adds to the other modes
 * is its own, and added up in the order of bands: the same for any number of threads.
 *
 * F is in units of 2c. A product with the Hessian of F is one pass; what an index of a mode weighs
 * are the sums of max(phi'', 0)/(2c) over its entries, and an index of the lead its entries. */
#include "core/carve.h"
#include "core/parallel.h"
#include "dense/dense.h"
#include "rpca/observed/observed.h"
#include "rpca/reduced/reduced.h"

enum { MOST_CG = 60, MOST_HALVINGS = 14 };
enum { MOST_BANDS = 32, EACH = 8 }; /* entries of a band for every index of the other modes */
enum { PARTS = 16 };                /* of these indices */

/* What a worker needs for as many rows as a vector has lanes. */
typedef struct {
    double *s, *w, *p, *u, *design, *moves, *c, *l, *g, *d, *spare;
} worker_room;

/* Factors as the kernels have them: rows of `stride`. */
typedef struct {
    double *x;      /* of the lead mode */
    double *y;      /* the others, one after the other */
    double *g;      /* of a solution: dF/dY in units of 2c */
    double *weight; /* of a solution: sums of phi''+ for each index of the others */
    double *rest;   /* of a solution: t - m of every entry */
    double *factor; /* and C of every row */
    double value, squares;
} point;

struct crs_observed_pass {
    crs_envelope_settings c;
    const crs_coordinates *t;
    const crs_envelope_kernel *kernel;
    int others, mode[CREASE_MAX_ORDER]; /* modes but the lead */
    ptrdiff_t length[CREASE_MAX_ORDER]; /* and theirs */
    ptrdiff_t rows, rest;               /* indices of the lead, and of all others */
    ptrdiff_t before[CREASE_MAX_ORDER]; /* of others, indices of those before it */
    ptrdiff_t most, longest;            /* stride of the largest rank; entries of such rows */
    ptrdiff_t bands, *band;             /* where they begin, and the end */
    double *out, *weight, *sums;        /* of all bands */
    ptrdiff_t *histogram;
    worker_room *room;
    double *lead, *lead_weight;
    bool steps;
    point at, trial;
    double *d, *r, *z, *p, *hp;           /* of Newton's method: rest x stride */
    double *basis, *value, *small, *mean; /* of the preconditioner */
    void *memory;

    ptrdiff_t rank, stride; /* of the run */
    crs_envelope_rule next, judge;
    bool same;
    double unit, ridge;
    crs_listed_task task;
    point *on;
    const double *change;
    crs_observed_run *run;
};

static ptrdiff_t padded(const crs_envelope_kernel *k, ptrdiff_t rank)
{
    return (rank + k->lanes - 1) / k->lanes * k->lanes;
}

static void carve_point(const crs_observed_pass *s, crs_carver *m, point *p)
{
    const ptrdiff_t rank = s->c.rank;
    p->x = carve_doubles(m, s->rows, s->most);
    p->y = carve_doubles(m, s->rest, s->most);
    if (!s->steps) return;
    p->g = carve_doubles(m, s->rest, s->most);
    p->weight = carve_doubles(m, s->rest, 1);
    p->rest = carve_doubles(m, s->t->count, 1);
    p->factor = carve_doubles(m, s->rows, rank * (rank + 1) / 2);
}

static void carve_newton(crs_observed_pass *s, crs_carver *m)
{
    const ptrdiff_t rank = s->c.rank, d = s->others + 1;
    double **const vectors[] = { &s->d, &s->r, &s->z, &s->p, &s->hp };
    carve_point(s, m, &s->trial);
    for (int k = 0; k < 5; k++) *vectors[k] = carve_doubles(m, s->rest, s->most);
    s->basis = carve_doubles(m, d * rank, rank);
    s->value = carve_doubles(m, d, rank);
    s->mean = carve_doubles(m, d * rank, rank);
    s->small = carve_doubles(m, rank * rank + crs_eigh_scratch(rank), 1);
}

static void carve_room(const crs_observed_pass *s, crs_carver *m, worker_room *r)
{
    const ptrdiff_t products = s->others > 1 ? s->longest : 0, rank = s->c.rank;
    const ptrdiff_t lanes = s->kernel->lanes, area = rank * (rank + 1) / 2;
    double **const entries[] = { &r->s, &r->w, &r->p, &r->u };
    for (int k = 0; k < 4; k++) *entries[k] = carve_doubles(m, s->longest, 1);
    r->design = carve_doubles(m, products, s->most);
    r->moves = carve_doubles(m, products, s->most);
    r->c = carve_doubles(m, area, lanes);
    r->l = carve_doubles(m, area, lanes);
    r->g = carve_doubles(m, rank, lanes);
    r->d = carve_doubles(m, 2 * rank, lanes);
    r->spare = carve_doubles(m, 2, s->most);
}

static void carve(void *self, crs_carver *m)
{
    crs_observed_pass *s = self;
    s->band = carve_bytes(m, s->bands + 1, sizeof *s->band);
    s->out = carve_doubles(m, s->bands * s->rest, s->most);
    s->weight = carve_doubles(m, s->bands, s->rest);
    s->sums = carve_doubles(m, s->bands, CRS_ENV_SUMS);
    s->histogram = carve_bytes(m, s->bands * CRS_ENVELOPE_BINS, sizeof *s->histogram);
    s->lead = carve_doubles(m, s->rows, s->most);
    s->lead_weight = carve_doubles(m, s->rows, 1);
    s->room = carve_bytes(m, s->c.threads, sizeof *s->room);
    for (int k = 0; k < s->c.threads; k++) {
        worker_room r;
        carve_room(s, m, &r);
        if (m->base) s->room[k] = r;
    }
    carve_point(s, m, &s->at);
    if (s->steps) carve_newton(s, m);
}

/* As many entries in each as can be, of whole rows */
static void cut_bands(crs_observed_pass *s)
{
    ptrdiff_t row = 0;
    for (ptrdiff_t b = 0; b < s->bands; b++) {
        const double from = (double)b / (double)s->bands * (double)s->t->count;
        while (row < s->rows && (double)s->t->start[row] < from) row++;
        s->band[b] = row;
    }
    s->band[s->bands] = s->rows;
}

crs_observed_pass *crs_observed_open(const crs_envelope_settings *c, const crs_coordinates *t,
                                     bool steps)
{
    crs_observed_pass *s = crs_alloc(1, sizeof *s);
    if (!s) return NULL;
    *s = (crs_observed_pass){ .c = *c, .t = t, .steps = steps, .rows = t->shape.dim[t->lead] };
    s->kernel = c->kernel ? c->kernel : crs_envelope_kernel_at(0);
    s->most = padded(s->kernel, c->rank);
    for (int n = 0; n < t->shape.order; n++) {
        if (n == t->lead) continue;
        s->before[s->others] = s->rest;
        s->length[s->others] = t->shape.dim[n];
        s->mode[s->others++] = n;
        s->rest += t->shape.dim[n];
    }
    for (ptrdiff_t i = 0; i < s->rows; i++)
        s->longest = more(s->longest, t->start[fewer(s->rows, i + s->kernel->lanes)] - t->start[i]);
    s->bands = more(1, fewer(MOST_BANDS, t->count / (EACH * s->rest)));
    s->memory = carve_block(carve, s);
    if (!s->memory) return crs_free(s), NULL;
    cut_bands(s);
    return s;
}

void crs_observed_free(crs_observed_pass *s)
{
    if (s) crs_free(s->memory);
    crs_free(s);
}

static void take(crs_observed_pass *s, ptrdiff_t rank, const double *const *factor, point *to)
{
    s->rank = rank;
    s->stride = padded(s->kernel, rank);
    for (int m = -1; m < s->others; m++) {
        const int n = m < 0 ? s->t->lead : s->mode[m];
        double *x = m < 0 ? to->x : to->y + s->before[m] * s->stride;
        for (ptrdiff_t i = 0; i < s->t->shape.dim[n]; i++)
            for (ptrdiff_t r = 0; r < s->stride; r++)
                x[i * s->stride + r] = r < rank ? factor[n][i * rank + r] : 0;
    }
}

/* from: rows of `stride` */
static void unpad(const crs_observed_pass *s, ptrdiff_t rows, const double *from, double *to)
{
    for (ptrdiff_t i = 0; i < rows; i++)
        for (ptrdiff_t r = 0; r < s->rank; r++) to[i * s->rank + r] = from[i * s->stride + r];
}

static void give(const crs_observed_pass *s, const point *from, double *const *factor)
{
    unpad(s, s->rows, from->x, factor[s->t->lead]);
    for (int m = 0; m < s->others; m++)
        unpad(s, s->t->shape.dim[s->mode[m]], from->y + s->before[m] * s->stride,
              factor[s->mode[m]]);
}

/* What is the same for every row of a band, in the room of a worker */
static crs_listed_rows rows_of(const crs_observed_pass *s, const worker_room *r)
{
    return (crs_listed_rows){ .task = s->task,
                              .rule = &s->next,
                              .judge = s->same ? NULL : &s->judge,
                              .ridge = s->ridge,
                              .rank = s->rank,
                              .stride = s->stride,
                              .others = s->others,
                              .start = s->t->start,
                              .index = s->t->index,
                              .value = s->t->value,
                              .rest = s->on->rest,
                              .x = s->on->x,
                              .factor = s->on->factor,
                              .lead = s->lead,
                              .lead_weight = s->lead_weight,
                              .unit = 1 / s->unit,
                              .s = r->s,
                              .w = r->w,
                              .p = r->p,
                              .u = r->u,
                              .design = r->design,
                              .moves = r->moves,
                              .c = r->c,
                              .l = r->l,
                              .g = r->g,
                              .d = r->d,
                              .spare = r->spare };
}

static void look_band(void *self, ptrdiff_t band, int worker)
{
    const crs_observed_pass *s = self;
    const ptrdiff_t size = s->rest * s->stride;
    double *out = s->out + band * size, *weight = s->weight + band * s->rest;
    crs_listed_rows a = rows_of(s, &s->room[worker]);
    a.sums = s->sums + band * CRS_ENV_SUMS;
    a.histogram = s->histogram + band * CRS_ENVELOPE_BINS;
    for (int m = 0; m < s->others; m++) {
        const ptrdiff_t at = s->before[m] * s->stride;
        a.y[m] = s->on->y + at;
        a.out[m] = out + at;
        a.weight[m] = weight + s->before[m];
        if (s->change) a.change[m] = s->change + at;
    }
    fill(size, 0, out);
    fill(s->rest, 0, weight);
    fill(CRS_ENV_SUMS, 0, a.sums);
    memset(a.histogram, 0, CRS_ENVELOPE_BINS * sizeof *a.histogram);
    s->kernel->listed(&a, s->band[band], s->band[band + 1]);
}

/* A part of the indices of the others, over all bands in their order */
static void add_bands(void *self, ptrdiff_t part, int worker)
{
    const crs_observed_pass *s = self;
    const ptrdiff_t first = s->rest * part / PARTS, end = s->rest * (part + 1) / PARTS;
    (void)worker;
    for (ptrdiff_t b = 1; b < s->bands; b++) {
        const ptrdiff_t at = b * s->rest + first;
        axpy((end - first) * s->stride, 1, s->out + at * s->stride, s->out + first * s->stride);
        axpy(end - first, 1, s->weight + at, s->weight + first);
    }
}

static void look(crs_observed_pass *s, crs_listed_task task, point *on, const double *change)
{
    s->task = task;
    s->on = on;
    s->change = change;
    crs_parallel(s->c.threads, s->bands, look_band, s);
    crs_parallel(s->c.threads, PARTS, add_bands, s);
    for (ptrdiff_t b = 1; b < s->bands; b++) {
        axpy(CRS_ENV_SUMS, 1, s->sums + b * CRS_ENV_SUMS, s->sums);
        for (int k = 0; k < CRS_ENVELOPE_BINS; k++)
            s->histogram[k] += s->histogram[b * CRS_ENVELOPE_BINS + k];
    }
}

void crs_observed_evaluate(crs_observed_pass *s, ptrdiff_t rank, const double *const *factor,
                           const crs_penalty_value *judge, const crs_penalty_value *next,
                           double unit, crs_envelope_sums *out)
{
    const int lead = s->t->lead;
    take(s, rank, factor, &s->at);
    s->same = judge == next;
    s->next = crs_envelope_rule_of(next, s->c.alpha_noise);
    s->judge = crs_envelope_rule_of(judge, s->c.alpha_noise);
    s->unit = unit;
    look(s, CRS_LISTED_LOOK, &s->at, NULL);
    out->value = s->sums[CRS_ENV_VALUE];
    out->value_next = s->sums[CRS_ENV_VALUE_NEXT];
    out->squares = s->sums[CRS_ENV_SQUARES];
    out->nonzeros = (ptrdiff_t)s->sums[CRS_ENV_NONZERO];
    out->unit = unit;
    out->weights = 0;
    for (ptrdiff_t i = 0; i < s->rows; i++) out->weights += s->lead_weight[i];
    for (int k = 0; k < CRS_ENVELOPE_BINS; k++) out->histogram[k] = s->histogram[k];
    if (out->gradient[lead]) unpad(s, s->rows, s->lead, out->gradient[lead]);
    if (out->marginal[lead]) copy(s->rows, s->lead_weight, out->marginal[lead]);
    for (int m = 0; m < s->others; m++) {
        const int n = s->mode[m];
        const ptrdiff_t rows = s->t->shape.dim[n], at = s->before[m];
        if (out->gradient[n]) unpad(s, rows, s->out + at * s->stride, out->gradient[n]);
        if (out->marginal[n]) copy(rows, s->weight + at, out->marginal[n]);
    }
}

static ptrdiff_t size_of(const crs_observed_pass *s) { return s->rest * s->stride; }

static bool over(const void *self)
{
    const crs_observed_pass *s = self;
    return s->run->passes >= s->run->most || crease_watch_over(s->run->watch);
}

/* X, F and the gradient at Y */
static void solve_rows(crs_observed_pass *s, point *p)
{
    const ptrdiff_t n = size_of(s);
    look(s, CRS_LISTED_SOLVE, p, NULL);
    s->run->passes++;
    p->value = s->sums[0] + s->ridge / 2 * crs_dot(n, p->y, p->y);
    p->squares = s->sums[1];
    copy(s->rest, s->weight, p->weight);
    for (ptrdiff_t j = 0; j < n; j++) p->g[j] = s->ridge * p->y[j] - s->out[j];
}

/* hp = H p */
static void multiply(void *self, const double *p, double *hp)
{
    crs_observed_pass *s = self;
    look(s, CRS_LISTED_PRODUCT, &s->at, p);
    s->run->passes++;
    s->run->cg++;
    for (ptrdiff_t j = 0; j < size_of(s); j++) hp[j] = s->out[j] + s->ridge * p[j];
}

static crs_reduced_modes modes_of(const crs_observed_pass *s)
{
    const ptrdiff_t area = s->rank * s->rank;
    return (crs_reduced_modes){ .count = s->others,
                                .rank = s->rank,
                                .stride = s->stride,
                                .rows = s->length,
                                .before = s->before,
                                .y = s->at.y,
                                .weight = s->at.weight,
                                .lead = s->mean + s->others * area,
                                .ridge = s->ridge,
                                .mean = s->mean,
                                .basis = s->basis,
                                .value = s->value,
                                .small = s->small };
}

static bool prepare(void *self)
{
    crs_observed_pass *s = self;
    for (ptrdiff_t i = 0; i < s->rows; i++)
        s->lead_weight[i] = (double)(s->t->start[i + 1] - s->t->start[i]);
    crs_reduced_mean(s->rank, s->stride, s->rows, s->at.x, s->lead_weight,
                     s->mean + s->others * s->rank * s->rank);
    const crs_reduced_modes modes = modes_of(s);
    return crs_reduced_modes_prepare(&modes);
}

static double precondition(const void *self, const double *r, double *z)
{
    const crs_reduced_modes modes = modes_of(self);
    return crs_reduced_modes_precondition(&modes, r, z);
}

static crs_reduced_at known(const point *p)
{
    return (crs_reduced_at){ p->value, p->squares, p->g };
}

static crs_reduced_at solve(void *self, double t)
{
    crs_observed_pass *s = self;
    copy(s->rows * s->stride, s->at.x, s->trial.x);
    for (ptrdiff_t j = 0; j < size_of(s); j++) s->trial.y[j] = s->at.y[j] + t * s->d[j];
    solve_rows(s, &s->trial);
    return known(&s->trial);
}

static void accept(void *self)
{
    crs_observed_pass *s = self;
    const point old = s->at;
    s->at = s->trial;
    s->trial = old;
}

bool crs_observed_descend(crs_observed_pass *s, crs_observed_run *run)
{
    s->run = run;
    s->next = crs_envelope_rule_of(&run->penalty, s->c.alpha_noise);
    s->same = true;
    s->ridge = run->nu / (2 * s->next.c);
    run->passes = run->cg = 0;
    take(s, run->rank, (const double *const *)run->x, &s->at);
    solve_rows(s, &s->at);
    const crs_reduced newton = { .self = s,
                                 .size = size_of(s),
                                 .most_cg = MOST_CG,
                                 .most_halvings = MOST_HALVINGS,
                                 .forcing_least = 1e-3,
                                 .forcing_most = 0.3,
                                 .d = s->d,
                                 .r = s->r,
                                 .z = s->z,
                                 .p = s->p,
                                 .hp = s->hp,
                                 .prepare = prepare,
                                 .precondition = precondition,
                                 .multiply = multiply,
                                 .solve = solve,
                                 .accept = accept,
                                 .over = over };
    const bool moved = crs_reduced_descend(&newton, known(&s->at), run->steps, run->fall);
    if (isfinite(s->at.value)) give(s, &s->at, run->x);
    return moved;
}
