/* SPDX-License-Identifier: MIT
 * pinv: Y = B pinv(G), G symmetric
 *
 * Singular values at most n eps(|G|_2) count as 0, eps(x) the distance from x to the next larger
 * double: the tolerance of MATLAB's pinv. */
#include "dense/dense.h"

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
