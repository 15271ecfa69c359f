/* SPDX-License-Identifier: MIT
 * newton: Newton's method on all factors but that of the first mode, whose rows are eliminated
 *
 * F is a function of K' alone, K the Khatri-Rao product of the Y_k, but for their ridge: with J the
 * derivative of K' by Y, G = dF/dK' and H_K from a look at all rows,
 *     g = J'G + ridge Y,   H d = J'H_K J d + (dJ)'G + ridge d.
 * F is in units of 2c. What an index of a mode weighs are the sums of max(phi'', 0)/(2c) over its
 * entries; the rows of X_1 weigh the same. */
#include "core/carve.h"
#include "dense/dense.h"
#include "rpca/long/long.h"
#include "rpca/reduced/reduced.h"

enum { MOST_CG = 60, MOST_HALVINGS = 14 };

/* Y, and what a look told there. */
typedef struct {
    int64_t version;
    double *y, *g;         /* Y one factor after the other; dF/dY */
    double *product, *out; /* rank x columns: K', and -dF/dK' */
    double *first;         /* of crs_rows_args */
    double *weight;        /* of every index of Y */
    double *gram;          /* X'X */
    double value, squares;
} point;

struct crs_long {
    crs_long_settings c;
    crease_space side; /* the shape without the first mode */
    ptrdiff_t rows, rest, size, columns;
    ptrdiff_t before[CREASE_MAX_ORDER]; /* indices of the modes before */
    crs_source *T;
    crs_look look; /* with the rows that are kept; closed while the first factor is made */
    crs_rows_args args;
    point at, trial;
    double *d, *r, *z, *p, *hp, *change, *collected, *columns_weight;
    double *basis, *value, *small, *mean, *lead; /* of the preconditioner */
    int64_t versions;
    crs_long_progress now;
    bool cut;   /* a look was not completed: no more of them */
    bool stale; /* Y was read from a checkpoint: its look is still to be repeated */
    crease_error failure;
    void *memory;
};

static void carve_point(const crs_long *s, crs_carver *m, point *p)
{
    const ptrdiff_t rank = s->c.rank;
    p->y = carve_doubles(m, s->size, 1);
    p->g = carve_doubles(m, s->size, 1);
    p->product = carve_doubles(m, rank, s->columns);
    p->out = carve_doubles(m, rank, s->columns);
    p->first = carve_doubles(m, rank, s->columns);
    p->weight = carve_doubles(m, s->rest, 1);
    p->gram = carve_doubles(m, rank, rank);
}

static void carve(void *self, crs_carver *m)
{
    crs_long *s = self;
    const ptrdiff_t rank = s->c.rank, d = s->side.order;
    double **const vectors[] = { &s->d, &s->r, &s->z, &s->p, &s->hp };
    carve_point(s, m, &s->at);
    carve_point(s, m, &s->trial);
    for (int k = 0; k < 5; k++) *vectors[k] = carve_doubles(m, s->size, 1);
    s->change = carve_doubles(m, rank, s->columns);
    s->collected = carve_doubles(m, rank, s->columns);
    s->columns_weight = carve_doubles(m, s->columns, 1);
    s->basis = carve_doubles(m, d * rank, rank);
    s->value = carve_doubles(m, d, rank);
    s->mean = carve_doubles(m, d * rank, rank);
    s->lead = carve_doubles(m, rank, rank);
    s->small = carve_doubles(m, 2 * rank * rank + crs_eigh_scratch(rank), 1);
}

static crs_long plan(const crease_space *shape, ptrdiff_t rank)
{
    crs_long s = { .rows = shape->dim[0], .columns = 1 };
    s.c.rank = rank;
    s.side.order = shape->order - 1;
    for (int m = 0; m < s.side.order; m++) {
        s.side.dim[m] = shape->dim[m + 1];
        s.before[m] = s.rest;
        s.rest += s.side.dim[m];
        s.columns *= s.side.dim[m];
    }
    s.size = s.rest * rank;
    return s;
}

double crs_long_bytes(const crease_space *shape, ptrdiff_t rank, int threads)
{
    crs_long s = plan(shape, rank);
    crs_carver count = { 0 };
    carve(&s, &count);
    return count.used < 0 ? INFINITY : (double)count.used + crs_rows_bytes(shape, rank, threads);
}

/* The next column's indices. */
static void advance(const crease_space *s, ptrdiff_t *index)
{
    for (int m = s->order - 1; m >= 0 && ++index[m] == s->dim[m]; m--) index[m] = 0;
}

/* to (rank) = the product of the rows of all modes but `skip`; of mode `by`, of d in place of y */
static void row_of(const crs_long *s, const ptrdiff_t *index, const double *y, int skip, int by,
                   const double *d, double *to)
{
    fill(s->c.rank, 1, to);
    for (int m = 0; m < s->side.order; m++) {
        const double *row = (m == by ? d : y) + (s->before[m] + index[m]) * s->c.rank;
        for (ptrdiff_t q = 0; m != skip && q < s->c.rank; q++) to[q] *= row[q];
    }
}

/* K' of y; by >= 0: with that mode's factor from d, added to what is there */
static void multiply_out(const crs_long *s, const double *y, int by, const double *d, double *to)
{
    ptrdiff_t index[CREASE_MAX_ORDER] = { 0 };
    for (ptrdiff_t j = 0; j < s->columns; j++, advance(&s->side, index)) {
        row_of(s, index, y, -1, by, d, s->small);
        for (ptrdiff_t q = 0; q < s->c.rank; q++)
            to[q * s->columns + j] = (by < 0 ? 0 : to[q * s->columns + j]) + s->small[q];
    }
}

/* J'G at Y; of d (NULL: none), with d in place of one factor after the other, (dJ)'G. */
typedef struct {
    const double *g, *y, *d;
} adjoint;

/* What column j adds to mode m */
static void collect_at(const crs_long *s, const adjoint *f, ptrdiff_t j, const ptrdiff_t *index,
                       int m, double *to)
{
    for (int by = f->d ? 0 : -1; by < (f->d ? s->side.order : 0); by++) {
        if (by == m) continue;
        row_of(s, index, f->y, m, by, f->d, s->small);
        for (ptrdiff_t q = 0; q < s->c.rank; q++) to[q] += f->g[q * s->columns + j] * s->small[q];
    }
}

/* out += a times that */
static void collect(const crs_long *s, double a, const adjoint *f, double *out)
{
    ptrdiff_t index[CREASE_MAX_ORDER] = { 0 };
    for (ptrdiff_t j = 0; j < s->columns; j++, advance(&s->side, index))
        for (int m = 0; m < s->side.order; m++) {
            double to[CRS_TALL_MOST_RANK] = { 0 };
            collect_at(s, f, j, index, m, to);
            axpy(s->c.rank, a, to, out + (s->before[m] + index[m]) * s->c.rank);
        }
}

/* Sums over the columns with an index */
static void marginals(const crs_long *s, const double *weight, double *out)
{
    ptrdiff_t index[CREASE_MAX_ORDER] = { 0 };
    fill(s->rest, 0, out);
    for (ptrdiff_t j = 0; j < s->columns; j++, advance(&s->side, index))
        for (int m = 0; m < s->side.order; m++) out[s->before[m] + index[m]] += weight[j];
}

static double ridge(const crs_long *s) { return s->c.nu / (2 * crs_noise_share(s->c.alpha_noise)); }

static bool over(const void *self)
{
    const crs_long *s = self;
    return s->cut || s->now.passes >= s->c.most || crease_watch_over(s->c.watch);
}

static bool open_look(crs_long *s)
{
    return s->look.job ||
           crs_look_open(&s->look, s->T, &crs_rows_job, &s->args, s->c.threads, &s->failure);
}

static bool look(crs_long *s, const point *p, const double *change)
{
    s->args.version = p->version;
    s->args.product = p->product;
    s->args.first = p->first;
    s->args.change = change;
    if (s->cut) return false;
    s->cut = !open_look(s) || !crs_look_run(&s->look, &s->args, s->c.watch, &s->failure) ||
             crease_watch_over(s->c.watch);
    if (!s->cut) s->now.passes++;
    return !s->cut;
}

/* (K'K + ridge I)^{-1} K'; where that is singular, of a little more */
static bool least_squares(crs_long *s, point *p)
{
    const ptrdiff_t R = s->c.rank, n = s->columns;
    double *gram = s->small, trace = 0;
    for (double more = 0x1p-40; more < 1; more *= 64) {
        crs_gemm(false, true, R, R, n, 1, p->product, p->product, 0, gram);
        trace = 0;
        for (ptrdiff_t q = 0; q < R; q++) trace += gram[q * (R + 1)];
        if (!(trace > 0 && trace < INFINITY)) return false;
        for (ptrdiff_t q = 0; q < R; q++) gram[q * (R + 1)] += ridge(s) + more * trace;
        if (!crs_cholesky(R, gram)) continue;
        copy(R * n, p->product, p->first);
        crs_cholesky_solve(R, gram, n, p->first);
        return true;
    }
    return false;
}

/* X, F and the gradient at Y; false: nothing is known there */
static bool solve_rows(crs_long *s, point *p)
{
    multiply_out(s, p->y, -1, NULL, p->product);
    p->version = ++s->versions;
    p->value = NAN;
    if (!least_squares(s, p) || !look(s, p, NULL)) return false;
    const crs_total *t = &s->look.sums;
    const double half = ridge(s) / 2;
    crs_total_read(t, CRS_ROWS_OUT, 0, s->c.rank * s->columns, p->out);
    crs_total_read(t, CRS_ROWS_WEIGHT, 0, s->columns, s->columns_weight);
    crs_total_read(t, CRS_ROWS_GRAM, 0, s->c.rank * s->c.rank, p->gram);
    p->value = crs_total_at(t, CRS_ROWS_VALUE, 0) + half * crs_dot(s->size, p->y, p->y);
    p->squares = crs_total_at(t, CRS_ROWS_VALUE, 1);
    marginals(s, s->columns_weight, p->weight);
    for (ptrdiff_t j = 0; j < s->size; j++) p->g[j] = 2 * half * p->y[j];
    collect(s, -1, &(adjoint){ p->out, p->y, NULL }, p->g);
    return isfinite(p->value);
}

/* hp = H p; NaN where the look was not completed */
static void multiply(void *self, const double *p, double *hp)
{
    crs_long *s = self;
    fill(s->c.rank * s->columns, 0, s->change);
    for (int m = 0; m < s->side.order; m++) multiply_out(s, s->at.y, m, p, s->change);
    const bool done = look(s, &s->at, s->change);
    s->now.cg++;
    for (ptrdiff_t j = 0; j < s->size; j++) hp[j] = done ? ridge(s) * p[j] : NAN;
    if (!done) return;
    crs_total_read(&s->look.sums, CRS_ROWS_OUT, 0, s->c.rank * s->columns, s->collected);
    collect(s, 1, &(adjoint){ s->collected, s->at.y, NULL }, hp);
    collect(s, -1, &(adjoint){ s->at.out, s->at.y, p }, hp);
}

static crs_reduced_modes modes_of(const crs_long *s)
{
    return (crs_reduced_modes){ .count = s->side.order,
                                .rank = s->c.rank,
                                .stride = s->c.rank,
                                .rows = s->side.dim,
                                .before = s->before,
                                .y = s->at.y,
                                .weight = s->at.weight,
                                .lead = s->lead,
                                .ridge = ridge(s),
                                .mean = s->mean,
                                .basis = s->basis,
                                .value = s->value,
                                .small = s->small };
}

static bool prepare(void *self)
{
    crs_long *s = self;
    for (ptrdiff_t q = 0; q < s->c.rank * s->c.rank; q++)
        s->lead[q] = s->at.gram[q] / (double)s->rows;
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
    crs_long *s = self;
    for (ptrdiff_t j = 0; j < s->size; j++) s->trial.y[j] = s->at.y[j] + t * s->d[j];
    return solve_rows(s, &s->trial) ? known(&s->trial) : (crs_reduced_at){ NAN, NAN, NULL };
}

static void accept(void *self)
{
    crs_long *s = self;
    const point old = s->at;
    s->at = s->trial;
    s->trial = old;
    s->now.steps++;
}

/* From a point with g'P^-1 g = norm */
static bool newton_step(crs_long *s, double norm)
{
    const crs_reduced newton = { .self = s,
                                 .size = s->size,
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
    crs_reduced_at at = known(&s->at);
    return crs_reduced_step(&newton, &at, norm);
}

/* The norms that the columns of mode m (-1: the first) would have to be multiplied by for those of
 * all modes to agree: of X by its Gram matrix */
static void balance(const crs_long *s, int m, double *factor)
{
    const ptrdiff_t R = s->c.rank;
    for (ptrdiff_t r = 0; r < R; r++) {
        double sum = log(s->at.gram[r * (R + 1)]) / 2, own = sum;
        for (int k = 0; k < s->side.order; k++) {
            double squares = 0;
            for (ptrdiff_t i = 0; i < s->side.dim[k]; i++)
                squares += square(s->at.y[(s->before[k] + i) * R + r]);
            sum += log(squares) / 2;
            if (k == m) own = log(squares) / 2;
        }
        factor[r] = exp(sum / (s->side.order + 1) - own);
        if (!isfinite(factor[r])) factor[r] = 1;
    }
}

/* The residual of mode m of balanced factors, as the certificate has it but for rounding */
static void residual_of(crs_long *s, int m, double whole, double *wrong, double *relative)
{
    const ptrdiff_t R = s->c.rank, rows = s->side.dim[m], size = rows * R;
    const double c = crs_noise_share(s->c.alpha_noise), *y = s->at.y + s->before[m] * R;
    double *sm = s->r, *yg = s->z, *gram = s->small, *own = gram + R * R;
    copy(R * R, s->at.gram, gram);
    for (int k = 0; k < s->side.order; k++) {
        crs_gram(s->side.dim[k], R, s->at.y + s->before[k] * R, own);
        for (ptrdiff_t q = 0; k != m && q < R * R; q++) gram[q] *= own[q];
    }
    crs_gemm(false, false, rows, R, R, 1, y, gram, 0, yg);
    balance(s, m, own);
    double terms = 0, added = 0, all = 0, x = 0;
    for (ptrdiff_t j = 0; j < size; j++) {
        const double a = own[j % R], g = 2 * c * s->at.g[s->before[m] * R + j];
        sm[j] = (s->c.nu * y[j] - g) / (2 * c);
        all += square(g / a);
        terms += square(2 * (yg[j] + c * sm[j]) / a);
        added += square(2 * yg[j] / a + s->c.nu * y[j] * a);
        x += square(y[j] * a);
    }
    *wrong = sqrt(all);
    *relative = all == 0 ? 0 : *wrong / crs_cp_scale(sqrt(terms) + sqrt(added), whole, sqrt(x));
}

static void measure(crs_long *s)
{
    s->now.value = 2 * crs_noise_share(s->c.alpha_noise) * s->at.value;
    s->now.violation = s->now.worst = 0;
    const double whole = s->c.whole > 0 ? larger(s->c.whole, s->now.value) : 0;
    for (int m = 0; m < s->side.order; m++) {
        double wrong, relative;
        residual_of(s, m, whole, &wrong, &relative);
        s->now.violation = larger(s->now.violation, wrong);
        s->now.worst = larger(s->now.worst, relative);
    }
}

static bool failed(const crs_long *s, crease_error *e)
{
    if (s->failure.code == CREASE_OK) return false;
    if (e) *e = s->failure;
    return true;
}

static bool start(crs_long *s, crs_source *T, crease_error *e)
{
    const crs_long_settings *c = &s->c;
    s->memory = carve_block(carve, s);
    if (!s->memory) return crs_fail(e, CREASE_NO_MEMORY, "robust CP: out of memory");
    for (int m = 0; m < s->side.order; m++)
        copy(s->side.dim[m] * c->rank, c->factor[m + 1], s->at.y + s->before[m] * c->rank);
    s->args = (crs_rows_args){ .rank = c->rank,
                               .columns = s->columns,
                               .penalty = c->penalty,
                               .alpha_noise = c->alpha_noise,
                               .nu = c->nu,
                               .product = s->at.product,
                               .first = s->at.first };
    s->T = T;
    if (solve_rows(s, &s->at)) return measure(s), true;
    return !failed(s, e);
}

crs_long *crs_long_new(const crs_long_settings *c, crs_source *T, crease_error *e)
{
    crs_long *s = crs_alloc(1, sizeof *s);
    if (!s) return crs_fail(e, CREASE_NO_MEMORY, "robust CP: out of memory"), NULL;
    *s = plan(&c->shape, c->rank);
    s->c = *c;
    s->now.worst = s->now.violation = s->now.value = NAN;
    if (start(s, T, e)) return s;
    crs_long_free(s);
    return NULL;
}

void crs_long_free(crs_long *s)
{
    if (!s) return;
    if (s->look.job) crs_look_close(&s->look);
    crs_free(s->memory);
    crs_free(s);
}

void crs_long_visit(crs_visitor *v, crs_long *s)
{
    crs_visits(v, s->at.y, s->size);
    crs_visit(v, s->now);
    if (crs_visit_reads(v)) s->stale = true;
}

/* A look that the run before has counted. */
static void again(crs_long *s)
{
    const crs_long_progress now = s->now;
    s->stale = false;
    solve_rows(s, &s->at);
    s->now = now;
}

crs_advance crs_long_step(crs_long *s, crease_error *e)
{
    if (s->stale) again(s);
    if (failed(s, e)) return CRS_BROKEN;
    if (!isfinite(s->at.value) || s->now.worst <= s->c.eps || over(s) || !prepare(s))
        return CRS_DONE;
    const double norm = precondition(s, s->at.g, s->z);
    if (!(norm > 0)) return CRS_DONE;
    const bool moved = newton_step(s, norm);
    if (failed(s, e)) return CRS_BROKEN;
    if (!moved) return CRS_DONE;
    measure(s);
    return s->now.worst <= s->c.eps ? CRS_DONE : CRS_GO_ON;
}

const crs_long_progress *crs_long_at(const crs_long *s) { return &s->now; }
const double *crs_long_gradient(const crs_long *s) { return s->at.g; }
const double *crs_long_factor(const crs_long *s, int n)
{
    return s->at.y + s->before[n - 1] * s->c.rank;
}

bool crs_long_product(crs_long *s, const double *d, double *out, crease_error *e)
{
    multiply(s, d, out);
    return !failed(s, e);
}

bool crs_long_rows(crs_long *s, double *out, crease_error *e)
{
    if (s->stale) again(s);
    s->args.version = s->at.version;
    s->args.product = s->at.product;
    s->args.first = s->at.first;
    if (s->look.job) crs_look_close(&s->look);
    if (failed(s, e) || !crs_rows_read(s->T, &s->args, s->c.threads, NULL, out, e)) return false;
    s->now.passes++;
    return true;
}
