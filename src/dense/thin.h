/* SPDX-License-Identifier: MIT
 * thin.h: A = U diag(s) V' with k = min(m,n) columns, and matrices made from its factors */
#ifndef CRS_THIN_H
#define CRS_THIN_H

#include "dense/dense.h"

typedef struct {
    ptrdiff_t m, n, k;
    double *u, *s, *vt; /* m x k, k, k x n */
    double *work;       /* crs_svd_scratch(m, n) doubles, free between the calls */
} crs_thin;

ptrdiff_t crs_thin_scratch(ptrdiff_t m, ptrdiff_t n);

/* The factors of a in memory of crs_thin_scratch(m, n) doubles; false: they are NaN. */
bool crs_thin_svd(ptrdiff_t m, ptrdiff_t n, const double *a, double *work, crs_thin *f);

/* How many singular values are not rounding: those above max(m,n) 2^-52 s_1. The zeros that a
 * shrinkage puts into s come back from a new decomposition as noise below that. */
ptrdiff_t crs_thin_rank(const crs_thin *f);

/* Only the first r columns of u remain, contiguous: u is m x r afterwards. */
void crs_thin_truncate(crs_thin *f, ptrdiff_t r);

/* x = U diag(d) V', exactly zero when d is; uses the factors up. x may be what was decomposed. */
void crs_thin_compose(crs_thin *f, const double *d, double *x);

#endif
