/* SPDX-License-Identifier: MIT
 * random_coupling.h: random smooth couplings, bounded below on the region of the blocks */
#ifndef CREASE_TEST_RANDOM_COUPLING_H
#define CREASE_TEST_RANDOM_COUPLING_H

#include "paper/random_problem.h"

static inline crease_smooth random_loss(draws *d, const crease_predictor *p)
{
    switch (pick(d, 7)) {
    case 0:
        return crease_least_squares(p);
    case 1:
        return crease_cauchy(p);
    case 2:
        return crease_welsch(p);
    case 3:
        return crease_geman(p);
    case 4:
        return crease_tukey(p);
    case 5:
        return crease_huber_loss(p, uniform(d, 0.3, 1));
    default:
        return crease_logistic(p);
    }
}

/* Loss k of a random predictor over the blocks that `use` names. */
static inline void add_loss(random_problem *q, int k, const bool *use)
{
    draws *d = &q->d;
    const ptrdiff_t m = 2 + pick(d, ENTRIES - 1);
    const double scale = exp(uniform(d, -1, 0.3));
    crease_predictor *p = &q->loss[k];
    *p = (crease_predictor){ 0,   q->loss_block[k], q->loss_map[k], crease_vector(m), q->target[k],
                             NULL };
    for (int i = 0; i < q->p.count; i++) {
        if (!use[i]) continue;
        normals(d, ENTRIES * ENTRIES, scale / 2, q->weight[k][i]);
        q->loss_map[k][p->count] = crease_dense(q->weight[k][i]);
        q->loss_block[k][p->count++] = i;
    }
    q->term[q->sum.count] = random_loss(d, p);
    const bool labels = strcmp(q->term[q->sum.count++].ops->name, "logistic") == 0;
    for (int j = 0; j < ENTRIES; j++)
        q->target[k][j] = labels ? (chance(d, 0.5) ? 1 : -1) : normal(d);
}

static inline void symmetrize(ptrdiff_t n, double shift, double *a)
{
    for (ptrdiff_t i = 0; i < n; i++) {
        for (ptrdiff_t j = 0; j < i; j++) a[i * n + j] = a[j * n + i];
        a[i * n + i] += shift;
    }
}

/* Quadratic k over the blocks named: indefinite, or with `shift` so large that it is definite. */
static inline void add_quadratic(random_problem *q, int k, const bool *use, double scale,
                                 double shift)
{
    draws *d = &q->d;
    int count = 0;
    for (int i = 0; i < q->p.count; i++) {
        for (int j = i; use[i] && j < q->p.count; j++) {
            if (!use[j] || (i != j && chance(d, 0.4))) continue;
            double *a = q->hessian[k][count];
            normals(d, ENTRIES * ENTRIES, scale, a);
            if (i == j) symmetrize(crease_size(&q->space[i]), shift, a);
            q->row[k][count] = i, q->col[k][count] = j;
            q->matrix[k][count++] = a;
        }
        if (!use[i]) continue;
        normals(d, ENTRIES, 1, q->slope[k][i]);
        q->linear[k][i] = q->slope[k][i];
    }
    q->quadratic[k] = (crease_quadratic_data){ count,        q->row[k],    q->col[k],
                                               q->matrix[k], q->linear[k], q->p.count };
    q->term[q->sum.count++] = crease_quadratic(&q->quadratic[k]);
}

/* (1/2)|W x_N - c|^2 with W of zeros and ones: a singular Hessian */
static inline void add_masked(random_problem *q, int N)
{
    for (int j = 0; j < ENTRIES; j++) q->weight[1][0][j] = chance(&q->d, 0.6);
    normals(&q->d, ENTRIES, 1, q->target[1]);
    q->loss_map[1][0] = crease_mask(q->weight[1][0]);
    q->loss_block[1][0] = N;
    q->loss[1] =
        (crease_predictor){ 1, q->loss_block[1], q->loss_map[1], q->space[N], q->target[1], NULL };
    q->term[q->sum.count++] = crease_least_squares(&q->loss[1]);
}

/* What f is in the last block alone; now and then nothing. */
static inline void add_last(random_problem *q, dependence how)
{
    const int N = q->p.count - 1;
    bool only[MOST] = { 0 };
    only[N] = true;
    if (how == SEPARABLE && chance(&q->d, 0.1)) return;
    if (how == QUADRATIC && chance(&q->d, 0.3)) {
        add_masked(q, N);
        return;
    }
    if (how == SEPARABLE) {
        add_loss(q, 1, only);
    } else if (chance(&q->d, 0.3)) {
        q->distance = (crease_distance_data){ N, -1, exp(uniform(&q->d, -1, 1)), q->slope[1][0] };
        normals(&q->d, ENTRIES, 1, q->slope[1][0]);
        q->term[q->sum.count++] = crease_squared_distance(&q->distance);
    } else {
        add_quadratic(q, 1, only, 0.3, uniform(&q->d, 2.5, 4));
    }
}

/* A loss over random blocks, an indefinite quadratic over the bounded ones or a definite one, and
 * what depends on the last block alone. */
static inline void random_coupling(random_problem *q, constraint kind, dependence how)
{
    draws *d = &q->d;
    const int N = q->p.count;
    const bool special = kind == SCALED_IDENTITY || kind == FULL_ROW_RANK;
    bool use[MOST] = { 0 }, bounded[MOST] = { 0 }, any = false, any_bounded = false;
    for (int i = 0; i < N; i++) {
        use[i] = special && i == N - 1                 ? how == COUPLED
                 : special && i == 0 && how == COUPLED ? true
                                                       : chance(d, 0.8);
        any = any || use[i];
        bounded[i] = compact(q, i);
        any_bounded = any_bounded || bounded[i];
    }
    if (any) add_loss(q, 0, use);
    if (any_bounded && chance(d, 0.7)) add_quadratic(q, 0, bounded, 0.5, 0);
    if (special && how != COUPLED) add_last(q, how);
    if (special && how == COUPLED && chance(d, 0.3))
        add_quadratic(q, 1, use, 0.15, uniform(d, 2.5, 4));
    q->sum.term = q->term;
    if (q->sum.count > 0) q->p.f = crease_smooth_sum(&q->sum);
    if (q->sum.count == 1) q->p.f = q->term[0];
}

static inline void draw_problem(random_problem *q, uint64_t seed, constraint kind, dependence how)
{
    *q = (random_problem){ .d = { .r = { .seed = seed, .stream = 7 } } };
    q->p = (crease_problem){ .count = 2 + pick(&q->d, MOST - 1),
                             .space = q->space,
                             .block = q->block };
    random_blocks(q, kind);
    random_coupling(q, kind, how);
}

#endif
