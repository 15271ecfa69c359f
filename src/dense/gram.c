/* SPDX-License-Identifier: MIT
 * gram: the smaller of A'A and AA', of the scaled matrix, a block of A at a time */
#include "dense/extreme.h"

enum { BLOCK = 256 };

ptrdiff_t crs_short_side(ptrdiff_t m, ptrdiff_t n) { return m < n ? m : n; }
ptrdiff_t crs_short_gram_scratch(ptrdiff_t m, ptrdiff_t n) { return BLOCK * crs_short_side(m, n); }

double crs_unit_scale(double peak)
{
    int e; /* kept where neither unit vectors nor squares of entries underflow */
    frexp(peak, &e);
    return ldexp(1, e < -900 ? 900 : e > 900 ? -900 : -e);
}

void crs_short_gram(ptrdiff_t m, ptrdiff_t n, const double *a, double scale, double *g,
                    double *work)
{
    const bool tall = m >= n;
    const ptrdiff_t k = crs_short_side(m, n), length = tall ? m : n;
    for (ptrdiff_t first = 0; first < length; first += BLOCK) {
        const ptrdiff_t count = crs_short_side(BLOCK, length - first);
        const ptrdiff_t rows = tall ? count : m, columns = tall ? n : count;
        const double *from = a + (tall ? first * n : first);
        for (ptrdiff_t i = 0; i < rows; i++)
            for (ptrdiff_t j = 0; j < columns; j++) work[i * columns + j] = scale * from[i * n + j];
        crs_gemm(tall, !tall, k, k, count, 1, work, work, first > 0, g);
    }
}
