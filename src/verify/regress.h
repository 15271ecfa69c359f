/* SPDX-License-Identifier: MIT
 * regress.h: the design of a claimed regression, made anew by regress.c from X and y */
#ifndef CRS_VERIFY_REGRESS_H
#define CRS_VERIFY_REGRESS_H

#include <crease/regression.h>

#include "verify/num.h"

typedef struct {
    const crease_regression_claim *c;
    void *memory;
    ptrdiff_t cols, units;
    bool rows;                  /* X and y come in rows: there are none of them here */
    bool squared, centred;      /* the loss; b_0 is eliminated */
    real y_center, y_most, one; /* y_most: of the largest y; one: of the column of b_0 */
    double *z, *y, *v, *weight; /* n x cols; n; n, of mean 1; per unit */
    double *u, *shift;          /* of a sparse X: its entries are z, and to all is added u shift' */
    real *met, *low, *high;     /* per column: the weight of its entries, the least, the largest */
    real *center, *spread, *most; /* per column of X; most: its largest entry */
    ptrdiff_t *start, *index;     /* of the units */
} crs_claimed_design;

/* The claim with settings of this version; false: they are of none. */
bool crs_claimed_take(const crease_regression_claim *claim, crease_regression_claim *own,
                      crease_error *e);
/* d->c is set; d->memory is to be freed, after a failure too: of memory, or the claim makes no
 * sense. */
bool crs_claimed_build(crs_claimed_design *d, crease_error *e);
/* The first parts of that: the arrays, and units with their weights. */
bool crs_claimed_open(crs_claimed_design *d, crease_error *e);
/* rho at lambda with the weights of the units, whose groups are in g. */
crease_reg crs_claimed_penalty(const crs_claimed_design *d, double lambda, crease_groups *g);
/* 2^k, where 2^k is just above `widest` and |k| > 10; otherwise 1 */
real crs_claimed_one(double widest);
/* INVALID where the reported numbers are not those of point k. */
void crs_claimed_compare(const crs_claimed_design *d, ptrdiff_t k, crease_verification *v);
/* a = l l' in the lower half; false: a is not found to be positive definite. */
bool crs_claimed_factor(ptrdiff_t m, real *a);
/* The objective of lambda, rho(t) = s t + k t^2/2; false: it is not known to be convex. */
bool crs_claimed_convex(const crs_claimed_design *d, real lambda, real *s, real *k);
/* The point of lambda k; not relative: how stationary it is at all, whatever eps is */
bool crs_claimed_judge(const crs_claimed_design *d, ptrdiff_t k, bool relative,
                       crease_verification *out, crease_error *e);
/* The mean loss and the penalty at that point; NaN: the time was over. */
bool crs_claimed_objective(const crs_claimed_design *d, ptrdiff_t k, real *value, crease_error *e);

#endif
