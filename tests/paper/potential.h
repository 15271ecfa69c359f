/* SPDX-License-Identifier: MIT
 * potential.h: the augmented Lagrangian, the moves and kappa_4 of a run's iterate, recomputed from
 * (x, lambda) and the parts of the problem */
#ifndef CREASE_TEST_POTENTIAL_H
#define CREASE_TEST_POTENTIAL_H

#include "paper/random_coupling.h"
#include "solve/solver.h"

static inline double residual_of(const crease_solver *s, double *r)
{
    const crease_problem *p = s->p;
    const ptrdiff_t m = crease_size(&p->range);
    for (ptrdiff_t j = 0; j < m; j++) r[j] = p->rhs ? -p->rhs[j] : 0;
    for (int i = 0; i < p->count; i++) {
        const crease_map *A = &p->block[i].map;
        if (A->ops) A->ops->apply(A, &p->space[i], &p->range, 1, s->st.x[i], r, s->st.work);
    }
    return crs_norm(m, r);
}

/* f + sum r_i - <lambda, s> + (beta/2)|s|^2; *size: the sum of the terms' sizes. */
static inline double lagrangian(const crease_solver *s, double *size)
{
    const crease_problem *p = s->p;
    const crease_blocks b = { p->count, p->space, NULL };
    double r[ENTRIES];
    double value = p->f.ops ? p->f.ops->value(&p->f, &b, points(s->st.x), s->st.work) : 0;
    *size = 1 + fabs(value);
    for (int i = 0; i < p->count; i++) {
        const crease_reg *reg = &p->block[i].reg;
        const double here =
            reg->ops ? reg->ops->value(reg, &p->space[i], s->st.x[i], s->st.work) : 0;
        value += here, *size += fabs(here);
    }
    if (p->range.order == 0) return value;
    const double norm = residual_of(s, r), square_part = s->a->beta / 2 * norm * norm;
    const double inner = crs_dot(crease_size(&p->range), r, s->st.lambda);
    const double reach = crs_norm(crease_size(&p->range), s->st.lambda) * norm;
    *size += square_part + reach;
    return value + square_part - inner;
}

static inline double moved(const crease_solver *s, int i)
{
    double sum = 0;
    for (ptrdiff_t j = 0, n = crs_size(s, i); j < n; j++)
        sum += square(s->st.x[i][j] - s->st.was[i][j]);
    return sum;
}

/* sum_{i != N} |dx_i|^2 + last_weight |dx_N|^2 */
static inline double all_moved(const crease_solver *s)
{
    double sum = 0;
    for (int i = 0; i < s->p->count; i++)
        sum += (i == s->a->last ? s->a->last_weight : 1) * moved(s, i);
    return sum;
}

/* tau_i = beta |A_i|^2 + L_i + h, at least tau_least: |H_i| of a prox step is below it. */
static inline double weight_of(const crease_solver *s, int i)
{
    const crease_block_plan *plan = &s->a->block[i];
    const double beta = s->a->last >= 0 ? s->a->beta : 0;
    const double tau = beta * square(plan->map_norm) + (1 + plan->h_relative) * plan->lipschitz;
    return larger(tau + plan->h, plan->tau_least);
}

/* (L max(1, 1/|c|) + beta |A_i| (sum_{j after i} |A_j|^2)^{1/2} + |H_i|)^2, times diam^2 */
static inline double kappa_of(const crease_solver *s, int i)
{
    const crease_analysis *a = s->a;
    const crease_block_plan *plan = &a->block[i];
    const double w = a->last_weight, beta = a->last >= 0 ? a->beta : 0;
    double later = a->last >= 0 ? square(a->block[a->last].map_norm) / w : 0;
    for (int j = i + 1; j < a->count; j++)
        if (j != a->last) later += square(a->block[j].map_norm);
    const double H = plan->exact ? plan->h : weight_of(s, i);
    const double sum = a->L * larger(1, 1 / sqrt(w)) + beta * plan->map_norm * sqrt(later) + H;
    return square(sum * (plan->setting == 1 ? plan->diameter : 1));
}

#endif
