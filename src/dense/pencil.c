/* SPDX-License-Identifier: MIT
 * pencil: generalized eigenvectors of two square matrices, A v = lambda B v, by the QZ algorithm
 *
 * Moler, Stewart, An algorithm for generalized matrix eigenvalue problems, 1973. */
#include <lapacke.h>
#include <limits.h>

#include "dense/dense.h"

static ptrdiff_t lapack_work(ptrdiff_t n) { return 8 * n + 64 * n + 16; }

ptrdiff_t crs_pencil_scratch(ptrdiff_t n) { return 2 * n * n + 3 * n + lapack_work(n); }

/* LAPACK sees A' and B': its left eigenvectors u, with u^H A' = lambda u^H B', are ours. */
static bool solve(ptrdiff_t n, const double *a, const double *b, double *v, double *work)
{
    double *p = work, *q = p + n * n, *re = q + n * n, *im = re + n, *beta = im + n;
    double *lapack = beta + n, unused;
    if (n > INT_MAX / 128 || !crs_all_finite(n * n, a) || !crs_all_finite(n * n, b)) return false;
    copy(n * n, a, p);
    copy(n * n, b, q);
    const lapack_int k = (lapack_int)n;
    return LAPACKE_dggev_work(LAPACK_COL_MAJOR, 'V', 'N', k, p, k, q, k, re, im, beta, v, k,
                              &unused, 1, lapack, (lapack_int)lapack_work(n)) == 0 &&
           crs_all_finite(n * n, v);
}

bool crs_pencil(ptrdiff_t n, const double *a, const double *b, double *v, double *work)
{
    if (solve(n, a, b, v, work)) return true;
    fill(n * n, NAN, v);
    return false;
}
