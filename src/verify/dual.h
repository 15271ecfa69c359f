/* SPDX-License-Identifier: MIT
 * dual.h: <c, y> + sum_j a_j |y_j| + (b_j/2) y_j^2 on a set */
#ifndef CRS_DUAL_H
#define CRS_DUAL_H

#include "verify/verify.h"

typedef struct {
    ptrdiff_t n;
    const crease_space *s;
    const crease_set *set;
    const real *c;
    bool zero, linear, curved; /* a = b = 0; b = 0; b > 0 */
    const real *a, *b;
} crs_model;

/* The least value for b > 0, from below; false: not for this set. */
bool crs_dual_least(const crs_model *m, real *least);

#endif
