/* SPDX-License-Identifier: MIT
 * level: the root mu of g(mu) = sum_j clip(v_j - mu, 0, h) = k h, exactly
 *
 * With v_(k) the k-th largest entry, g(v_(k)) <= (k-1) h and g(v_(k) - h) >= k h. Measured from
 * v_(k), mu lies in [-h, 0], where g has one breakpoint for each w_j = v_j - v_(k) in (-h, h):
 * coming down from 0, an entry w_j <= 0 starts to count at w_j, and w_j > 0 is full at w_j - h.
 * Both lists are sorted and merged until the linear piece with the root is found. */
#include "set/set.h"

typedef struct {
    crs_total sum;  /* of the entries that are neither 0 nor full */
    double active;  /* how many these are */
    double missing; /* k minus the number of full entries */
} piece;

static double sweep(piece p, double h, const double *low, ptrdiff_t lows, const double *high,
                    ptrdiff_t highs)
{
    for (ptrdiff_t i = 0, j = 0;;) {
        const double start = i < lows ? low[i] : -h, full = j < highs ? high[j] - h : -h;
        const double next = larger(start, full);
        if (next <= -h || total(&p.sum) - p.active * next >= p.missing * h) break;
        if (start >= full) {
            accumulate(&p.sum, low[i++]);
            p.active++;
        } else {
            accumulate(&p.sum, -high[j++]);
            p.active--;
            p.missing--;
        }
    }
    return ((p.sum.sum - p.missing * h) + p.sum.low) / p.active;
}

crs_level crs_find_level(ptrdiff_t n, ptrdiff_t k, double h, double *v)
{
    crs_largest(n, k, v);
    const double from = v[0];
    if (k == n) return (crs_level){ from, -h, h };

    piece p = { { 0, 0 }, 0, (double)k };
    ptrdiff_t lows = 0, highs = 0;
    for (ptrdiff_t j = 0; j < k; j++) {
        const double w = v[j] - from;
        const bool full = w >= h;
        p.missing -= full;
        p.active += !full;
        if (full || w == 0) continue;
        accumulate(&p.sum, w);
        v[highs++] = w;
    }
    for (ptrdiff_t j = k; j < n; j++) {
        const double w = v[j] - from;
        if (w > -h) v[k + lows++] = w;
    }
    crs_sort(highs, v, NULL);
    crs_sort(lows, v + k, NULL);
    return (crs_level){ from, sweep(p, h, v + k, lows, v, highs), h };
}
