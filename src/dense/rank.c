/* SPDX-License-Identifier: MIT
 * rank: of how many singular values of x are not 0 to the rounding of its entries
 *
 * A matrix of rank r, computed as Q diag(s) Z' in double, is off by at most g |Q| diag(s) |Z|'
 * entry by entry, g a few units in the last place for each term. To first order the singular values
 * that this makes out of nothing add T = (I - QQ') E (I - ZZ') to it, so
 *     |T| <= g |Q| (I + C) diag(s) (I + B) |Z|',   C = |Q|'|Q|, B = |Z|'|Z|.
 * Where x minus its part of rank r is larger anywhere, x is no rounding of a matrix of rank r: in
 * diag(1e10, 1e-6) nothing is rounded, and its rank is 2. Singular values above max(m,n) 2^-52 of
 * the largest always count. Where entries of very different size leave a doubt, the factors come
 * from one-sided Jacobi rotations: Demmel and Veselic, Jacobi's method is more accurate than QR,
 * 1992. */
#include <float.h>
#include <lapacke.h>
#include <limits.h>

#include "dense/dense.h"

static ptrdiff_t most(ptrdiff_t a, ptrdiff_t b) { return a > b ? a : b; }

static ptrdiff_t above_noise(const crs_thin *f)
{
    const double noise = (double)most(f->m, f->n) * DBL_EPSILON * f->s[0];
    ptrdiff_t r = 0;
    while (r < f->k && f->s[r] > noise) r++;
    return r;
}

/* The arrays of a test: T and the bound (m x n), U diag and |U| W (m x k), |V'| (k x n), three k x
 * k
 */
ptrdiff_t crs_thin_rank_scratch(ptrdiff_t m, ptrdiff_t n)
{
    const ptrdiff_t k = m < n ? m : n, jacobi = m * n + k * k + most(6, m + n);
    return most(2 * m * n + 2 * m * k + k * n + 3 * k * k, jacobi);
}

/* w = (I + C) diag(s) (I + B) for the first r columns, C and B as above in c and b */
static void mix(const crs_thin *f, ptrdiff_t r, double *w, double *c, double *b)
{
    fill(r * r, 0, c);
    fill(r * r, 0, b);
    for (ptrdiff_t p = 0; p < r; p++)
        for (ptrdiff_t q = 0; q < r; q++) {
            for (ptrdiff_t i = 0; i < f->m; i++)
                c[p * r + q] += fabs(f->u[i * f->k + p] * f->u[i * f->k + q]);
            for (ptrdiff_t j = 0; j < f->n; j++)
                b[p * r + q] += fabs(f->vt[p * f->n + j] * f->vt[q * f->n + j]);
        }
    for (ptrdiff_t p = 0; p < r; p++) c[p * r + p] += 1, b[p * r + p] += 1;
    for (ptrdiff_t p = 0; p < r; p++)
        for (ptrdiff_t q = 0; q < r; q++) c[p * r + q] *= f->s[q];
    crs_gemm(false, false, r, r, r, 1, c, b, 0, w);
}

/* Is x the rounding of the part of rank r? */
static bool is_rounding(const crs_thin *f, ptrdiff_t r, const double *x, double *work)
{
    const ptrdiff_t m = f->m, n = f->n;
    const double g = (double)(f->k + 8) * DBL_EPSILON;
    double *t = work, *bound = t + m * n, *us = bound + m * n, *uw = us + m * r, *v = uw + m * r;
    double *w = v + r * n, *c = w + r * r, *b = c + r * r;
    mix(f, r, w, c, b);
    for (ptrdiff_t i = 0; i < m; i++)
        for (ptrdiff_t l = 0; l < r; l++) us[i * r + l] = fabs(f->u[i * f->k + l]);
    crs_gemm(false, false, m, r, r, 1, us, w, 0, uw);
    for (ptrdiff_t i = 0; i < m; i++)
        for (ptrdiff_t l = 0; l < r; l++) us[i * r + l] = f->u[i * f->k + l] * f->s[l];
    for (ptrdiff_t j = 0; j < r * n; j++) v[j] = fabs(f->vt[j]);
    copy(m * n, x, t);
    crs_gemm(false, false, m, n, r, -1, us, f->vt, 1, t);
    crs_gemm(false, false, m, n, r, g, uw, v, 0, bound);
    for (ptrdiff_t j = 0; j < m * n; j++)
        if (!(fabs(t[j]) <= bound[j])) return false;
    return true;
}

/* The factors anew, small singular values to their own size; false: as they were. */
static bool by_jacobi(crs_thin *f, const double *x, double *work)
{
    const ptrdiff_t m = f->m, n = f->n, k = f->k, l = most(m, n);
    const bool wide = n >= m; /* LAPACK sees columns: x' is ours when it is tall */
    double *a = work, *v = a + m * n, *lapack = v + k * k;
    for (ptrdiff_t i = 0; i < m; i++)
        for (ptrdiff_t j = 0; j < n; j++) a[wide ? i * n + j : j * m + i] = x[i * n + j];
    if (l > INT_MAX / 2 ||
        LAPACKE_dgesvj_work(LAPACK_COL_MAJOR, 'G', 'U', 'V', (lapack_int)l, (lapack_int)k, a,
                            (lapack_int)l, f->s, 0, v, (lapack_int)k, lapack,
                            (lapack_int)most(6, m + n)) != 0)
        return false;
    for (ptrdiff_t j = 0; j < k; j++) {
        f->s[j] *= lapack[0];
        for (ptrdiff_t i = 0; i < m; i++) f->u[i * k + j] = wide ? v[j * k + i] : a[j * m + i];
        for (ptrdiff_t i = 0; i < n; i++) f->vt[j * n + i] = wide ? a[j * n + i] : v[j * k + i];
    }
    return true;
}

ptrdiff_t crs_thin_rank(crs_thin *f, const double *x, double *work)
{
    ptrdiff_t r = above_noise(f);
    if (r == f->k || !(f->s[r] > 0) || is_rounding(f, r, x, work)) return r;
    if (!by_jacobi(f, x, work)) return r;
    for (r = above_noise(f); r < f->k && f->s[r] > 0 && !is_rounding(f, r, x, work);) r++;
    return r;
}
