/* SPDX-License-Identifier: MIT
 * pool: u - PAV(u - a) for u and a sorted down, PAV the nearest nonincreasing sequence
 *
 * A block that starts at f keeps D = sum_j ((u_j - u_f) - a_j); its mean is u_f + D/size, and two
 * neighbours are pooled while the later mean exceeds the earlier. Only differences of u enter,
 * so the answer is as accurate as a however large u is; a block of one gives a_j itself. */
#include "set/set.h"

void crs_subtract_pooled(ptrdiff_t n, const double *a, double *u, double *start, double *sum)
{
    ptrdiff_t blocks = 0;
    for (ptrdiff_t j = 0; j < n; j++) {
        start[blocks] = (double)j;
        sum[blocks] = -a[j];
        for (; blocks > 0; blocks--) {
            const ptrdiff_t last = (ptrdiff_t)start[blocks], first = (ptrdiff_t)start[blocks - 1];
            const double shift = u[last] - u[first], size = (double)(j + 1 - last);
            const double mean = sum[blocks - 1] / (double)(last - first);
            if (!(shift + (sum[blocks] / size - mean) > 0)) break;
            sum[blocks - 1] += sum[blocks] + size * shift;
        }
        blocks++;
    }
    for (ptrdiff_t b = 0, j = 0; b < blocks; b++) {
        const ptrdiff_t first = j, end = b + 1 < blocks ? (ptrdiff_t)start[b + 1] : n;
        const double from = u[first], mean = sum[b] / (double)(end - first);
        for (; j < end; j++) u[j] = (u[j] - from) - mean;
    }
}
