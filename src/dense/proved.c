/* SPDX-License-Identifier: MIT
 * proved: upper bounds of |A|_2 and lambda_max that a Cholesky factorization has proved
 *
 * The first guess is what the extreme pair found plus what the proof loses to rounding. A guess
 * that fails (the method met another pair) grows until it passes; |A|_F needs no proof. */
#include "dense/extreme.h"

static double frobenius(ptrdiff_t n, const double *a)
{
    return crs_norm(n, a) * (1 + (double)(n + 128) * 0x1p-54); /* above its own rounding */
}

ptrdiff_t crs_proved_scratch(ptrdiff_t m, ptrdiff_t n)
{
    const ptrdiff_t top = m + n + crs_top_singular_scratch(m, n);
    const ptrdiff_t eigen = m == n ? n * n + n + crs_bottom_eigen_scratch(n) : 0;
    const ptrdiff_t find = top > eigen ? top : eigen, proof = crs_certify_scratch(m, n);
    return find > proof ? find : proof;
}

double crs_proved_norm(ptrdiff_t m, ptrdiff_t n, const double *a, double *work)
{
    const ptrdiff_t k = crs_short_side(m, n);
    const double last = frobenius(m * n, a);
    double sigma, residual, loss = (double)((m + n + 24) * k) * 0x1p-53;
    if (!crs_top_singular(m, n, a, work, work + m, &sigma, &residual, work + m + n)) return NAN;
    for (;; loss *= 16) {
        const double bound = (sigma + residual) * (1 + loss);
        if (!(bound < last)) return last;
        if (crs_certify_norm(m, n, a, bound, work)) return bound;
    }
}

double crs_proved_eigen(ptrdiff_t n, const double *a, double *work)
{
    const double last = frobenius(n * n, a);
    double lambda, residual, *negative = work, *q = work + n * n;
    for (ptrdiff_t j = 0; j < n * n; j++) negative[j] = -a[j];
    if (!crs_bottom_eigen(n, negative, q, &lambda, &residual, q + n)) return NAN;
    const double guess = residual - lambda;
    double trace = 0; /* of guess I - A: the proof loses a multiple of it */
    for (ptrdiff_t i = 0; i < n; i++) trace += guess - a[i * n + i];
    for (double loss = ((double)(4 * n + 32) * pos(trace) + 8 * last) * 0x1p-53;; loss *= 16) {
        const double bound = guess + loss;
        if (!(bound < last)) return last;
        if (crs_certify_eigen(n, a, bound, work)) return bound;
    }
}
