/* SPDX-License-Identifier: MIT
 * svd: singular value decompositions of row-major matrices, and functions of a matrix that act on
 * its singular values
 *
 * A row-major m x n matrix is the column-major n x m matrix A' = V S U'. LAPACK's left vectors
 * of A' are then the rows of vt, its right vectors the columns of u: nothing is transposed. */
#include <float.h>
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

bool crs_singular_values(ptrdiff_t m, ptrdiff_t n, const double *a, double *s, double *work)
{
    double unused = 0;
    if (decompose('N', m, n, a, &unused, s, &unused, work)) return true;
    fill(least(m, n), NAN, s);
    return false;
}

ptrdiff_t crs_thin_scratch(ptrdiff_t m, ptrdiff_t n)
{
    const ptrdiff_t k = m < n ? m : n;
    return m * k + k + k * n + crs_svd_scratch(m, n);
}

bool crs_thin_svd(ptrdiff_t m, ptrdiff_t n, const double *a, double *work, crs_thin *f)
{
    const ptrdiff_t k = m < n ? m : n;
    *f = (crs_thin){ .m = m, .n = n, .k = k, .u = work };
    f->s = f->u + m * k;
    f->vt = f->s + k;
    f->work = f->vt + k * n;
    return crs_svd(m, n, a, f->u, f->s, f->vt, f->work);
}

ptrdiff_t crs_thin_rank(const crs_thin *f)
{
    const double noise = (double)(f->m > f->n ? f->m : f->n) * DBL_EPSILON * f->s[0];
    ptrdiff_t r = 0;
    while (r < f->k && f->s[r] > noise) r++;
    return r;
}

void crs_thin_truncate(crs_thin *f, ptrdiff_t r)
{
    for (ptrdiff_t i = 0; i < f->m; i++) copy(r, f->u + i * f->k, f->u + i * r);
}

void crs_thin_compose(crs_thin *f, const double *d, double *x)
{
    ptrdiff_t r = f->k;
    while (r > 0 && d[r - 1] == 0) r--;
    crs_thin_truncate(f, r);
    for (ptrdiff_t j = 0; j < r; j++)
        for (ptrdiff_t i = 0; i < f->n; i++) f->vt[j * f->n + i] *= d[j];
    crs_gemm(false, false, f->m, f->n, r, 1, f->u, f->vt, 0, x);
}
