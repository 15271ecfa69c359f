/* SPDX-License-Identifier: MIT
 * svd: singular value decompositions of row-major matrices
 *
 * A row-major m x n matrix is the column-major n x m matrix A' = V S U'. LAPACK's left vectors
 * of A' are then the rows of vt, its right vectors the columns of u: nothing is transposed. */
#include <lapacke.h>
#include <limits.h>

#include "dense/dense.h"

static ptrdiff_t least(ptrdiff_t a, ptrdiff_t b) { return a < b ? a : b; }
static ptrdiff_t most(ptrdiff_t a, ptrdiff_t b) { return a > b ? a : b; }

/* What dgesdd documents for every job, with room for its blocked code. */
static ptrdiff_t lapack_work(ptrdiff_t m, ptrdiff_t n)
{
    const ptrdiff_t k = least(m, n), x = most(m, n);
    return 4 * k * k + 8 * k + 65 * x;
}

bool crs_svd_fits(ptrdiff_t m, ptrdiff_t n)
{
    return m <= INT_MAX && n <= INT_MAX && least(m, n) < INT_MAX / 8 &&
           lapack_work(m, n) <= INT_MAX;
}

ptrdiff_t crs_svd_scratch(ptrdiff_t m, ptrdiff_t n)
{
    return m * n + lapack_work(m, n) + 8 * least(m, n);
}

static bool decompose(char job, ptrdiff_t m, ptrdiff_t n, const double *a, double *u, double *s,
                      double *vt, double *work)
{
    const ptrdiff_t k = least(m, n), lwork = lapack_work(m, n);
    double *copied = work, *lapack = work + m * n;
    lapack_int *integers = (lapack_int *)(void *)(lapack + lwork);
    const lapack_int ldu = (lapack_int)n, ldvt = (lapack_int)(job == 'A' ? m : k);

    if (!crs_svd_fits(m, n) || !crs_all_finite(m * n, a))
        return false; /* dgesdd may never return on Inf */
    copy(m * n, a, copied);
    lapack_int info = LAPACKE_dgesdd_work(LAPACK_COL_MAJOR, job, (lapack_int)n, (lapack_int)m,
                                          copied, (lapack_int)n, s, vt, ldu, u, ldvt, lapack,
                                          (lapack_int)lwork, integers);
    if (info > 0 ||
        (info == 0 &&
         !crs_all_finite(k, s))) { /* divide and conquer failed: the QR iteration rarely does */
        copy(m * n, a, copied);
        info = LAPACKE_dgesvd_work(LAPACK_COL_MAJOR, job, job, (lapack_int)n, (lapack_int)m, copied,
                                   (lapack_int)n, s, vt, ldu, u, ldvt, lapack, (lapack_int)lwork);
    }
    return info == 0 && crs_all_finite(k, s);
}

bool crs_svd(ptrdiff_t m, ptrdiff_t n, const double *a, double *u, double *s, double *vt,
             double *work)
{
    const ptrdiff_t k = least(m, n);
    if (decompose('S', m, n, a, u, s, vt, work)) return true;
    fill(m * k, NAN, u), fill(k, NAN, s), fill(k * n, NAN, vt);
    return false;
}

bool crs_svd_full(ptrdiff_t m, ptrdiff_t n, const double *a, double *u, double *s, double *vt,
                  double *work)
{
    if (decompose('A', m, n, a, u, s, vt, work)) return true;
    fill(m * m, NAN, u), fill(least(m, n), NAN, s), fill(n * n, NAN, vt);
    return false;
}

bool crs_singular_values(ptrdiff_t m, ptrdiff_t n, const double *a, double *s, double *work)
{
    double unused = 0;
    if (decompose('N', m, n, a, &unused, s, &unused, work)) return true;
    fill(least(m, n), NAN, s);
    return false;
}
