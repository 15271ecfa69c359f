/* SPDX-License-Identifier: MIT
 * dense.h: small dense linear algebra on row-major arrays. This folder and tensor/ are the only
 * places that name BLAS or LAPACK. A decomposition of data that are not finite, or that does not
 * converge, returns false and leaves NaN in its outputs. Inputs are not changed. */
#ifndef CRS_DENSE_H
#define CRS_DENSE_H

#include "core/core.h"

static inline ptrdiff_t crs_short_side(ptrdiff_t m, ptrdiff_t n) { return m < n ? m : n; }

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
/* The same in pieces: the lower triangle of g grows by A'A; at the end the upper one becomes it. */
void crs_gram_grow(ptrdiff_t m, ptrdiff_t n, const double *a, double *g);
void crs_mirror(ptrdiff_t n, double *g);

/* x = columns column[0], ..., column[p-1] of n rows of p numbers, one after the other (turn.c). The
 * same where the rows are: *rows, of crs_alloc, becomes NULL, and what is returned is to be freed;
 * x begins at a cache line in it and has room for so many columns, of which the first p are there.
 * NULL: out of memory, and nothing was changed. */
void crs_turn(ptrdiff_t n, ptrdiff_t p, const ptrdiff_t *column, const double *rows, double *x);
double *crs_turn_here(ptrdiff_t n, ptrdiff_t p, ptrdiff_t columns, const ptrdiff_t *column,
                      double **rows, double **x, crease_error *e);

/* u is m x k, vt is k x n, s has k = min(m,n) numbers, descending. a (m x n) may not overlap the
 * outputs. */
bool crs_svd_fits(ptrdiff_t m, ptrdiff_t n); /* false: more than LAPACK can count */
ptrdiff_t crs_svd_scratch(ptrdiff_t m, ptrdiff_t n);
bool crs_svd(ptrdiff_t m, ptrdiff_t n, const double *a, double *u, double *s, double *vt,
             double *work);
bool crs_singular_values(ptrdiff_t m, ptrdiff_t n, const double *a, double *s, double *work);

/* A = U diag(s) V' with k = min(m,n) columns, and matrices made from its factors. */
typedef struct {
    ptrdiff_t m, n, k;
    double *u, *s, *vt; /* m x k, k, k x n */
    double *work;       /* crs_svd_scratch(m, n) doubles, free between the calls */
} crs_thin;

ptrdiff_t crs_thin_scratch(ptrdiff_t m, ptrdiff_t n);

/* The factors of a in memory of crs_thin_scratch(m, n) doubles; false: they are NaN. */
bool crs_thin_svd(ptrdiff_t m, ptrdiff_t n, const double *a, double *work, crs_thin *f);

/* How many singular values of x, whose factors f has, are not rounding (rank.c): those above
 * max(m,n) 2^-52 s_1, and smaller ones where the rounding of x does not explain them; f has then
 * more accurate factors. The zeros that a shrinkage puts into s come back from a new decomposition
 * as such noise. */
ptrdiff_t crs_thin_rank_scratch(ptrdiff_t m, ptrdiff_t n);
ptrdiff_t crs_thin_rank(crs_thin *f, const double *x, double *work);

/* Only the first r columns of u remain, contiguous: u is m x r afterwards. */
void crs_thin_truncate(crs_thin *f, ptrdiff_t r);

/* x = U diag(d) V', exactly zero when d is; uses the factors up. x may be what was decomposed. */
void crs_thin_compose(crs_thin *f, const double *d, double *x);

/* a symmetric (n x n); w ascending; row k of q is the eigenvector of w[k]; q may be NULL. */
bool crs_eigh_fits(ptrdiff_t n);
ptrdiff_t crs_eigh_scratch(ptrdiff_t n);
bool crs_eigh(ptrdiff_t n, const double *a, double *w, double *q, double *work);

/* A = Q R, m >= n: a becomes Q, with orthonormal columns whatever the rank; r (n x n) is upper
 * triangular, NULL: not wanted. */
ptrdiff_t crs_qr_scratch(ptrdiff_t n);
bool crs_qr(ptrdiff_t m, ptrdiff_t n, double *a, double *r, double *work);

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
/* The same on every rank for the matrix of all rows, those of this one in a; by the eigenvalues of
 * A'A while n <= CRS_GRAM_LIMIT. */
bool crs_norm_bound_of_rows(const crease_space *rows, ptrdiff_t n, const double *a, double *bound,
                            crease_error *e);

/* A lower bound >= 0 of lambda_min(A A'), safe under rounding; 0 when m > n or
 * m > CRS_GRAM_LIMIT. Refuses and allocates like the other bound. */
bool crs_sigma_min_bound(ptrdiff_t m, ptrdiff_t n, const double *a, double *bound, crease_error *e);

/* One end of a spectrum (extreme.c). The largest singular triplet; residual >= |Av - sigma u| and
 * |A'u - sigma v|, the rounding of its evaluation estimated. It says that some singular value is
 * near sigma; only crs_certify_norm proves that none is larger. Zero matrix: first unit vectors. a
 * may not overlap u or v. */
ptrdiff_t crs_top_singular_scratch(ptrdiff_t m, ptrdiff_t n);
bool crs_top_singular(ptrdiff_t m, ptrdiff_t n, const double *a, double *u, double *v,
                      double *sigma, double *residual, double *work);

/* The lowest eigenpair of a symmetric matrix; residual >= |Aq - lambda q| likewise. */
ptrdiff_t crs_bottom_eigen_scratch(ptrdiff_t n);
bool crs_bottom_eigen(ptrdiff_t n, const double *a, double *q, double *lambda, double *residual,
                      double *work);

/* True proves |W|_2 <= bound, or lambda_max <= bound for a symmetric a; rounding included. */
ptrdiff_t crs_certify_scratch(ptrdiff_t m, ptrdiff_t n);
bool crs_certify_norm(ptrdiff_t m, ptrdiff_t n, const double *w, double bound, double *work);
bool crs_certify_eigen(ptrdiff_t n, const double *a, double bound, double *work);

/* The same of |A|_2 for G = A'A as computed, n x n, by sums of `length` products each, of an A
 * whose norm is near 1; and a bound that passed, close above |A|_2, NaN for bad data. */
ptrdiff_t crs_gram_proof_scratch(ptrdiff_t n);
bool crs_certify_gram(ptrdiff_t length, ptrdiff_t n, const double *g, double bound, double *work);
double crs_proved_gram(ptrdiff_t length, ptrdiff_t n, const double *g, double *work);

/* Bounds that passed these proofs, close above |A|_2 and lambda_max; NaN for bad data. */
ptrdiff_t crs_proved_scratch(ptrdiff_t m, ptrdiff_t n);
double crs_proved_norm(ptrdiff_t m, ptrdiff_t n, const double *a, double *work);
double crs_proved_eigen(ptrdiff_t n, const double *a, double *work);

/* perm minimizes sum cost[i][perm[i]]; potentials with u_i + v_j <= cost_ij, equal on the chosen
 * pairs, prove it. False when a cost, or a difference of costs, is not finite. */
ptrdiff_t crs_assignment_scratch(ptrdiff_t n);
bool crs_assignment(ptrdiff_t n, const double *cost, ptrdiff_t *perm, double *u, double *v,
                    double *work);

#endif
