/* SPDX-License-Identifier: MIT
 * newton: Newton's method on all factors but that of the longest mode, whose rows are eliminated
 *
 * F is in units of 2c. A product with the Hessian of F is one pass; what an index of a mode weighs
 * are the sums of max(phi'', 0)/(2c) over its entries, and an index of the lead its entries. */
#include "dense/dense.h"
#include "rpca/observed/pass.h"
#include "rpca/reduced/reduced.h"

enum { MOST_CG = 60, MOST_HALVINGS = 14 };

static ptrdiff_t size_of(const crs_observed_pass *s) { return s->rest * s->stride; }

static bool over(const void *self)
{
    const crs_observed_pass *s = self;
    return s->run->passes >= s->run->most || crease_watch_over(s->run->watch);
}

/* X, F and the gradient at Y */
static void solve_rows(crs_observed_pass *s, crs_observed_point *p)
{
    const ptrdiff_t n = size_of(s);
    crs_observed_look(s, CRS_LISTED_SOLVE, p, NULL);
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
    crs_observed_look(s, CRS_LISTED_PRODUCT, &s->at, p);
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

static crs_reduced_at known(const crs_observed_point *p)
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
    const crs_observed_point old = s->at;
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
    crs_observed_take(s, run->rank, (const double *const *)run->x, &s->at);
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
    if (isfinite(s->at.value)) crs_observed_give(s, &s->at, run->x);
    return moved;
}
