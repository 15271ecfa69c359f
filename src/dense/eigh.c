/* SPDX-License-Identifier: MIT
 * eigh: symmetric eigenvalue problems and positive definite systems */
#include <float.h>
#include <lapacke.h>
#include <limits.h>

#include "dense/dense.h"

static ptrdiff_t lapack_work(ptrdiff_t n) { return 1 + 6 * n + 2 * n * n + 64 * n; }
static ptrdiff_t integer_work(ptrdiff_t n) { return 3 + 5 * n; }

bool crs_eigh_fits(ptrdiff_t n) { return n < INT_MAX / 8 && lapack_work(n) <= INT_MAX; }
ptrdiff_t crs_eigh_scratch(ptrdiff_t n) { return n * n + lapack_work(n) + integer_work(n); }

static bool decompose(ptrdiff_t n, const double *a, double *w, double *q, double *work)
{
    double *copied = q ? q : work, *lapack = work + n * n;
    lapack_int *integers = (lapack_int *)(void *)(lapack + lapack_work(n));
    if (!crs_eigh_fits(n) || !crs_all_finite(n * n, a))
        return false; /* dsyevd accepts NaN and reports success */
    copy(n * n, a, copied);
    return LAPACKE_dsyevd_work(LAPACK_COL_MAJOR, q ? 'V' : 'N', 'L', (lapack_int)n, copied,
                               (lapack_int)n, w, lapack, (lapack_int)lapack_work(n), integers,
                               (lapack_int)integer_work(n)) == 0 &&
           crs_all_finite(n, w);
}

bool crs_eigh(ptrdiff_t n, const double *a, double *w, double *q, double *work)
{
    if (decompose(n, a, w, q, work)) return true;
    fill(n, NAN, w);
    if (q) fill(n * n, NAN, q);
    return false;
}

/* A pivot this small against its diagonal entry is rounding: A is singular as far as doubles can
 * tell. A_jj is the sum of the squares of row j of L. */
static bool pivot_is_safe(ptrdiff_t n, const double *row, ptrdiff_t j)
{
    const double norm = crs_norm(j + 1, row), least = sqrt((double)n * DBL_EPSILON) * norm;
    return row[j] > least && row[j] < INFINITY;
}

bool crs_cholesky(ptrdiff_t n, double *a)
{
    if (n > INT_MAX || !crs_all_finite(n * n, a)) return false; /* dpotrf lets NaN through */
    if (LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'U', (lapack_int)n, a, (lapack_int)n) != 0)
        return false;
    for (ptrdiff_t j = 0; j < n; j++)
        if (!pivot_is_safe(n, a + j * n, j)) return false;
    return true;
}
