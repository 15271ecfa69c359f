/* SPDX-License-Identifier: MIT
 * extreme.h: one end of a spectrum: the pair that attains it, and proofs that nothing is beyond */
#ifndef CRS_EXTREME_H
#define CRS_EXTREME_H

#include "dense/dense.h"

/* The largest singular triplet; residual >= |Av - sigma u| and |A'u - sigma v|, the rounding of
 * its evaluation estimated. It says that some singular value is near sigma; only crs_certify_norm
 * proves that none is larger. Zero matrix: first unit vectors. a may not overlap u or v. */
ptrdiff_t crs_top_singular_scratch(ptrdiff_t m, ptrdiff_t n);
bool crs_top_singular(ptrdiff_t m, ptrdiff_t n, const double *a, double *u, double *v,
                      double *sigma, double *residual, double *work);

/* The lowest eigenpair of a symmetric matrix; residual >= |Aq - lambda q| likewise. */
ptrdiff_t crs_bottom_eigen_scratch(ptrdiff_t n);
bool crs_bottom_eigen(ptrdiff_t n, const double *a, double *q, double *lambda, double *residual,
                      double *work);

/* min(m,n); a power of two that brings peak > 0 near 1; g (k x k, k = min(m,n)) becomes the
 * smaller of B'B and BB' for B = scale A. */
ptrdiff_t crs_short_side(ptrdiff_t m, ptrdiff_t n);
double crs_unit_scale(double peak);
ptrdiff_t crs_short_gram_scratch(ptrdiff_t m, ptrdiff_t n);
void crs_short_gram(ptrdiff_t m, ptrdiff_t n, const double *a, double scale, double *g,
                    double *work);

/* True proves |W|_2 <= bound, or lambda_max <= bound for a symmetric a; rounding included. */
ptrdiff_t crs_certify_scratch(ptrdiff_t m, ptrdiff_t n);
bool crs_certify_norm(ptrdiff_t m, ptrdiff_t n, const double *w, double bound, double *work);
bool crs_certify_eigen(ptrdiff_t n, const double *a, double bound, double *work);

/* Bounds that passed these proofs, close above |A|_2 and lambda_max; NaN for bad data. */
ptrdiff_t crs_proved_scratch(ptrdiff_t m, ptrdiff_t n);
double crs_proved_norm(ptrdiff_t m, ptrdiff_t n, const double *a, double *work);
double crs_proved_eigen(ptrdiff_t n, const double *a, double *work);

#endif
