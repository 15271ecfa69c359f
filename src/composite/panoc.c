/* SPDX-License-Identifier: MIT
 * panoc: quasi-Newton steps on the fixed points of the proximal gradient step, for any f and prox
 *
 * z(x) = prox_gamma(x - gamma grad f(x)), d = z - x, D = sum_i |d_i|^2/gamma_i. The merit is the
 * forward-backward envelope
 *     phi(x) = f(x) + <grad f(x), d> + r(z) + D/2 <= F(x),    F(z) <= phi(x) - sigma D,
 * the second by halving gamma until f(z) <= f(x) + <grad f(x), d> + (1/2 - sigma) D. A step goes to
 * x + (1 - tau) d + tau q, tau = 1, 1/2, .., until phi falls by sigma D; tau = 0 is x + d = z. So
 * phi plays the part of F in Theorem S, whatever q is. Here q = H d by limited-memory BFGS, in the
 * metric of gamma: from s = dx/sqrt(gamma) and y = -change of d/sqrt(gamma). Where f is no
 * sum of terms gamma follows its curvature at x, finitely often: the factors of a product need
 * other steps when their sizes have changed.
 *
 * Products: u of every x is known, and K q is made for each direction: one product a step and one
 * adjoint a trial. f(z), for which K z is made, is looked at in every tenth step, near the end,
 * when a trial fails, and when f turns out to be more curved than 1/gamma along a step; between
 * those phi still falls by sigma D a step, and the lowest F(z) that was seen stands.
 *
 * Stella, Themelis, Sopasakis, Patrinos, A simple and efficient algorithm for nonlinear model
 * predictive control, 2017; De Marchi, Themelis, Proximal gradient algorithms under local Lipschitz
 * gradient continuity, 2022. */
#include <crease/certificate.h>

#include "composite/cores.h"
#include "composite/lbfgs.h"
#include "core/carve.h"

static const double sigma = 1e-3;
static const double rounding = 1e-13; /* of f and phi, relative: a test below it decides nothing */
enum { TRIALS = 6, LOOK = 10, REFRESH = 30, ADAPT = 50, CHANGES = 20 };

typedef struct {
    double *x, *u, *g, *z, *uz;
    double f, fz, r; /* r(z) */
    double slope, D; /* <g, d> */
    bool landed;     /* uz and fz are known, and gamma passed there */
} place;

typedef struct {
    crs_composite *c;
    const double *tolerance;
    double *gamma, *width; /* a block */
    place at, other;
    double *q, *uq, *v, *gz, *best;
    double lowest, least; /* F(best), and the lowest phi */
    double ratio, rate;   /* measured, and over the size of d that went with it */
    bool exact;           /* f'' = I/gamma: z is the answer */
    bool measured, loose; /* gz is grad f(z); the ratio was a bound */
    long steps;
    int changes;
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
    a->f = crs_smooth_at(p->c, a->x, a->u, a->g);
    forward(p, a);
}

static void halve(panoc *p)
{
    p->exact = false;
    for (int i = 0; i < p->c->count; i++) p->gamma[i] /= 2;
    crs_lbfgs_forget(&p->pairs);
}

static bool is_small(const panoc *p)
{
    for (int i = 0; i < p->c->count; i++)
        if (!(p->gamma[i] > 1e-30)) return true;
    return false;
}

static void remember_best(panoc *p)
{
    if (!(objective(&p->at) <= p->lowest)) return;
    p->lowest = objective(&p->at);
    copy(p->c->n, p->at.z, p->best);
}

/* K z and f(z), with a gamma that passes. False: there is none, or no time. */
static bool land(panoc *p)
{
    place *a = &p->at;
    if (a->landed) return true;
    for (;; halve(p), forward(p, a), p->least = envelope(a)) {
        if (!isfinite(a->f) || !isfinite(a->D)) return false;
        crs_products(p->c, a->z, a->uz);
        a->fz = crs_smooth_part(p->c, a->z, a->uz);
        const double share = p->exact ? 0.5 : 0.5 - sigma;
        if (a->fz <= a->f + a->slope + share * a->D + rounding * fabs(a->f)) break;
        if (is_small(p) || crease_watch_over(p->c->watch)) return false;
    }
    a->landed = true;
    remember_best(p);
    return true;
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

/* -(x - gamma g - z)/gamma is a normal of r at z, so |(x - z)/gamma + grad f(z) - g| bounds the
 * residual of a block, times the diameter of its set where that is a gap: no decomposition. */
static double bounded(const panoc *p)
{
    const crs_composite *c = p->c;
    const place *a = &p->at;
    double most = 0;
    for (int i = 0; i < c->count; i++) {
        double sum = 0;
        for (ptrdiff_t j = c->at[i]; j < c->at[i + 1]; j++)
            sum += square((a->x[j] - a->z[j]) / p->gamma[i] + (p->gz[j] - a->g[j]));
        most = larger(most, p->width[i] * sqrt(sum) / p->tolerance[i]);
    }
    return most;
}

/* The residual at z takes the gradient there, a pair: it is worth it near the end. False: z is of
 * no use, or no time. */
static bool measure(panoc *p)
{
    double size = size_of_step(p);
    const double near = p->loose ? 30 : 3;
    if (!p->measured && p->steps % LOOK != 0 && !(p->rate * size <= near)) {
        p->ratio = larger(1 + 1e-9, p->rate * size); /* a guess claims nothing */
        return true;
    }
    if (!p->measured) {
        if (!land(p)) return false;
        size = size_of_step(p);
        crs_smooth_slope(p->c, p->at.z, p->at.uz, p->gz);
    }
    p->measured = true;
    p->ratio = bounded(p);
    p->loose = p->ratio > 2 * near;
    if (!p->loose) p->ratio = crs_residual(p->c, p->at.z, p->gz, p->tolerance);
    p->rate = size > 0 ? p->ratio / size : 0;
    return true;
}

/* s and y of the last step */
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
    crs_lbfgs_keep(&p->pairs);
}

/* q = H d, and K q */
static void direct(panoc *p)
{
    const crs_composite *c = p->c;
    const place *a = &p->at;
    for (int i = 0; i < c->count; i++)
        for (ptrdiff_t j = c->at[i]; j < c->at[i + 1]; j++)
            p->q[j] = (a->z[j] - a->x[j]) / sqrt(p->gamma[i]);
    crs_lbfgs_times(&p->pairs, p->q);
    for (int i = 0; i < c->count; i++)
        for (ptrdiff_t j = c->at[i]; j < c->at[i + 1]; j++) p->q[j] *= sqrt(p->gamma[i]);
    crs_products(c, p->q, p->uq);
}

/* x + (1 - tau) d + tau q, by its u as well; for tau < 1 K z is known. */
static void move(panoc *p, double tau)
{
    const place *a = &p->at;
    place *b = &p->other;
    for (ptrdiff_t j = 0; j < p->c->n; j++) b->x[j] = a->x[j] + p->q[j];
    for (ptrdiff_t j = 0; j < p->c->rows; j++) b->u[j] = a->u[j] + p->uq[j];
    if (tau == 1) return;
    for (ptrdiff_t j = 0; j < p->c->n; j++) b->x[j] = (1 - tau) * a->z[j] + tau * b->x[j];
    for (ptrdiff_t j = 0; j < p->c->rows; j++) b->u[j] = (1 - tau) * a->uz[j] + tau * b->u[j];
}

/* Does phi fall by sigma D? Where rounding hides that, phi may not leave the lowest one by more
 * than rounding, however many steps are made there. */
static bool is_lower(const panoc *p, const place *trial)
{
    const double phi = envelope(trial), D = p->at.D;
    return phi <= envelope(&p->at) - sigma * D ||
           phi <= p->least - sigma * D + rounding * fabs(p->least);
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

/* Where to go is in `other`. False: nowhere, or no time. */
static bool search(panoc *p)
{
    double tau = 1;
    for (int k = 0; k < TRIALS && p->pairs.count > 0; k++, tau /= 2) {
        if (k == 0) direct(p);
        move(p, tau);
        evaluate(p, &p->other);
        if (is_lower(p, &p->other)) return true;
        if (crease_watch_over(p->c->watch) || !land(p)) return false;
    }
    if (!land(p)) return false;
    plain_step(p);
    return isfinite(p->other.f);
}

/* Is f more curved than 1/gamma between the last two points? */
static bool is_curved(const panoc *p)
{
    const crs_composite *c = p->c;
    const place *to = &p->at, *from = &p->other;
    double slope = 0, size = 0;
    for (int i = 0; i < c->count; i++)
        for (ptrdiff_t j = c->at[i]; j < c->at[i + 1]; j++) {
            const double step = to->x[j] - from->x[j];
            slope += from->g[j] * step;
            size += step * step / p->gamma[i];
        }
    return to->f > from->f + slope + size / 2 + rounding * fabs(from->f);
}

static void swap(panoc *p)
{
    const place from = p->at;
    p->at = p->other;
    p->other = from;
    p->at.landed = p->measured = false;
}

/* L where f'' = L I, one block; 0: it is not. */
static double multiple_of_identity(const crs_composite *c)
{
    double L = 0;
    if (c->count != 1 || c->rest.ops) return 0;
    for (int t = 0; t < c->terms; t++) {
        const crs_term *term = &c->term[t];
        if (!term->loss || !term->loss->quadratic || term->each || term->parts != 1 ||
            term->part[0].matrix->kind != CRS_SCALAR)
            return 0;
        L += term->weight * term->loss->high * square(term->part[0].matrix->scale);
    }
    return L;
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
    const double L = multiple_of_identity(c);
    p->exact = L > 0 && 1 / L < 0.99 * c->step[0];
    if (p->exact) p->gamma[0] = 1 / L;
    return true;
}

/* All of it at at.x, whose u is there. */
static bool begin(panoc *p, crease_error *e)
{
    crs_lbfgs_forget(&p->pairs);
    if (!choose_steps(p, e)) return false;
    evaluate(p, &p->at);
    p->at.landed = p->measured = false;
    p->lowest = p->ratio = INFINITY;
    p->least = envelope(&p->at);
    p->rate = 0;
    p->loose = false;
    p->steps = 0;
    copy(p->c->n, p->at.x, p->best);
    land(p); /* if that fails the next step says so */
    return true;
}

static bool restart(panoc *p)
{
    copy(p->c->n, p->best, p->at.x);
    crs_products(p->c, p->at.x, p->at.u);
    return begin(p, NULL);
}

static bool renew(void *self)
{
    panoc *p = self;
    if (!(p->ratio <= 1)) return restart(p);
    copy(p->c->n, p->at.z, p->at.x);
    copy(p->c->rows, p->at.uz, p->at.u); /* K is as it was */
    return begin(p, NULL);
}

/* The curvature of what is no sum of terms, where we are: other steps, CHANGES times at most. */
static void adapt(panoc *p)
{
    const crs_composite *c = p->c;
    bool changed = false;
    if (!c->rest.ops || !c->rest.ops->curvature || p->steps % ADAPT != 0 || p->changes >= CHANGES ||
        !crs_block_curvatures(c, p->at.x, p->at.u, p->v, NULL))
        return;
    for (int i = 0; i < c->count; i++) {
        p->v[i] = smaller(0.95 / p->v[i], 0.99 * c->step[i]);
        changed = changed || p->v[i] > 2 * p->gamma[i] || p->v[i] < p->gamma[i] / 2;
    }
    if (!changed) return;
    copy(c->count, p->v, p->gamma);
    p->changes++;
    crs_lbfgs_forget(&p->pairs);
    forward(p, &p->at);
    p->at.landed = p->measured = false;
    p->least = envelope(&p->at);
}

/* The end of a path that had been lower before, which the envelope does not forbid: from there all
 * that follows is no higher. */
static bool was_lower(const panoc *p)
{
    return objective(&p->at) > p->lowest + 1e-12 * fabs(p->lowest);
}

static crs_core_state step(void *self)
{
    panoc *p = self;
    if (!measure(p)) return CRS_CORE_STUCK;
    if (p->ratio <= 1 && !was_lower(p)) return CRS_CORE_DONE;
    if (p->ratio <= 1) return restart(p) ? CRS_CORE_GOES_ON : CRS_CORE_STUCK;
    if (p->at.D == 0 || crease_watch_over(p->c->watch) || !search(p)) return CRS_CORE_STUCK;
    swap(p);
    p->steps++;
    if (p->steps % REFRESH == 0) crs_products(p->c, p->at.x, p->at.u);
    const double gamma = p->gamma[0];
    if (is_curved(p) && !land(p)) return CRS_CORE_STUCK;
    if (p->gamma[0] == gamma) remember_pair(p);
    p->least = smaller(p->least, envelope(&p->at));
    adapt(p);
    return CRS_CORE_GOES_ON;
}

static void stand(const void *self, crs_standing *s)
{
    const panoc *p = self;
    const bool done = p->ratio <= 1;
    *s = (crs_standing){ .x = done ? p->at.z : p->best,
                         .objective = done ? objective(&p->at) : p->lowest,
                         .ratio = p->ratio,
                         .u = done ? p->at.uz : NULL,
                         .g = done ? p->gz : NULL };
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
    p->q = carve_doubles(k, n, 1);
    p->uq = carve_doubles(k, rows, 1);
    p->v = carve_doubles(k, n, 1);
    p->gz = carve_doubles(k, n, 1);
    p->best = carve_doubles(k, n, 1);
    p->gamma = carve_doubles(k, p->c->count, 1);
    p->width = carve_doubles(k, p->c->count, 1);
}

static void panoc_close(void *self)
{
    panoc *p = self;
    if (!p) return;
    crs_lbfgs_close(&p->pairs);
    crs_free(p->memory);
    crs_free(p);
}

/* What a bound on the distance to the normals is multiplied with. */
static double width(const crs_composite *c, int i)
{
    const crease_set *set = c->parts.block[i].set;
    if (crease_setting(&c->parts, i, NULL) != 1) return 1;
    return set->ops->diameter(set, &c->parts.space[i], 2);
}

static void *panoc_open(const crs_task *task, crease_error *e)
{
    panoc *p = crs_alloc(1, sizeof *p);
    if (!p) return crs_fail(e, CREASE_NO_MEMORY, "no memory for the steps of panoc"), NULL;
    *p = (panoc){ .c = task->c, .tolerance = task->tolerance };
    p->memory = carve_block(carve, p);
    if (!p->memory) crs_fail(e, CREASE_NO_MEMORY, "no memory for the points of panoc");
    bool good = p->memory && crs_lbfgs_open(&p->pairs, p->c->n, e);
    if (good) {
        copy(p->c->n, task->start, p->at.x);
        crs_products(p->c, p->at.x, p->at.u);
        for (int i = 0; i < p->c->count; i++) p->width[i] = width(p->c, i);
        good = begin(p, e);
    }
    if (good) return p;
    panoc_close(p);
    return NULL;
}

static void visit_place(crs_visitor *v, const crs_composite *c, place *a)
{
    double *const of_x[] = { a->x, a->g, a->z }, *const of_u[] = { a->u, a->uz };
    for (int k = 0; k < 3; k++) crs_visits(v, of_x[k], c->n);
    for (int k = 0; k < 2; k++) crs_visits(v, of_u[k], c->rows);
    crs_visit(v, a->f);
    crs_visit(v, a->fz);
    crs_visit(v, a->r);
    crs_visit(v, a->slope);
    crs_visit(v, a->D);
    crs_visit(v, a->landed);
}

static void visit(crs_visitor *v, void *self)
{
    panoc *p = self;
    double *const of_x[] = { p->q, p->v, p->gz, p->best };
    visit_place(v, p->c, &p->at);
    visit_place(v, p->c, &p->other);
    for (int k = 0; k < 4; k++) crs_visits(v, of_x[k], p->c->n);
    crs_visits(v, p->uq, p->c->rows);
    crs_visits(v, p->gamma, p->c->count);
    crs_visits(v, p->width, p->c->count);
    crs_visit(v, p->lowest);
    crs_visit(v, p->least);
    crs_visit(v, p->ratio);
    crs_visit(v, p->rate);
    crs_visit(v, p->exact);
    crs_visit(v, p->measured);
    crs_visit(v, p->loose);
    crs_visit(v, p->steps);
    crs_visit(v, p->changes);
    crs_lbfgs_visit(v, &p->pairs);
}

static bool suits(const crs_composite *c) { return !c->constraint && crs_all_proxes(c); }

const crs_core crs_core_panoc = {
    .name = "panoc",
    .patience = 10, /* residuals of its points go up and down */
    .needs = "no constraint, and sets with a projection",
    .suits = suits,
    .open = panoc_open,
    .step = step,
    .stand = stand,
    .renew = renew,
    .close = panoc_close,
    .visit = visit,
};
