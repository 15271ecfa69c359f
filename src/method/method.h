/* SPDX-License-Identifier: MIT
 * method.h: the state of a run, and the moves that methods are made of (moves.c). Every move
 * keeps s = sum A_i x_i - b. */
#ifndef CRS_METHOD_H
#define CRS_METHOD_H

#include <crease/analysis.h>

#include "problem/problem.h"

typedef struct {
    const crease_problem *p;
    const crease_analysis *a;
    double **x;         /* the iterate */
    double **was;       /* the point the last step started from */
    double **to;        /* a third point: directions, candidates */
    double *lambda, *s; /* multiplier and residual of the constraint */
    double *guess;      /* L_i-hat of blocks without a known constant */
    double *g, *v, *y;  /* vectors of the largest block */
    double *m;          /* a vector of the constraint */
    double *solve;      /* memory of the last block's linear solver */
    double *work;       /* for operations */
    double gap;         /* of GCG: -psi_S at the point the last step started from */
    double rho_guess;   /* of GCG */
    long evaluations;   /* of f or one of its block gradients */
} crs_state;

typedef struct {
    const char *name;
    bool accelerate; /* extrapolation is safe for it */
    ptrdiff_t (*solver_size)(const crease_problem *p, const crease_analysis *a); /* NULL: 0 */
    bool (*prepare)(crs_state *st, crease_error *e);                             /* NULL: nothing */
    void (*step)(crs_state *st);
} crs_method;

extern const crs_method crs_gcg, crs_admm_g, crs_admm_m, crs_admm_exact, crs_bcd;
const crs_method *crs_method_for(const crease_analysis *a);

static inline const double *const *points(double *const *x) { return (const double *const *)x; }

/* g = grad_i f(x) - A_i'(lambda - beta s): the gradient of the augmented Lagrangian but for r_i. */
void crs_lagrangian_grad(crs_state *st, int i, double *g);

/* x_i <- y, s along with it. */
void crs_move_to(crs_state *st, int i, const double *y);

/* Step 1 of every method: x_i <- argmin of the augmented Lagrangian + (1/2)|x_i - x_i^k|_{H_i}^2,
 * exactly or with f linearized, as the plan of block i says. */
void crs_block_step(crs_state *st, int i);

/* Steps 1 and 3 of the ADMMs. */
void crs_all_blocks_but_last(crs_state *st);
void crs_multiplier_step(crs_state *st);

/* f + sum r_i - <lambda, s> + (beta/2)|s|^2, with the memory term of the method's theorem. */
double crs_potential(crs_state *st);

/* Puts lambda where a step of the method would leave it, A_N = c I: with xbar = was_N,
 *   gradient step:   c lambda = grad_N f(x_<, xbar) + (beta c^2 - 1/gamma)(xbar - x_N)
 *   majorized step:  c lambda = grad_N f(x_<, xbar) - ell (xbar - x_N)
 *   exact step:      c lambda = grad_N f(x)                                                   */
void crs_restore_multiplier(crs_state *st);

#endif
