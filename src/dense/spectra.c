/* SPDX-License-Identifier: MIT
 * spectra: symmetric eigenvalue problems, positive definite systems, pseudo-inverses and pencils;
 * singular value decompositions of row-major matrices, and functions of a matrix that act on its
 * singular values
 *
 * Y = B pinv(G): singular values at most n eps(|G|_2) count as 0, eps(x) the distance from x to
 * the next larger double, the tolerance of MATLAB's pinv. A v = lambda B v by the QZ algorithm:
 * Moler, Stewart, An algorithm for generalized matrix eigenvalue problems, 1973.
 * A row-major m x n matrix is the column-major n x m matrix A' = V S U'. LAPACK's left vectors
 * of A' are then the rows of vt, its right vectors the columns of u: nothing is transposed. */
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

double crs_pinv_limit(ptrdiff_t n, const double *w)
{
    int exponent;
    const double norm = larger(fabs(w[0]), fabs(w[n - 1]));
    if (!(norm > 0)) return norm; /* 0, or NaN */
    frexp(norm, &exponent);
    return (double)n * ldexp(1, exponent - 53);
}

bool crs_pinv_apply(ptrdiff_t rows, ptrdiff_t n, const double *g, double *y, double *work)
{
    double *q = work, *w = q + n * n, *s = w + n, *rest = s + n * rows;
    const bool solved = crs_eigh(n, g, w, q, rest);
    const double limit = crs_pinv_limit(n, w);
    crs_gemm(false, true, n, rows, n, 1, q, y, 0, s);
    for (ptrdiff_t k = 0; k < n; k++)
        for (ptrdiff_t i = 0; i < rows; i++)
            s[k * rows + i] = fabs(w[k]) <= limit ? 0 : s[k * rows + i] / w[k];
    crs_gemm(true, false, rows, n, n, 1, s, q, 0, y);
    return solved;
}

/* LAPACK sees A' = L Q', whose rows are made orthonormal; L' is R. */
ptrdiff_t crs_qr_scratch(ptrdiff_t n) { return 65 * n; }

bool crs_qr(ptrdiff_t m, ptrdiff_t n, double *a, double *r, double *work)
{
    double *lapack = work + n;
    const lapack_int rows = (lapack_int)n, columns = (lapack_int)m, size = (lapack_int)(64 * n);
    if (n == 0) return true;
    if (m > INT_MAX || n > INT_MAX / 64 || !crs_all_finite(m * n, a)) return false;
    if (LAPACKE_dgelqf_work(LAPACK_COL_MAJOR, rows, columns, a, rows, work, lapack, size) != 0)
        return false;
    for (ptrdiff_t i = 0; r && i < n; i++)
        for (ptrdiff_t j = 0; j < n; j++) r[i * n + j] = j >= i ? a[i * n + j] : 0;
    return LAPACKE_dorglq_work(LAPACK_COL_MAJOR, rows, columns, rows, a, rows, work, lapack,
                               size) == 0;
}

static ptrdiff_t pencil_work(ptrdiff_t n) { return 8 * n + 64 * n + 16; }

ptrdiff_t crs_pencil_scratch(ptrdiff_t n) { return 2 * n * n + 3 * n + pencil_work(n); }

/* LAPACK sees A' and B': its left eigenvectors u, with u^H A' = lambda u^H B', are ours. */
static bool solve_pencil(ptrdiff_t n, const double *a, const double *b, double *v, double *work)
{
    double *p = work, *q = p + n * n, *re = q + n * n, *im = re + n, *beta = im + n;
    double *lapack = beta + n, unused;
    if (n > INT_MAX / 128 || !crs_all_finite(n * n, a) || !crs_all_finite(n * n, b)) return false;
    copy(n * n, a, p);
    copy(n * n, b, q);
    const lapack_int k = (lapack_int)n;
    return LAPACKE_dggev_work(LAPACK_COL_MAJOR, 'V', 'N', k, p, k, q, k, re, im, beta, v, k,
                              &unused, 1, lapack, (lapack_int)pencil_work(n)) == 0 &&
           crs_all_finite(n * n, v);
}

bool crs_pencil(ptrdiff_t n, const double *a, const double *b, double *v, double *work)
{
    if (solve_pencil(n, a, b, v, work)) return true;
    fill(n * n, NAN, v);
    return false;
}

static ptrdiff_t least(ptrdiff_t a, ptrdiff_t b) { return a < b ? a : b; }
static ptrdiff_t most(ptrdiff_t a, ptrdiff_t b) { return a > b ? a : b; }

/* What dgesdd documents for every job, with room for its blocked code. */
static ptrdiff_t svd_work(ptrdiff_t m, ptrdiff_t n)
{
    const ptrdiff_t k = least(m, n), x = most(m, n);
    return 4 * k * k + 8 * k + 65 * x;
}

bool crs_svd_fits(ptrdiff_t m, ptrdiff_t n)
{
    return m <= INT_MAX && n <= INT_MAX && least(m, n) < INT_MAX / 8 && svd_work(m, n) <= INT_MAX;
}

ptrdiff_t crs_svd_scratch(ptrdiff_t m, ptrdiff_t n)
{
    return m * n + svd_work(m, n) + 8 * least(m, n);
}

static bool decompose_svd(char job, ptrdiff_t m, ptrdiff_t n, const double *a, double *u, double *s,
                          double *vt, double *work)
{
    const ptrdiff_t k = least(m, n), lwork = svd_work(m, n);
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
    if (decompose_svd('S', m, n, a, u, s, vt, work)) return true;
    fill(m * k, NAN, u), fill(k, NAN, s), fill(k * n, NAN, vt);
    return false;
}

bool crs_singular_values(ptrdiff_t m, ptrdiff_t n, const double *a, double *s, double *work)
{
    double unused = 0;
    if (decompose_svd('N', m, n, a, &unused, s, &unused, work)) return true;
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
