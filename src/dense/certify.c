/* SPDX-License-Identifier: MIT
 * certify: proofs by Cholesky that |W|_2 <= bound and that lambda_max(A) <= bound
 *
 * If Cholesky runs to its end on H - cI in floating point, with c >= gamma_{n+1} trace(H), then H
 * is positive semidefinite. Rump, Verification of positive definiteness, BIT 46, 2006. */
#include "dense/extreme.h"

static const double unit = 0x1p-53;

static double trace(ptrdiff_t n, const double *h)
{
    double sum = 0;
    for (ptrdiff_t i = 0; i < n; i++) sum += h[i * n + i];
    return sum;
}

/* Is every matrix within `error` of H, in norm, positive semidefinite? */
static bool semidefinite(ptrdiff_t n, double *h, double error)
{
    const double margin = error + (double)(n + 8) * unit * trace(n, h);
    for (ptrdiff_t i = 0; i < n; i++) h[i * n + i] -= margin;
    return crs_cholesky(n, h);
}

static bool reaches(ptrdiff_t n, const double *a, double bound) /* NaN does not */
{
    for (ptrdiff_t j = 0; j < n; j++)
        if (!(fabs(a[j]) <= bound)) return false;
    return true;
}

ptrdiff_t crs_certify_scratch(ptrdiff_t m, ptrdiff_t n)
{
    const ptrdiff_t k = crs_short_side(m, n);
    return k * k + crs_short_gram_scratch(m, n);
}

bool crs_certify_norm(ptrdiff_t m, ptrdiff_t n, const double *w, double bound, double *work)
{
    const ptrdiff_t k = crs_short_side(m, n), length = m + n - k;
    if (!(bound >= 0 && bound < INFINITY) || !reaches(m * n, w, bound)) return false;
    if (bound == 0) return true;

    double *h = work;
    const double scale = crs_unit_scale(bound), b = bound * scale;
    crs_short_gram(m, n, w, scale, h, work + k * k);
    /* Sums of `length` products, and |B|_F^2 = trace: the error of the Gram matrix in norm. */
    const double error = (double)(length + 8) * unit * trace(k, h) + 4 * unit * b * b;
    for (ptrdiff_t j = 0; j < k * k; j++) h[j] = -h[j];
    for (ptrdiff_t i = 0; i < k; i++) h[i * k + i] += b * b;
    return semidefinite(k, h, error);
}

bool crs_certify_eigen(ptrdiff_t n, const double *a, double bound, double *work)
{
    double most = fabs(bound);
    for (ptrdiff_t j = 0; j < n * n; j++) most = larger(most, fabs(a[j]));
    if (!isfinite(most)) return false;
    const double scale = crs_unit_scale(most);
    for (ptrdiff_t j = 0; j < n * n; j++) work[j] = -a[j] * scale;
    for (ptrdiff_t i = 0; i < n; i++) work[i * n + i] += bound * scale;
    return most == 0 || semidefinite(n, work, 0);
}
