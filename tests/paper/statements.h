/* SPDX-License-Identifier: MIT
 * statements.h: the potential's memory term and the constants kappa_1, kappa_2 of each theorem,
 * written from the paper and its corrections, in u = c x_N where A_N = c I */
#ifndef CREASE_TEST_STATEMENTS_H
#define CREASE_TEST_STATEMENTS_H

#include "paper/follow.h"

/* Lipschitz constant of the gradient in u; in paper mode the joint one. */
static inline double M_of(const crease_analysis *a)
{
    const double c = fabs(a->map_scale), M = a->M / c * larger(1, 1 / c);
    return a->mode == CREASE_MODE_PAPER ? larger(M, a->L * larger(1, 1 / (c * c))) : M;
}

static inline double z_of(const crease_analysis *a)
{
    return a->beta - 1 / (a->gamma * square(a->map_scale));
}

/* (3/b)(z^2 + M^2)|u - u^{k-1}|^2 */
static inline double memory_g(const crease_analysis *a)
{
    return 3 / a->beta * (square(z_of(a)) + square(M_of(a))) * square(a->map_scale);
}

static inline double residual_g(const crease_analysis *a)
{
    const double feasible = 3 / square(a->beta) * (square(z_of(a)) + square(M_of(a)));
    return larger(feasible, square(fabs(z_of(a)) + M_of(a)) * square(a->map_scale));
}

static inline double squares_m(const crease_analysis *a)
{
    const double M = a->mode == CREASE_MODE_PAPER ? larger(a->M, a->L) : a->M;
    return 3 * (square(M) + square(a->ell)) / a->sigma_last;
}

static inline double memory_m(const crease_analysis *a) { return squares_m(a) / a->beta; }

static inline double residual_m(const crease_analysis *a)
{
    return larger(squares_m(a) / square(a->beta), square(a->ell + a->L_last));
}

static inline double L_of(const crease_analysis *a) { return a->L_last / square(a->map_scale); }

static inline double memory_r1(const crease_analysis *a)
{
    return square(L_of(a)) / a->beta * square(a->map_scale);
}

static inline double residual_r1(const crease_analysis *a)
{
    return square(L_of(a)) * larger(1 / square(a->beta), square(a->map_scale));
}

static inline double residual_r2(const crease_analysis *a)
{
    const double size = larger(fabs(a->last_low), fabs(a->last_high)) / square(a->map_scale);
    return square(size / a->beta);
}

static const statement theorem_3_12 = { "Theorem 3.12", memory_g, residual_g, 1 };
static const statement theorem_3_18 = { "Theorem 3.18", memory_m, residual_m, 1 };
static const statement r1 = { "R1", memory_r1, residual_r1, 1 };
static const statement r2 = { "R2", NULL, residual_r2, 1 };
static const statement theorem_4_5 = { "Theorem 4.5", NULL, NULL, 0 };

/* Random problems k = 0, 1, ... of the kinds in turn, followed under one statement. */
typedef struct {
    const statement *says;
    crease_method method;
    constraint kind[2];
    dependence how[2];
    long problems, iterations;
    double share; /* eps over the first residual */
    bool accelerate;
} trial;

static inline figures try_all(const trial *t, crease_mode mode)
{
    crease_options o = plain(t->method, mode, t->iterations);
    figures n = { 0 };
    random_problem q;
    o.accelerate = t->accelerate;
    for (long k = 0; k < t->problems / SLOWDOWN; k++) {
        draw_problem(&q, (uint64_t)k + 10000 * (uint64_t)mode, t->kind[k % 4 == 0],
                     t->how[k % 3 == 0]);
        o.h = k % 5 == 4 ? 1e3 : 0; /* so large that the last block's decrease counts */
        follow(&q, &o, t->says, t->share, &n);
    }
    return n;
}

static inline void hold(const trial *t, crease_mode mode)
{
    const figures n = try_all(t, mode);
    report(crease_mode_name(mode), &n);
    assert_held(&n);
}

static inline void hold_to(const trial *t, double share, crease_mode mode)
{
    trial own = *t;
    own.share = share;
    hold(&own, mode);
}

#endif
