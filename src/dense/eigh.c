/* SPDX-License-Identifier: MIT
 * eigh: symmetric eigenvalue problems and positive definite systems */
#include <lapacke.h>

#include "dense/dense.h"

static ptrdiff_t lapack_work(ptrdiff_t n) { return 1 + 6 * n + 2 * n * n + 64 * n; }
static ptrdiff_t integer_work(ptrdiff_t n) { return 3 + 5 * n; }

ptrdiff_t crs_eigh_scratch(ptrdiff_t n) { return n * n + lapack_work(n) + integer_work(n); }

static bool decompose(ptrdiff_t n, const double *a, double *w, double *q, double *work)
{
    double *copied = q ? q : work, *lapack = work + n * n;
    lapack_int *integers = (lapack_int *)(void *)(lapack + lapack_work(n));
    if (!crs_all_finite(n * n, a)) return false; /* dsyevd accepts NaN and reports success */
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

bool crs_cholesky(ptrdiff_t n, double *a)
{
    if (!crs_all_finite(n * n, a)) return false; /* dpotrf accepts NaN and reports success */
    if (LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'U', (lapack_int)n, a, (lapack_int)n) != 0)
        return false;
    for (ptrdiff_t j = 0; j < n; j++)
        if (!(a[j * n + j] > 0 && a[j * n + j] < INFINITY)) return false;
    return true;
}

void crs_cholesky_solve(ptrdiff_t n, const double *l, ptrdiff_t columns, double *b)
{
    /* L of the row-major lower triangle; b is row-major, so solve from the left by cblas. */
    LAPACKE_dpotrs_work(LAPACK_ROW_MAJOR, 'L', (lapack_int)n, (lapack_int)columns, l, (lapack_int)n,
                        b, (lapack_int)columns);
}
