/* SPDX-License-Identifier: MIT
 * extension.h: any affine constraint, by a slack block of its own
 *
 *     min f + sum r_i + (mu/2)|y|^2   s.t.  sum A_i x_i + y = b
 *
 * The slack is the last block: A_{N+1} = I, f quadratic in it. Nothing is asked of the A_i or r_i
 * (Jiang, Lin, Ma, Zhang 2019, section 4.1). */
#ifndef CRS_EXTENSION_H
#define CRS_EXTENSION_H

#include "problem/problem.h"

typedef struct {
    crease_problem problem; /* the N+1 blocks */
    double mu;
    crease_block *block;
    crease_space *space;
    double *center; /* the penalty is (mu/2)|y - center|^2; zero at first */
    crease_distance_data half_square;
    crease_smooth term[2];
    crease_smooth_list sum;
} crs_extension;

/* Borrows p. */
crs_extension *crs_extension_new(const crease_problem *p, double mu, crease_error *e);
void crs_extension_free(crs_extension *x);
void crs_extension_set_mu(crs_extension *x, double mu);

/* center = -lambda/mu: then y = 0 goes with the multiplier lambda, as in the method of
 * multipliers, and feasibility needs no large mu. */
void crs_extension_set_multiplier(crs_extension *x, const double *lambda);

#endif
