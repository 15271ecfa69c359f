/* SPDX-License-Identifier: MIT
 * thin: functions of a matrix that act on its singular values */
#include "dense/thin.h"

#include <float.h>

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
