/* SPDX-License-Identifier: MIT
 * panoc: quasi-Newton steps on the fixed points of the proximal gradient step, for any f and prox
 *
 * z(x) = prox_gamma(x - gamma grad f(x)), d = z - x, D = sum_i |d_i|^2/gamma_i. The merit is the
 * forward-backward envelope
 *     phi(x) = f(x) + <grad f(x), d> + r(z) + D/2 <= F(x),    F(z) <= phi(x) - sigma D,
 * the second by halving gamma until f(z) <= f(x) + <grad f(x), d> + (1/2 - sigma) D. A step goes to
 * x + (1 - tau) d + tau q, tau = 1, 1/2, .., until phi falls by sigma D; tau = 0 is x + d = z. So
 * phi plays the part of F in Theorem S, whatever q is. Here q = H d by limited-memory BFGS, in the
 * metric of gamma: from s = dx/sqrt(gamma) and y = -change of d/sqrt(gamma).
 *
 * Products: u = K x is known for x, and K z is made for the test of gamma. K s and K d are their
 * differences, so K q comes by the combination that makes q, and u of every trial is known:
 * one product a step and one adjoint a trial.
 *
 * Stella, Themelis, Sopasakis, Patrinos, A simple and efficient algorithm for nonlinear model
 * predictive control, 2017; De Marchi, Themelis, Proximal gradient algorithms under local Lipschitz
 * gradient continuity, 2022. */
#include "composite/cores.h"
#include "composite/lbfgs.h"
#include "core/carve.h"

static const double sigma = 1e-3;
static const double rounding = 1e-13; /* of f and phi, relative: a test below it decides nothing */
enum { TRIALS = 6, MEASURE = 10, REFRESH = 30 };

typedef struct {
    double *x, *u, *g, *z, *uz;
    double f, fz, r; /* r(z) */
    double slope, D; /* <g, d> */
} place;

typedef struct {
    crs_composite *c;
    const double *tolerance;
    double *gamma; /* a block */
    place at, other;
    double *q, *v, *gz, *best;
    double lowest;            /* F(best) */
    double ratio, rate;       /* measured, and over the size of d that went with it */
    bool measured, following; /* gz is grad f(z); K q by combination */
    long steps;
    crs_lbfgs pairs;
    void *memory;
} panoc;

static double envelope(const place *a) { return a->f + a->slope + a->r + a->D / 2; }
static double objective(const place *a) { return a->fz + a->r; }

/* z, r(z), <g, d> and D */
static void forward(panoc *p, place *a)
{
    const crs_composite *c = p->c;
    for (int i = 0; i < c->count; i++)
        for (ptrdiff_t j = c->at[i]; j < c->at[i + 1]; j++)
            p->v[j] = a->x[j] - p->gamma[i] * a->g[j];
    crs_prox(c, p->gamma, p->v, a->z);
    a->r = crs_nonsmooth_part(c, a->z);
    a->D = 0;
    for (ptrdiff_t j = 0; j < c->n; j++) p->v[j] = a->z[j] - a->x[j];
    a->slope = crs_dot(c->n, a->g, p->v);
    for (int i = 0; i < c->count; i++) {
        const double *d = p->v + c->at[i];
        a->D += crs_dot(crs_block_size(c, i), d, d) / p->gamma[i];
    }
}

static void evaluate(panoc *p, place *a)
{
    a->f = crs_smooth_part(p->c, a->x, a->u);
    crs_smooth_slope(p->c, a->x, a->u, a->g);
    forward(p, a);
}

static void halve(panoc *p)
{
    for (int i = 0; i < p->c->count; i++) p->gamma[i] /= 2;
    crs_lbfgs_forget(&p->pairs);
}

static bool is_small(const panoc *p)
{
    for (int i = 0; i < p->c->count; i++)
        if (!(p->gamma[i] > 1e-30)) return true;
    return false;
}

/* K z and f(z), with a gamma that passes. False: there is none, or no time. */
static bool settle(panoc *p)
{
    place *a = &p->at;
    p->measured = false;
    while (isfinite(a->f) && isfinite(a->D)) {
        crs_products(p->c, a->z, a->uz);
        a->fz = crs_smooth_part(p->c, a->z, a->uz);
        if (a->fz <= a->f + a->slope + (0.5 - sigma) * a->D + rounding * fabs(a->f)) return true;
        if (is_small(p) || crease_watch_over(p->c->watch)) return false;
        halve(p);
        forward(p, a);
    }
    return false;
}

static void remember_best(panoc *p)
{
    if (p->at.z == p->best || !(objective(&p->at) <= p->lowest)) return;
    p->lowest = objective(&p->at);
    copy(p->c->n, p->at.z, p->best);
}

/* max_i (|d_i|/gamma_i) / tolerance_i */
static double size_of_step(const panoc *p)
{
    const crs_composite *c = p->c;
    double most = 0;
    for (int i = 0; i < c->count; i++) {
        double sum = 0;
        for (ptrdiff_t j = c->at[i]; j < c->at[i + 1]; j++) sum += square(p->at.z[j] - p->at.x[j]);
        most = larger(most, sqrt(sum) / p->gamma[i] / p->tolerance[i]);
    }
    return most;
}

/* The residual at z takes the gradient there, an adjoint: it is worth it near the end. */
static void measure(panoc *p)
{
    const double size = size_of_step(p);
    if (p->measured || p->steps % MEASURE == 0 || p->rate * size <= 3) {
        if (!p->measured) crs_smooth_slope(p->c, p->at.z, p->at.uz, p->gz);
        p->measured = true;
        p->ratio = crs_residual(p->c, p->at.z, p->gz, p->tolerance);
        p->rate = size > 0 ? p->ratio / size : 0;
    } else {
        p->ratio = larger(1 + 1e-9, p->rate * size); /* a guess claims nothing */
    }
}

/* s and y of the last step, with K s and K Gamma y in their tails. */
static void remember_pair(panoc *p)
{
    const crs_composite *c = p->c;
    const place *a = &p->at, *b = &p->other;
    double *s = crs_lbfgs_step(&p->pairs), *y = crs_lbfgs_change(&p->pairs);
    for (int i = 0; i < c->count; i++) {
        const double root = sqrt(p->gamma[i]);
        for (ptrdiff_t j = c->at[i]; j < c->at[i + 1]; j++) {
            s[j] = (a->x[j] - b->x[j]) / root;
            y[j] = ((b->z[j] - b->x[j]) - (a->z[j] - a->x[j])) / root;
        }
    }
    for (ptrdiff_t j = 0; j < p->pairs.tail; j++) {
        s[c->n + j] = a->u[j] - b->u[j];
        y[c->n + j] = (b->uz[j] - b->u[j]) - (a->uz[j] - a->u[j]);
    }
    crs_lbfgs_keep(&p->pairs);
}

/* q = H d, and K q after it */
static void direct(panoc *p)
{
    const crs_composite *c = p->c;
    const place *a = &p->at;
    double *uq = p->q + c->n;
    for (int i = 0; i < c->count; i++)
        for (ptrdiff_t j = c->at[i]; j < c->at[i + 1]; j++)
            p->q[j] = (a->z[j] - a->x[j]) / sqrt(p->gamma[i]);
    for (ptrdiff_t j = 0; j < p->pairs.tail; j++) uq[j] = a->uz[j] - a->u[j];
    crs_lbfgs_times(&p->pairs, p->q);
    for (int i = 0; i < c->count; i++)
        for (ptrdiff_t j = c->at[i]; j < c->at[i + 1]; j++) p->q[j] *= sqrt(p->gamma[i]);
    if (p->following)
        c->work->entries += 2 * (double)p->pairs.count * (double)c->rows;
    else
        crs_products(c, p->q, uq);
}

/* x + (1 - tau) d + tau q, by its u as well */
static void move(panoc *p, double tau)
{
    const crs_composite *c = p->c;
    const place *a = &p->at;
    const double *uq = p->q + c->n;
    for (ptrdiff_t j = 0; j < c->n; j++)
        p->other.x[j] = (1 - tau) * a->z[j] + tau * (a->x[j] + p->q[j]);
    for (ptrdiff_t j = 0; j < c->rows; j++)
        p->other.u[j] = (1 - tau) * a->uz[j] + tau * (a->u[j] + uq[j]);
}

/* phi falls by sigma D; where rounding hides that, d must have become shorter. */
static bool is_lower(const place *a, const place *trial)
{
    const double phi = envelope(a), there = envelope(trial);
    if (fabs(there - phi) <= rounding * fabs(phi)) return trial->D <= 0.8 * a->D;
    return there <= phi - sigma * a->D;
}

static void plain_step(panoc *p)
{
    place *a = &p->at, *b = &p->other;
    copy(p->c->n, a->z, b->x);
    copy(p->c->rows, a->uz, b->u);
    if (p->measured) {
        b->f = a->fz;
        copy(p->c->n, p->gz, b->g);
        forward(p, b);
    } else {
        evaluate(p, b);
    }
}

/* Where to go is in `other`. False: the watch is over. */
static bool search(panoc *p)
{
    if (p->pairs.count > 0) {
        direct(p);
        double tau = 1;
        for (int k = 0; k < TRIALS; k++, tau /= 2) {
            move(p, tau);
            evaluate(p, &p->other);
            if (is_lower(&p->at, &p->other)) return true;
            if (crease_watch_over(p->c->watch)) return false;
        }
    }
    plain_step(p);
    return true;
}

static bool is_still(const panoc *p) { return p->at.D == 0; }

static crs_core_state step(void *self)
{
    panoc *p = self;
    if (!(objective(&p->at) < INFINITY)) return CRS_CORE_STUCK;
    if (is_still(p)) p->rate = 0;
    measure(p);
    if (p->ratio <= 1) return CRS_CORE_DONE;
    if (is_still(p) || crease_watch_over(p->c->watch) || !search(p)) return CRS_CORE_STUCK;
    const place from = p->at;
    p->at = p->other;
    p->other = from;
    if (++p->steps % REFRESH == 0) crs_products(p->c, p->at.x, p->at.u);
    const double gamma = p->gamma[0];
    if (!settle(p)) {
        p->at.fz = NAN; /* the best point stands */
        return CRS_CORE_STUCK;
    }
    if (p->gamma[0] == gamma) remember_pair(p);
    remember_best(p);
    return CRS_CORE_GOES_ON;
}

static void stand(const void *self, crs_standing *s)
{
    const panoc *p = self;
    const bool here = objective(&p->at) <= p->lowest || p->ratio <= 1;
    *s = (crs_standing){ .x = here ? p->at.z : p->best,
                         .objective = here ? objective(&p->at) : p->lowest,
                         .ratio = p->ratio };
}

/* gamma_i = 0.95/L_i, below what the prox allows */
static bool choose_steps(panoc *p, crease_error *e)
{
    const crs_composite *c = p->c;
    if (!crs_block_curvatures(c, p->at.x, p->at.u, p->gamma, e)) return false;
    for (int i = 0; i < c->count; i++) {
        p->gamma[i] = smaller(0.95 / p->gamma[i], 0.99 * c->step[i]);
        if (!(p->gamma[i] < INFINITY)) p->gamma[i] = 1;
    }
    return true;
}

/* All of it at at.x. */
static bool begin(panoc *p, crease_error *e)
{
    crs_lbfgs_forget(&p->pairs);
    crs_products(p->c, p->at.x, p->at.u);
    if (!choose_steps(p, e)) return false;
    evaluate(p, &p->at);
    p->lowest = INFINITY;
    p->ratio = INFINITY;
    p->rate = 0;
    p->steps = 0;
    if (!settle(p)) p->at.fz = NAN;
    remember_best(p);
    return true;
}

static bool renew(void *self)
{
    panoc *p = self;
    copy(p->c->n, p->best, p->at.x);
    return begin(p, NULL);
}

static void carve(void *self, crs_carver *k)
{
    panoc *p = self;
    const ptrdiff_t n = p->c->n, rows = p->c->rows;
    for (int i = 0; i < 2; i++) {
        place *a = i ? &p->other : &p->at;
        a->x = carve_doubles(k, n, 1);
        a->g = carve_doubles(k, n, 1);
        a->z = carve_doubles(k, n, 1);
        a->u = carve_doubles(k, rows, 1);
        a->uz = carve_doubles(k, rows, 1);
    }
    p->q = carve_doubles(k, n + rows, 1);
    p->v = carve_doubles(k, n, 1);
    p->gz = carve_doubles(k, n, 1);
    p->best = carve_doubles(k, n, 1);
    p->gamma = carve_doubles(k, p->c->count, 1);
}

static void panoc_close(void *self)
{
    panoc *p = self;
    if (!p) return;
    crs_lbfgs_close(&p->pairs);
    crs_free(p->memory);
    crs_free(p);
}

/* Is the combination of 2 pairs of u cheaper than a product? */
static bool is_dear(const crs_composite *c)
{
    double entries = 0;
    for (int t = 0; t < c->terms; t++)
        for (int k = 0; k < c->term[t].parts; k++)
            entries += crs_matrix_entries(c->term[t].part[k].matrix);
    return entries > 2 * CRS_LBFGS_PAIRS * (double)c->rows;
}

static void *panoc_open(const crs_task *task, crease_error *e)
{
    panoc *p = crs_alloc(1, sizeof *p);
    if (!p) return crs_fail(e, CREASE_NO_MEMORY, "no memory for the steps of panoc"), NULL;
    *p = (panoc){ .c = task->c, .tolerance = task->tolerance };
    p->following = is_dear(p->c);
    p->memory = carve_block(carve, p);
    if (!p->memory) crs_fail(e, CREASE_NO_MEMORY, "no memory for the points of panoc");
    bool good = p->memory && crs_lbfgs_open(&p->pairs, p->c->n, p->following ? p->c->rows : 0, e);
    if (good) {
        copy(p->c->n, task->start, p->at.x);
        good = begin(p, e);
    }
    if (good) return p;
    panoc_close(p);
    return NULL;
}

static bool suits(const crs_composite *c) { return !c->constraint; }

const crs_core crs_core_panoc = {
    .name = "panoc",
    .suits = suits,
    .open = panoc_open,
    .step = step,
    .stand = stand,
    .renew = renew,
    .close = panoc_close,
};
