/* SPDX-License-Identifier: MIT
 * tucker.h: the two halves of the Tucker coupling */
#ifndef CRS_SMOOTH_TUCKER_H
#define CRS_SMOOTH_TUCKER_H

#include "smooth/fit.h"

/* y = argmin over |C| <= radius of |T - C x_1 X_1 ... x_d X_d|^2 + (h/2)|C - V|^2. k->core is not
 * read; y may be v. */
ptrdiff_t crs_tucker_core_scratch(const crease_space *shape, const crease_space *ranks);
void crs_tucker_core_argmin(const crs_tucker *k, const double *tensor, double h, const double *v,
                            double radius, double *y, double *work);

/* An upper bound of prod |X_n|_2^2. work has crs_tucker_core_scratch doubles. */
double crs_tucker_core_curvature(const crs_tucker *k, double *work);

#endif
