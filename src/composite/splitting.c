/* SPDX-License-Identifier: MIT
 * splitting: two blocks with proxes, f = 0 and a constraint c_1 x_1 + c_2 x_2 = b, by exact steps
 *
 *     x_1 = prox_{r_1/(beta c_1^2)}((b - c_2 x_2 + lambda/beta)/c_1), x_2 likewise with the new
 * x_1, lambda -= beta s,  s = c_1 x_1 + c_2 x_2 - b. Then c_2 lambda is a subgradient of r_2 at
 * x_2, and c_1 lambda is one of r_1 at x_1 up to beta |c_1 c_2| |x_2 - x_2^before|, which is the
 * residual of block 1 at most; so a step shows how far it is from the end without a further
 * decomposition. lambda^0 is the largest multiple of b with c_i lambda in d r_i(0) for both, and
 * beta_0 = 2.5 |lambda^0|/|b|. Every 5 steps, at most 12 times, beta is multiplied by
 * sqrt(|s|/dual), at least 1/2 and at most 2, when that ratio is outside of [1/5, 5]: finitely many
 * changes, so what is known of a fixed beta holds from the last one on.
 *
 * Boyd, Parikh, Chu, Peleato, Eckstein, Distributed optimization and statistical learning via the
 * alternating direction method of multipliers, 2011, section 3.4.1. */
#include "composite/cores.h"
#include "core/carve.h"
#include "dense/dense.h"

enum { BALANCE = 5, CHANGES = 12 };

typedef struct {
    crs_composite *c;
    const double *tolerance, *feasible;
    ptrdiff_t n;     /* of each block */
    double scale[2]; /* c_1, c_2 */
    const double *b; /* NULL: 0 */
    double *x, *lambda, *v, *before, *g;
    double beta, least; /* below `least` the proxes are not exact */
    double primal, dual, ratio;
    long steps;
    int changes;
    void *memory;
} splitting;

/* The block of c_1: which part of the constraint is that of block 0? */
static double scale_of(const crs_composite *c, int i)
{
    double scale = 0;
    for (int k = 0; k < c->constraint->parts; k++) {
        const crs_term_part *part = &c->constraint->part[k];
        if (part->block == i && part->matrix->kind == CRS_SCALAR) scale += part->matrix->scale;
    }
    return scale;
}

static bool is_flat(const crs_composite *c)
{
    for (ptrdiff_t j = 0; c->linear && j < c->n; j++)
        if (c->linear[j] != 0) return false;
    return c->terms == 0 && !c->rest.ops;
}

static void visit(crs_visitor *v, void *self)
{
    splitting *s = self;
    crs_visits(v, s->x, 2 * s->n);
    crs_visits(v, s->v, 2 * s->n);
    crs_visits(v, s->g, 2 * s->n);
    crs_visits(v, s->lambda, s->n);
    crs_visits(v, s->before, s->n);
    crs_visit(v, s->beta);
    crs_visit(v, s->least);
    crs_visit(v, s->primal);
    crs_visit(v, s->dual);
    crs_visit(v, s->ratio);
    crs_visit(v, s->steps);
    crs_visit(v, s->changes);
}

static bool suits(const crs_composite *c)
{
    return c->constraint && crs_all_proxes(c) && c->count == 2 && c->constraint->parts == 2 &&
           is_flat(c) && c->at[1] == c->constraint->rows && c->n == 2 * c->at[1] &&
           scale_of(c, 0) != 0 && scale_of(c, 1) != 0;
}

static double rhs(const splitting *s, ptrdiff_t j) { return s->b ? s->b[j] : 0; }

/* x_i from the other block */
static void minimize(splitting *s, int i)
{
    const double c = s->scale[i], other = s->scale[1 - i];
    const double *y = s->x + (1 - i) * s->n;
    for (ptrdiff_t j = 0; j < s->n; j++)
        s->v[j] = (rhs(s, j) - other * y[j] + s->lambda[j] / s->beta) / c;
    crs_prox_block(s->c, i, 1 / (s->beta * c * c), s->v, s->x + i * s->n);
}

/* -c_i lambda, the gradient of block i */
static void slope(const splitting *s, int i, double a, const double *lambda, double *g)
{
    for (ptrdiff_t j = 0; j < s->n; j++) g[i * s->n + j] = -a * s->scale[i] * lambda[j];
}

/* By the bound where it ends the run, by the definition near that. */
static void measure(splitting *s)
{
    const double far = s->primal / *s->feasible;
    const double bound = fabs(s->scale[0] * s->scale[1]) * s->dual / s->tolerance[0];
    s->ratio = larger(far, bound);
    if (!(s->ratio <= 3)) return;
    for (int i = 0; i < 2; i++) slope(s, i, 1, s->lambda, s->g);
    s->ratio = larger(far, crs_residual(s->c, s->x, s->g, s->tolerance));
}

static void balance(splitting *s)
{
    const double ratio = s->primal / s->dual;
    if (s->steps < BALANCE || s->steps % BALANCE != 0 || s->changes >= CHANGES) return;
    if (!(ratio < 0.2 || ratio > 5)) return;
    s->beta = larger(s->beta * clip(sqrt(ratio), 0.5, 2), s->least);
    s->changes++;
}

static crs_core_state step(void *self)
{
    splitting *s = self;
    const double *x1 = s->x, *x2 = s->x + s->n;
    double primal = 0, dual = 0;
    if (s->ratio <= 1) measure(s); /* tolerances may have changed */
    if (s->ratio <= 1) return CRS_CORE_DONE;
    if (crease_watch_over(s->c->watch)) return CRS_CORE_STUCK;
    if (s->steps > 0) balance(s);
    copy(s->n, x2, s->before);
    minimize(s, 0);
    minimize(s, 1);
    for (ptrdiff_t j = 0; j < s->n; j++) {
        const double gap = s->scale[0] * x1[j] + s->scale[1] * x2[j] - rhs(s, j);
        s->lambda[j] -= s->beta * gap;
        primal += gap * gap;
        dual += square(x2[j] - s->before[j]);
    }
    s->c->work->entries += 4 * (double)s->n;
    s->primal = sqrt(primal);
    s->dual = s->beta * sqrt(dual);
    s->steps++;
    if (!isfinite(s->primal) || !isfinite(s->dual)) return CRS_CORE_STUCK;
    measure(s);
    return s->ratio <= 1 ? CRS_CORE_DONE : CRS_CORE_GOES_ON;
}

static void stand(const void *self, crs_standing *out)
{
    const splitting *s = self;
    *out = (crs_standing){ .x = s->x,
                           .multiplier = s->lambda,
                           .objective = crs_nonsmooth_part(s->c, s->x),
                           .ratio = s->ratio,
                           .feasibility = s->primal,
                           .beta = s->beta };
}

/* Is a c_i b a subgradient of r_i at 0? v holds that point. */
static bool is_subgradient(splitting *s, int i, double a)
{
    slope(s, i, a, s->b, s->g);
    return crs_block_residual(s->c, i, s->v, s->g) <= 1e-12 * a * crs_norm(s->n, s->b);
}

/* By bisection, to 2^-20 of itself. */
static double multiple_by_halving(splitting *s, int i)
{
    double low = 0, high = 1 / crs_norm(s->n, s->b);
    if (!is_subgradient(s, i, 0x1p-60 * high)) return 0;
    for (int k = 0; k < 60 && is_subgradient(s, i, high); k++) low = high, high *= 2;
    if (low == 0) {
        while (!is_subgradient(s, i, high)) high /= 2;
        low = high, high *= 2;
    }
    for (int k = 0; k < 20; k++) {
        const double middle = (low + high) / 2;
        *(is_subgradient(s, i, middle) ? &low : &high) = middle;
    }
    return low;
}

/* rho'(0+) over the largest entry of c_i b, coordinate by coordinate */
static double multiple_by_entries(const splitting *s, int i)
{
    double least = INFINITY;
    for (ptrdiff_t j = 0; j < s->n; j++) {
        const crs_coordinate *k = &s->c->by[s->c->at[i] + j];
        const double g = s->scale[i] * s->b[j];
        if (g == 0 || (g < 0 && k->low == 0) || (g > 0 && k->high == 0)) continue;
        const double slope = k->rho ? k->weight * k->rho->slope(k->par, 0) : 0;
        least = smaller(least, slope / fabs(g));
    }
    return least;
}

/* The largest a for which a c_i b is a subgradient of r_i at 0. */
static double largest_multiple(splitting *s, int i)
{
    const crease_reg *r = crs_reg_of(&s->c->parts, i);
    const crease_space *shape = &s->c->parts.space[i];
    fill(2 * s->n, 0, s->v);
    if (s->c->separable[i]) return multiple_by_entries(s, i);
    if (s->c->parts.block[i].set || !crs_is_kind(r, CREASE_KIND_SPECTRAL))
        return multiple_by_halving(s, i);
    double *work =
        crs_alloc((size_t)crs_proved_scratch(shape->dim[0], shape->dim[1]), sizeof *work);
    if (!work) return NAN;
    const double norm = crs_proved_norm(shape->dim[0], shape->dim[1], s->b, work);
    crs_free(work);
    return r->penalty->slope(r->par, 0) / (fabs(s->scale[i]) * norm);
}

static bool choose_start(splitting *s, const crs_task *task)
{
    const double size = s->b ? crs_norm(s->n, s->b) : 0;
    double a[2] = { 0, 0 };
    if (size > 0 && size < INFINITY)
        for (int i = 0; i < 2; i++) a[i] = largest_multiple(s, i);
    if (a[0] != a[0] || a[1] != a[1]) return false;
    const double least = smaller(a[0], a[1]), both = least < INFINITY ? least : 0;
    const double some = both > 0 ? both : larger(a[0], a[1]);
    for (ptrdiff_t j = 0; j < s->n; j++) s->lambda[j] = both * rhs(s, j);
    if (task->multiplier) copy(s->n, task->multiplier, s->lambda);
    s->beta = task->beta > 0 ? task->beta : some > 0 && some < INFINITY ? 2.5 * some : 1;
    for (int i = 0; i < 2; i++)
        if (s->c->step[i] < INFINITY)
            s->least = larger(s->least, 1.01 / (square(s->scale[i]) * s->c->step[i]));
    s->beta = larger(s->beta, s->least);
    s->primal = s->dual = s->ratio = INFINITY;
    return true;
}

static void carve(void *self, crs_carver *k)
{
    splitting *s = self;
    s->x = carve_doubles(k, s->n, 2);
    s->v = carve_doubles(k, s->n, 2);
    s->g = carve_doubles(k, s->n, 2);
    s->lambda = carve_doubles(k, s->n, 1);
    s->before = carve_doubles(k, s->n, 1);
}

static void splitting_close(void *self)
{
    splitting *s = self;
    if (!s) return;
    crs_free(s->memory);
    crs_free(s);
}

static void *splitting_open(const crs_task *task, crease_error *e)
{
    splitting *s = crs_alloc(1, sizeof *s);
    if (s) {
        *s = (splitting){ .c = task->c, .tolerance = task->tolerance, .feasible = task->feasible };
        s->n = s->c->at[1];
        s->b = s->c->constraint->rhs;
        for (int i = 0; i < 2; i++) s->scale[i] = scale_of(s->c, i);
        s->memory = carve_block(carve, s);
    }
    if (s && s->memory) {
        copy(s->c->n, task->start, s->x);
        if (choose_start(s, task)) return s;
    }
    crs_fail(e, CREASE_NO_MEMORY, "no memory for the steps of splitting");
    splitting_close(s);
    return NULL;
}

const crs_core crs_core_splitting = {
    .name = "splitting",
    .patience = 10, /* residuals of its points go up and down */
    .needs = "f = 0, two blocks and a constraint c_1 x_1 + c_2 x_2 = b with numbers c_i",
    .constrained = true,
    .suits = suits,
    .open = splitting_open,
    .step = step,
    .stand = stand,
    .close = splitting_close,
    .visit = visit,
};
