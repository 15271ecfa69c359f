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
    bool squared, centred;      /* the loss; b_0 is eliminated */
    real y_center, one;         /* one: of the column of b_0 */
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
/* The point of lambda k; not relative: how stationary it is at all, whatever eps is */
bool crs_claimed_judge(const crs_claimed_design *d, ptrdiff_t k, bool relative,
                       crease_verification *out, crease_error *e);
/* The mean loss and the penalty at that point; NaN: the time was over. */
bool crs_claimed_objective(const crs_claimed_design *d, ptrdiff_t k, real *value, crease_error *e);

#endif
