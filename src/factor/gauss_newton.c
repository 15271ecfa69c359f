/* SPDX-License-Identifier: MIT
 * gauss_newton: core G, for factorizations: w minimizes the Gauss-Newton model with damping mu
 * (gauss_model.c), which reads no data, so that a trial costs one pass over T
 *
 * mu is divided by 3 if F fell by more than 3/4 of what the model promised, doubled if by less than
 * 1/4, and 4 mu is tried when test S refuses w; after REFUSALS the plain step is taken.
 *
 * Between two steps the columns are balanced: [[s_1 o X_1, ..., s_d o X_d]] is the same tensor when
 * the scales of each column multiply to 1, so that F falls by its penalties alone and the slope of
 * the fit scales with 1/s: no pass. A column's penalties sum_n a_n s_n + (b_n/2) s_n^2 are convex
 * in log s. Without this the model, which is straight along that curve, creeps. */
#include "composite/cores.h"
#include "factor/gauss.h"

enum { REFUSALS = 12, HALVED = 5 };

typedef struct {
    const crs_task *task;
    crs_composite *c;
    crs_gauss model;
    double *x, *g, *w, *gw, *t, *v, *u, *gamma;
    double *scale; /* of a column, one a factor, with a_n, b_n and the step of log s_n */
    double F, ratio, mu, floor, shrink;
    bool cone; /* the sets contain what is scaled */
    int undecided;
    void *memory;
} gauss;

static void carve(void *self, crs_carver *v)
{
    gauss *s = self;
    double **vector[] = { &s->x, &s->g, &s->w, &s->gw, &s->t, &s->v };
    for (size_t k = 0; k < sizeof vector / sizeof *vector; k++)
        *vector[k] = carve_doubles(v, s->c->n, 1);
    s->u = carve_doubles(v, s->c->rows, 1);
    s->gamma = carve_doubles(v, s->c->count, 1);
    s->scale = carve_doubles(v, s->model.order, 4);
    crs_gauss_carve(&s->model, v);
}

static bool suits(const crs_composite *c)
{
    crs_gauss m;
    return !c->constraint && crs_gauss_of(c, &m) && 4 * (double)c->n < c->rest_entries;
}

static bool is_cone(const crs_composite *c)
{
    for (ptrdiff_t j = 0; j < c->n; j++) {
        const crs_coordinate *k = &c->by[j];
        if ((k->low != 0 && k->low > -INFINITY) || (k->high != 0 && k->high < INFINITY))
            return false;
    }
    return true;
}

/* The model about x, and how far x is from an answer. */
static bool settle(gauss *s)
{
    s->ratio = crs_residual(s->c, s->x, s->g, s->task->tolerance);
    return crs_gauss_at(&s->model, s->x, s->g);
}

static bool renew(void *self)
{
    gauss *s = self;
    double scale = 0;
    s->F = crs_smooth_both(s->c, s->x, s->u, s->g) + crs_nonsmooth_part(s->c, s->x);
    if (!settle(s)) return isnan(s->F);
    for (int n = 0; n < s->model.order; n++) {
        double trace = 0;
        for (ptrdiff_t r = 0; r < s->model.rank; r++)
            trace += s->model.other[n * s->model.square + r * (s->model.rank + 1)];
        scale = larger(scale, trace / (double)s->model.rank);
    }
    s->mu = scale > 0 ? 0.1 * scale : 1;
    s->floor = 1e-8 * s->mu;
    s->shrink = 1;
    s->undecided = 0;
    return true;
}

static void close(void *self)
{
    gauss *s = self;
    if (!s) return;
    crs_free(s->memory);
    crs_free(s);
}

static void *open(const crs_task *task, crease_error *e)
{
    gauss *s = crs_alloc(1, sizeof *s);
    if (s) {
        s->task = task;
        s->c = task->c;
        crs_gauss_of(s->c, &s->model);
        s->memory = carve_block(carve, s);
        s->cone = is_cone(s->c);
    }
    if (s && s->memory) {
        copy(s->c->n, task->start, s->x);
        renew(s);
        return s;
    }
    crs_fail(e, CREASE_NO_MEMORY, "out of memory: a core");
    close(s);
    return NULL;
}

/* t of the plain step, and its D */
static double plain_step(gauss *s)
{
    const crs_composite *c = s->c;
    double D = 0;
    for (int n = 0; n < s->model.order; n++) {
        const int i = s->model.block[n];
        const double L = s->model.steep[n] > 0 ? s->model.steep[n] : s->mu;
        s->gamma[i] = smaller(s->shrink / L, 0.99 * c->step[i]);
        for (ptrdiff_t j = c->at[i]; j < c->at[i + 1]; j++)
            s->v[j] = s->x[j] - s->gamma[i] * s->g[j];
        crs_prox_block(c, i, s->gamma[i], s->v + c->at[i], s->t + c->at[i]);
        for (ptrdiff_t j = c->at[i]; j < c->at[i + 1]; j++)
            D += square(s->t[j] - s->x[j]) / s->gamma[i];
    }
    return D;
}

static double evaluate(gauss *s, const double *w)
{
    return crs_smooth_both(s->c, w, s->u, s->gw) + crs_nonsmooth_part(s->c, w);
}

/* Where rounding hides which of two values is lower, a residual that halves decides, a few times.
 */
static bool decided_by_residual(gauss *s, double Fw)
{
    if (!(fabs(Fw - s->F) < 1e-13 * fabs(s->F)) || s->undecided >= HALVED) return false;
    if (!(crs_residual(s->c, s->w, s->gw, s->task->tolerance) <= s->ratio / 2)) return false;
    s->undecided++;
    return true;
}

static void take(gauss *s, double **w, double F)
{
    double *x = s->x, *g = s->g;
    s->x = *w, *w = x;
    s->g = s->gw, s->gw = g;
    s->F = F;
}

/* The model's minimizer, with more damping while it is refused. */
static bool damped_step(gauss *s, double D)
{
    for (int k = 0; k < REFUSALS && !crease_watch_over(s->c->watch); k++) {
        s->model.mu = s->mu;
        const double promised = crs_gauss_minimize(&s->model, s->w), Fw = evaluate(s, s->w);
        if (crs_accepted(s->F, Fw, D) || decided_by_residual(s, Fw)) {
            const double kept = (s->F - Fw) / promised;
            if (kept > 0.75) s->mu = larger(s->mu / 3, s->floor);
            if (kept < 0.25) s->mu *= 2;
            take(s, &s->w, Fw);
            return true;
        }
        s->mu *= 4;
    }
    return false;
}

static bool plain_descent(gauss *s, double D)
{
    for (;;) {
        const double F = evaluate(s, s->t);
        if (crs_accepted(s->F, F, D)) {
            take(s, &s->t, F);
            return true;
        }
        s->shrink /= 2;
        if (!(s->shrink > 1e-30) || crease_watch_over(s->c->watch)) return false;
        D = plain_step(s);
    }
}

/* What scales with a column: sum_n r_n, the ridge and the linear part. */
static double scaled_part(const gauss *s, const double *x)
{
    const ptrdiff_t n = s->c->n;
    return crs_nonsmooth_part(s->c, x) + s->model.ridge / 2 * crs_dot(n, x, x) +
           crs_dot(n, s->c->linear, x);
}

/* a_n and b_n of column r; false: they are not both >= 0, or nothing holds the column. */
static bool column_penalties(const gauss *s, ptrdiff_t r, double *a, double *b)
{
    const crs_gauss *m = &s->model;
    for (int n = 0; n < m->order; n++) {
        a[n] = b[n] = 0;
        for (ptrdiff_t j = m->at[n] + r; j < m->at[n] + m->dim[n] * m->rank; j += m->rank) {
            const crs_coordinate *k = &s->c->by[j];
            const double x = s->x[j], curve = x == 0 ? 0 : crs_coordinate_curve(k, x) * x * x;
            a[n] += (crs_coordinate_slope(k, x) + s->c->linear[j]) * x - curve;
            b[n] += curve + m->ridge * x * x;
        }
        if (!(a[n] >= 0 && b[n] >= 0 && a[n] + b[n] > 0)) return false;
    }
    return true;
}

/* t_n = log s_n minimizes sum_n a_n e^t_n + (b_n/2) e^(2 t_n) where sum_n t_n = 0, by Newton's
 * method with steps of at most 1. */
static bool balance_column(int order, const double *a, const double *b, double *t)
{
    fill(order, 0, t);
    for (int k = 0; k < 60; k++) {
        double ratios = 0, inverses = 0, most = 0;
        for (int n = 0; n < order; n++) {
            const double e = exp(t[n]), h = a[n] * e + 2 * b[n] * e * e;
            ratios += (a[n] * e + b[n] * e * e) / h;
            inverses += 1 / h;
        }
        for (int pass = 0; pass < 2; pass++)
            for (int n = 0; n < order; n++) {
                const double e = exp(t[n]), h = a[n] * e + 2 * b[n] * e * e;
                const double step = (ratios / inverses - a[n] * e - b[n] * e * e) / h;
                if (pass == 0) most = larger(most, fabs(step));
                if (pass == 1) t[n] += most > 1 ? step / most : step;
            }
        if (!(most < INFINITY)) return false;
        if (most <= 1e-12) return true;
    }
    return false;
}

/* Column r of w and gw, scaled. */
static void scale_column(gauss *s, ptrdiff_t r, const double *t)
{
    const crs_gauss *m = &s->model;
    for (int n = 0; n < m->order; n++) {
        const double scale = exp(t[n]);
        for (ptrdiff_t j = m->at[n] + r; j < m->at[n] + m->dim[n] * m->rank; j += m->rank) {
            const double fit = s->g[j] - m->ridge * s->x[j] - s->c->linear[j];
            s->w[j] = scale * s->x[j];
            s->gw[j] = fit / scale + m->ridge * s->w[j] + s->c->linear[j];
        }
    }
}

static void balance(gauss *s)
{
    const int order = s->model.order;
    double *t = s->scale, *a = t + order, *b = a + order;
    if (!s->cone) return;
    copy(s->c->n, s->x, s->w);
    copy(s->c->n, s->g, s->gw);
    for (ptrdiff_t r = 0; r < s->model.rank; r++)
        if (column_penalties(s, r, a, b) && balance_column(order, a, b, t)) scale_column(s, r, t);
    const double change = scaled_part(s, s->w) - scaled_part(s, s->x);
    if (change < 0) take(s, &s->w, s->F + change);
}

static crs_core_state step(void *self)
{
    gauss *s = self;
    if (s->ratio <= 1) return CRS_CORE_DONE;
    const double D = plain_step(s);
    if (!(D < INFINITY)) return CRS_CORE_STUCK;
    if (!damped_step(s, D)) {
        if (crease_watch_over(s->c->watch) || !plain_descent(s, D)) return CRS_CORE_STUCK;
        s->mu = 1e7 * s->floor;
    }
    balance(s);
    if (!settle(s)) return CRS_CORE_STUCK;
    return s->ratio <= 1 ? CRS_CORE_DONE : CRS_CORE_GOES_ON;
}

static void stand(const void *self, crs_standing *out)
{
    const gauss *s = self;
    *out = (crs_standing){ .x = s->x, .objective = s->F, .ratio = s->ratio, .u = s->u, .g = s->g };
}

const crs_core crs_core_gauss_newton = {
    .name = "gauss-newton",
    .patience = 4, /* the residual may rise in a step that lowers F much */
    .needs = "f to be one factorization with constant data, of which the factors are a quarter at "
             "most, and separable penalties and sets",
    .suits = suits,
    .open = open,
    .step = step,
    .stand = stand,
    .renew = renew,
    .close = close,
};
