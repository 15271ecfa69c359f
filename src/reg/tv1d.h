/* SPDX-License-Identifier: MIT
 * tv1d.h: the inner algorithm of the total variation on the line */
#ifndef CRS_TV1D_H
#define CRS_TV1D_H

#include "reg/reg.h"

/* x = argmin lambda sum_j |x_{j+1} - x_j| + |x-v|^2/2; x may be v. Data that are not finite give
 * NaN everywhere. */
void crs_tv1d_denoise(ptrdiff_t n, double lambda, const double *v, double *x);

#endif
