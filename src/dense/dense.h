/* SPDX-License-Identifier: MIT
 * dense.h: small dense linear algebra on row-major arrays. This folder and tensor/ are the only
 * places that name BLAS or LAPACK. A decomposition of data that are not finite, or that does not
 * converge, returns false and leaves NaN in its outputs. Inputs are not changed. */
#ifndef CRS_DENSE_H
#define CRS_DENSE_H

#include "core/core.h"

/* c = alpha op(a) op(b) + beta c; op is the transpose when the flag says so. op(a) is m x k,
 * op(b) is k x n; a, b and c are contiguous. */
void crs_gemm(bool at, bool bt, ptrdiff_t m, ptrdiff_t n, ptrdiff_t k, double alpha,
              const double *a, const double *b, double beta, double *c);

/* The same by plain loops, for dimensions BLAS cannot count. */
void crs_gemm_plain(bool at, bool bt, ptrdiff_t m, ptrdiff_t n, ptrdiff_t k, double alpha,
                    const double *a, const double *b, double beta, double *c);

/* y = alpha op(a) x + beta y, a is m x n. */
void crs_gemv(bool at, ptrdiff_t m, ptrdiff_t n, double alpha, const double *a, const double *x,
              double beta, double *y);

/* g (n x n) = A'A, both triangles; a is m x n. */
void crs_gram(ptrdiff_t m, ptrdiff_t n, const double *a, double *g);

/* Thin: u is m x k, vt is k x n, s has k = min(m,n) numbers, descending. Full: u is m x m, vt is
 * n x n. a (m x n) may not overlap the outputs. */
bool crs_svd_fits(ptrdiff_t m, ptrdiff_t n); /* false: more than LAPACK can count */
ptrdiff_t crs_svd_scratch(ptrdiff_t m, ptrdiff_t n);
bool crs_svd(ptrdiff_t m, ptrdiff_t n, const double *a, double *u, double *s, double *vt,
             double *work);
bool crs_svd_full(ptrdiff_t m, ptrdiff_t n, const double *a, double *u, double *s, double *vt,
                  double *work);
bool crs_singular_values(ptrdiff_t m, ptrdiff_t n, const double *a, double *s, double *work);

/* a symmetric (n x n); w ascending; row k of q is the eigenvector of w[k]; q may be NULL. */
bool crs_eigh_fits(ptrdiff_t n);
ptrdiff_t crs_eigh_scratch(ptrdiff_t n);
bool crs_eigh(ptrdiff_t n, const double *a, double *w, double *q, double *work);

/* A v = lambda B v, both n x n: row k of v is an eigenvector; of a complex pair two neighbouring
 * rows are its real and imaginary parts, up to the sign of the latter. */
ptrdiff_t crs_pencil_scratch(ptrdiff_t n);
bool crs_pencil(ptrdiff_t n, const double *a, const double *b, double *v, double *work);

/* In place: the lower triangle of a becomes L with A = L L'; false unless safely positive:
 * every pivot above n 2^-52 times its diagonal entry. */
bool crs_cholesky(ptrdiff_t n, double *a);
/* b (n x columns, row-major) becomes A^{-1} b. */
void crs_cholesky_solve(ptrdiff_t n, const double *l, ptrdiff_t columns, double *b);
/* y (rows x n, row-major) becomes y A^{-1}. */
void crs_cholesky_solve_rows(ptrdiff_t n, const double *l, ptrdiff_t rows, double *y);

/* y = argmin over |y|_2 <= radius of sum_j e_j y_j^2/2 - c_j y_j, for e of any sign; y may be c.
 * false: there is no minimizer, or (on more than one rank) it is not unique. */
bool crs_ball_diagonal(const crease_space *s, const double *e, const double *c, double radius,
                       double *y);

/* For e >= 0 (INFINITY allowed): the least nu >= 0 with |c_j/(e_j + nu)| inside the ball. */
double crs_ball_multiplier(const crease_space *s, const double *e, const double *c, double radius);

/* y (rows x n) = B on entry becomes the argmin over |Y|_F <= radius (INFINITY: no ball) of
 * (1/2) tr(Y (G + shift I) Y') - <B, Y>; g (n x n) symmetric psd, shift >= 0. Without ball and
 * with a singular G + shift I: the Y of least norm, for a B in the range. */
ptrdiff_t crs_ballquad_scratch(ptrdiff_t rows, ptrdiff_t n);
bool crs_ballquad(ptrdiff_t rows, ptrdiff_t n, const double *g, double shift, double radius,
                  double *y, double *work);

/* Its two steps in an eigenbasis. Ascending eigenvalues within rounding of 0 become 0; then
 * e >= 0 becomes the divisors: y_k = s_k / e_k minimizes sum (1/2) e_k y_k^2 - s_k y_k over
 * |y| <= radius. */
void crs_clean_spectrum(ptrdiff_t n, double *w);
void crs_secular(ptrdiff_t n, const double *s, double *e, double radius);

/* y (rows x n) = B on entry becomes B pinv(G); g (n x n) symmetric, work of crs_ballquad_scratch.
 * Eigenvalues of at most the limit in magnitude count as 0; w ascending. */
bool crs_pinv_apply(ptrdiff_t rows, ptrdiff_t n, const double *g, double *y, double *work);
double crs_pinv_limit(ptrdiff_t n, const double *w);

/* An upper bound of |A|_2, safe under rounding: never above min(|A|_F, sqrt(|A|_1 |A|_inf)) by
 * more than rounding, and by the eigenvalues of the smaller Gram matrix while
 * min(m,n) <= CRS_GRAM_LIMIT. Data that are not finite are refused. Allocates. */
enum { CRS_GRAM_LIMIT = 1500 };
bool crs_norm_bound(ptrdiff_t m, ptrdiff_t n, const double *a, double *bound, crease_error *e);

/* A lower bound >= 0 of lambda_min(A A'), safe under rounding; 0 when m > n or
 * m > CRS_GRAM_LIMIT. Refuses and allocates like the other bound. */
bool crs_sigma_min_bound(ptrdiff_t m, ptrdiff_t n, const double *a, double *bound, crease_error *e);

#endif
