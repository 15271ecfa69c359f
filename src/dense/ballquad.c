/* SPDX-License-Identifier: MIT
 * ballquad: min (1/2) tr(Y (G + shift I) Y') - <B, Y> over |Y|_F <= radius, G symmetric psd
 *
 * In the eigenbasis G = Q'diag(w)Q the columns of S = B Q' separate: Y = S diag(1/(w + shift +
 * nu)) Q, where nu >= 0 is 0 or makes |Y| = radius (the secular equation of trust regions:
 * More, Sorensen, Computing a trust region step, 1983). An eigenvalue within rounding of 0 is 0;
 * a direction without any curvature is left at 0 (the pseudo-inverse) unless there is a ball and
 * B pulls that way by more than rounding. Without a ball and well-conditioned: Cholesky. */
#include "dense/dense.h"

static const double UNIT = 0x1p-52;

void crs_secular(ptrdiff_t n, const double *s, double *e, double radius)
{
    const double norm = crs_norm(n, s), rounding = 4 * UNIT * (double)n * norm;
    for (ptrdiff_t k = 0; k < n; k++)
        if (radius == 0 || (e[k] == 0 && (radius == INFINITY || fabs(s[k]) <= rounding)))
            e[k] = INFINITY;
    const crease_space vector = crease_vector(n);
    const double nu = radius < INFINITY ? crs_ball_multiplier(&vector, e, s, radius) : 0;
    for (ptrdiff_t k = 0; k < n; k++) e[k] += nu;
}

void crs_clean_spectrum(ptrdiff_t n, double *w)
{
    const double rounding = 4 * UNIT * (double)n * fabs(w[n - 1]);
    for (ptrdiff_t k = 0; k < n; k++)
        if (w[k] <= rounding) w[k] = 0;
}

/* Without a ball, where no direction is nearly flat: Y = B (G + shift I)^{-1} by Cholesky */
static bool by_cholesky(ptrdiff_t rows, ptrdiff_t n, const double *g, double shift, double *y,
                        double *l)
{
    double least = INFINITY, most = 0;
    copy(n * n, g, l);
    for (ptrdiff_t k = 0; k < n; k++) l[k * n + k] += shift;
    if (!crs_cholesky(n, l)) return false;
    for (ptrdiff_t k = 0; k < n; k++) {
        least = smaller(least, l[k * n + k]);
        most = larger(most, l[k * n + k]);
    }
    if (!(least > 1e-4 * most)) return false;
    crs_cholesky_solve_rows(n, l, rows, y);
    return true;
}

ptrdiff_t crs_ballquad_scratch(ptrdiff_t rows, ptrdiff_t n)
{
    return n * n + 2 * n + n * rows + crs_eigh_scratch(n);
}

bool crs_ballquad(ptrdiff_t rows, ptrdiff_t n, const double *g, double shift, double radius,
                  double *y, double *work)
{
    double *q = work, *e = q + n * n, *norm = e + n, *s = norm + n, *rest = s + n * rows;
    if (radius == INFINITY && by_cholesky(rows, n, g, shift, y, q)) return true;
    const bool solved = crs_eigh(n, g, e, q, rest);
    crs_clean_spectrum(n, e);
    crs_gemm(false, true, n, rows, n, 1, q, y, 0, s);
    for (ptrdiff_t k = 0; k < n; k++) {
        e[k] += shift;
        norm[k] = crs_norm(rows, s + k * rows);
    }
    crs_secular(n, norm, e, radius);
    for (ptrdiff_t k = 0; k < n; k++)
        for (ptrdiff_t i = 0; i < rows; i++) s[k * rows + i] /= e[k];
    crs_gemm(true, false, rows, n, n, 1, s, q, 0, y);
    return solved;
}
