/* SPDX-License-Identifier: MIT
 * presolved.h: a problem and what presolve makes of it: any point of the reduced problem, brought
 * back, has the residuals that it has there */
#ifndef CREASE_PRESOLVED_H
#define CREASE_PRESOLVED_H

#include <crease/certificate.h>

#include "presolve/presolve.h"
#include "support/arrays.h"

enum { PRESOLVED_BLOCKS = 6 };

typedef struct {
    const crease_problem *p;
    crs_plan *plan;
    double *x, *lambda; /* of the reduced problem */
    double *X, *Lambda; /* of the user's */
    crease_residual block[PRESOLVED_BLOCKS];
    crease_certificate c; /* of X and Lambda */
} presolved;

static inline void presolved_open(presolved *s, const crease_problem *p)
{
    crease_error e = { CREASE_OK, "" };
    *s = (presolved){ .p = p };
    s->plan = crs_plan_new(p, 1, true, NULL, &e);
    if (!s->plan) fail_msg("no plan: %s", e.text);
    const crs_term *A = s->plan->c->constraint;
    s->x = doubles(s->plan->c->n);
    s->lambda = doubles(A ? A->rows : 1);
    s->X = unset_doubles(s->plan->user->n);
    s->Lambda = unset_doubles(p->range.order > 0 ? crease_size(&p->range) : 1);
    s->c.block = s->block;
}

static inline void presolved_close(presolved *s)
{
    crs_plan_free(s->plan);
    free(s->x), free(s->lambda), free(s->X), free(s->Lambda);
}

/* Any point, inside the sets and domains, with zeros. */
static inline void presolved_draw(presolved *s, draws *d)
{
    const crs_composite *c = s->plan->c;
    double *v = doubles(c->n), gamma[PRESOLVED_BLOCKS];
    for (ptrdiff_t j = 0; j < c->n; j++) v[j] = below(d, 3) ? 2 * normal(d) : 0;
    fill(PRESOLVED_BLOCKS, 1e-9, gamma);
    crs_prox(c, gamma, v, s->x);
    if (c->constraint) normals(d, c->constraint->rows, 1, s->lambda);
    free(v);
}

/* Back, and certified there by the definitions. */
static inline void presolved_back(presolved *s)
{
    const double *x[PRESOLVED_BLOCKS];
    double *work = unset_doubles(crease_certify_scratch(s->p));
    crs_plan_back(s->plan, s->x, s->lambda, s->X, s->Lambda);
    for (int i = 0; i < s->p->count; i++) x[i] = s->X + s->plan->user->at[i];
    crease_certify(s->p, x, s->p->range.order > 0 ? s->Lambda : NULL, &s->c, work);
    free(work);
}

/* |A x - b| of the reduced problem, 0 without a constraint. */
static inline double presolved_gap(const presolved *s)
{
    const crs_composite *c = s->plan->c;
    const crs_term *A = c->constraint;
    if (!A) return 0;
    double *r = doubles(A->rows);
    crs_term_products(c, A, 1, s->x, r);
    for (ptrdiff_t k = 0; A->rhs && k < A->rows; k++) r[k] -= A->rhs[k];
    const double gap = crs_norm(A->rows, r);
    free(r);
    return gap;
}

/* Up to a share of the numbers that it is a difference of. */
static inline bool same_residual(const crease_residual *r, double expected, double tolerance)
{
    const double slack = tolerance * (1 + expected + r->scale) + 2 * r->rounding;
    if (fabs(r->residual - expected) <= slack) return true;
    print_message("residual %.17g, expected %.17g, scale %g\n", r->residual, expected, r->scale);
    return false;
}

/* Residuals of the reduced blocks, by c_i = grad_i f - A_i'lambda, against the user's. */
static inline void presolved_compare(presolved *s, double tolerance)
{
    const crs_composite *c = s->plan->c;
    double *u = unset_doubles(c->rows + 1), *g = unset_doubles(c->n);
    bool kept[PRESOLVED_BLOCKS] = { false };
    crs_smooth_both(c, s->x, u, g);
    if (c->constraint) crs_term_adjoint(c, c->constraint, -1, s->lambda, g);
    for (int i = 0; i < c->count; i++) {
        const int to = crs_plan_block(s->plan, i);
        kept[to] = true;
        const double here = crs_block_residual(c, i, s->x, g);
        assert_true(same_residual(&s->block[to], here, tolerance));
    }
    for (int i = 0; i < s->p->count; i++)
        if (!kept[i]) assert_true(same_residual(&s->block[i], 0, tolerance));
    assert_true(same_residual(&s->c.feasibility, presolved_gap(s), tolerance));
    free(u), free(g);
}

#endif
