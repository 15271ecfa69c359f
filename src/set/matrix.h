/* SPDX-License-Identifier: MIT
 * matrix.h: what the sets of matrices share */
#ifndef CRS_SET_MATRIX_H
#define CRS_SET_MATRIX_H

#include "dense/dense.h"
#include "set/set.h"

/* The whole matrix is held here; it is square besides. */
bool crs_matrix_whole(const crease_set *c, const crease_space *s, crease_error *e);
bool crs_matrix_square(const crease_set *c, const crease_space *s, crease_error *e);

/* The min(m,n) singular values of x at the start of work (crs_thin_scratch doubles), NaN when x is
 * not finite; and their sum. */
const double *crs_spectrum(const crease_space *s, const double *x, double *work);
double crs_spectrum_sum(const crease_space *s, const double *sigma);

#endif
