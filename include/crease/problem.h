/* SPDX-License-Identifier: MIT
 * problem.h: a whole problem, as plain borrowed data
 *
 *     minimize    f(x_1, ..., x_N) + sum_i r_i(x_i)
 *     subject to  sum_i A_i x_i = b,   x_i in X_i                                             */
#ifndef CREASE_PROBLEM_H
#define CREASE_PROBLEM_H

#include <crease/set.h>
#include <crease/smooth.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    const char *name;      /* for messages; NULL: x1, x2, ... */
    crease_reg reg;        /* ops NULL: r_i = 0 */
    const crease_set *set; /* NULL: the whole space */
    crease_map map;        /* ops NULL: the block is not in the constraint */
    const double *start;   /* NULL: zero; for a factor of a product random, by the seed */
} crease_block;

typedef struct {
    int count;
    const crease_space *space; /* one per block */
    const crease_block *block;
    crease_smooth f;    /* ops NULL: f = 0 */
    crease_space range; /* of the constraint; order 0: there is none */
    const double *rhs;  /* NULL: zero */
} crease_problem;

/* Everything about the problem that can be wrong without running it, in one sentence. */
CREASE_API bool crease_problem_check(const crease_problem *p, crease_error *e);

/* f(x) + sum_i r_i(x_i); +INFINITY outside the domain of some r_i. */
CREASE_API bool crease_objective(const crease_problem *p, const double *const *x, double *value,
                                 crease_error *e);

#ifdef __cplusplus
}
#endif

#endif
