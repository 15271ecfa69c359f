/* SPDX-License-Identifier: MIT
 * random_problem.h: random admissible problems of the paper, small and nonconvex
 *
 * 2 to 6 blocks: penalties on the whole space and on unbounded sets (setting 2), Lipschitz ones on
 * compact sets (setting 1), free blocks, blocks outside the constraint; maps dense, c I or none; f
 * a sum of a loss of a random predictor, quadratics, and nothing at all in some blocks. */
#ifndef CREASE_TEST_RANDOM_PROBLEM_H
#define CREASE_TEST_RANDOM_PROBLEM_H

#include <crease/certificate.h>

#include "reg/reg.h"
#include "support/test.h"

/* Sanitizers look for faults, not for rare numbers: fewer problems do there. */
#ifdef __SANITIZE_ADDRESS__
enum { SLOWDOWN = 20 };
#else
enum { SLOWDOWN = 1 };
#endif

enum { MOST = 6, ENTRIES = 6, TERMS = 4 };

/* What is asked of the last block: A_N = c I or of full row rank, and how f depends on it. */
typedef enum { NO_CONSTRAINT, SCALED_IDENTITY, FULL_ROW_RANK, ANY_MAPS } constraint;
typedef enum { COUPLED, SEPARABLE, QUADRATIC } dependence;

typedef struct {
    draws d;
    crease_problem p;
    crease_space space[MOST];
    crease_block block[MOST];
    crease_set set[MOST];
    double map[MOST][ENTRIES * ENTRIES], start[MOST][ENTRIES], rhs[ENTRIES];
    crease_smooth term[TERMS];
    crease_smooth_list sum;
    crease_predictor loss[2];
    crease_map loss_map[2][MOST];
    int loss_block[2][MOST];
    double weight[2][MOST][ENTRIES * ENTRIES], target[2][ENTRIES];
    crease_quadratic_data quadratic[2];
    int row[2][MOST * MOST], col[2][MOST * MOST];
    const double *matrix[2][MOST * MOST], *linear[2][MOST];
    double hessian[2][MOST * MOST][ENTRIES * ENTRIES], slope[2][MOST][ENTRIES];
    crease_distance_data distance;
} random_problem;

static inline int pick(draws *d, int n) { return (int)floor(uniform(d, 0, n)); }
static inline bool chance(draws *d, double p) { return uniform(d, 0, 1) < p; }

static inline crease_reg random_reg(draws *d)
{
    const double lambda = exp(uniform(d, -2, 0.7)), shape = uniform(d, 0.3, 2);
    switch (pick(d, 14)) {
    case 0:
        return crease_l1(lambda);
    case 1:
        return crease_elastic_net(lambda, shape);
    case 2:
        return crease_l0(lambda);
    case 3:
        return crease_l_half(lambda);
    case 4:
        return crease_l_two_thirds(lambda);
    case 5:
        return crease_lq(lambda, uniform(d, 0.1, 0.9));
    case 6:
        return crease_huber(lambda, shape);
    case 7:
        return crease_nonneg(&crs_scad, (double[CREASE_PARS]){ lambda, 2.5 + shape });
    case 8:
        return crease_scad(lambda, 2.2 + shape);
    case 9:
        return crease_mcp(lambda, 1 + shape);
    case 10:
        return crease_lsp(lambda, shape);
    case 11:
        return crease_capped_l1(lambda, shape);
    case 12:
        return crease_tv1d(lambda);
    default:
        return crease_zero();
    }
}

static const double slanted[ENTRIES] = { 0.8, -0.5, 1.1, 0, -0.9, 0.3 };

static inline crease_set random_set(draws *d)
{
    const double radius = exp(uniform(d, -1, 1));
    switch (pick(d, 15)) {
    case 0:
        return crease_box(-radius, uniform(d, 0.2, 2));
    case 1:
        return crease_box(uniform(d, 0.1, 0.5), 0.5 + radius);
    case 2:
        return crease_l1_ball(radius);
    case 3:
        return crease_l2_ball(radius);
    case 4:
        return crease_linf_ball(radius);
    case 5:
        return crease_simplex(radius);
    case 6:
        return crease_full_simplex(radius);
    case 7:
        return crease_lp_ball(radius, 3);
    case 8:
        return crease_half_space(slanted, radius - 1);
    case 9:
        return crease_hyperplane(slanted, radius - 1);
    case 10:
        return crease_box_hyperplane(-radius, 2 * radius, slanted, 0);
    case 11:
        return crease_soc();
    case 12:
        return crease_capped_soc(radius);
    case 13:
        return crease_l0_ball(1 + pick(d, 3));
    default:
        return crease_capped_simplex(1);
    }
}

/* A regularizer, a set, or a pair of them with an exact joint prox and a certificate. */
static inline void random_block(random_problem *q, int i)
{
    draws *d = &q->d;
    crease_block *b = &q->block[i];
    normals(d, ENTRIES, 1, q->start[i]);
    b->start = chance(d, 0.8) ? q->start[i] : NULL;
    b->reg = random_reg(d);
    if (chance(d, 0.5)) return;
    do {
        b->reg = random_reg(d);
        q->set[i] = random_set(d);
        b->set = &q->set[i];
    } while (!crease_joint_check(&b->reg, b->set, &q->space[i], NULL, NULL) ||
             crease_setting(&q->p, i, NULL) == 0);
}

static inline bool compact(const random_problem *q, int i)
{
    return q->block[i].set && q->set[i].ops->diameter(&q->set[i], &q->space[i], 2) < INFINITY;
}

static inline crease_map random_map(random_problem *q, int i, constraint kind)
{
    static const double scale[] = { 1, -1, 0.5, -2 };
    draws *d = &q->d;
    const ptrdiff_t m = crease_size(&q->p.range), n = crease_size(&q->space[i]);
    const bool last = i == q->p.count - 1;
    normals(d, m * n, last ? 0.3 : 1 / sqrt((double)n), q->map[i]);
    if (last && kind == SCALED_IDENTITY) return crease_identity(scale[pick(d, 4)]);
    if (last && kind == FULL_ROW_RANK)
        for (ptrdiff_t j = 0; j < m; j++) q->map[i][j * n + j] += 1;
    if (!last && chance(d, 0.15)) return (crease_map){ 0 };
    if (!last && m == n && chance(d, 0.4)) return crease_identity(scale[pick(d, 4)]);
    return crease_dense(q->map[i]);
}

/* The blocks with their maps; the last one is free when the constraint asks something of it. */
static inline void random_blocks(random_problem *q, constraint kind)
{
    draws *d = &q->d;
    const int N = q->p.count;
    const ptrdiff_t m = 2 + pick(d, 3);
    if (kind != NO_CONSTRAINT) q->p.range = crease_vector(m);
    for (int i = 0; i < N; i++) {
        const bool last = i == N - 1 && (kind == SCALED_IDENTITY || kind == FULL_ROW_RANK);
        const ptrdiff_t n = kind == SCALED_IDENTITY && last ? m : last ? m + pick(d, 3) : 2;
        q->space[i] = crease_vector(last || kind == NO_CONSTRAINT ? n : n + pick(d, 4));
        if (kind == NO_CONSTRAINT) q->space[i] = crease_vector(2 + pick(d, 4));
        if (last || chance(d, 0.1))
            normals(d, ENTRIES, 1, q->start[i]), q->block[i].start = q->start[i];
        else
            random_block(q, i);
        if (kind != NO_CONSTRAINT) q->block[i].map = random_map(q, i, kind);
    }
    if (kind == ANY_MAPS && !q->block[0].map.ops) q->block[0].map = crease_dense(q->map[0]);
    normals(d, m, 1, q->rhs);
    q->p.rhs = chance(d, 0.8) ? q->rhs : NULL;
}

#endif
