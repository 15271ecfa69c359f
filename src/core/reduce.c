/* SPDX-License-Identifier: MIT
 * reduce: sums in a fixed order: eight lanes inside a tile, tiles added pairwise; the k-th smallest
 * of n numbers and their median, by Hoare's selection (1961), where a NaN among them gives NaN */
#include "core/core.h"

enum { TILE = 512, LANES = 8 };

static double tile_dot(ptrdiff_t n, const double *x, const double *y)
{
    double lane[LANES] = { 0 };
    ptrdiff_t j = 0;
    for (; j + LANES <= n; j += LANES)
        for (int k = 0; k < LANES; k++) lane[k] += x[j + k] * y[j + k];
    for (int k = 0; j < n; j++, k++) lane[k] += x[j] * y[j];
    return ((lane[0] + lane[4]) + (lane[2] + lane[6])) +
           ((lane[1] + lane[5]) + (lane[3] + lane[7]));
}

double crs_dot(ptrdiff_t n, const double *x, const double *y)
{
    if (n <= TILE) return tile_dot(n, x, y);
    const ptrdiff_t half = (n / 2 + TILE - 1) / TILE * TILE;
    return crs_dot(half, x, y) + crs_dot(n - half, x + half, y + half);
}

double crs_norm(ptrdiff_t n, const double *x)
{
    const double sum = crs_dot(n, x, x);
    if (sum > 1e-280 && sum < 1e280) return sqrt(sum);

    double scale = 0;
    for (ptrdiff_t j = 0; j < n; j++) scale = larger(scale, fabs(x[j]));
    if (!(scale > 0 && scale < INFINITY)) return scale;
    double scaled = 0;
    for (ptrdiff_t j = 0; j < n; j++) scaled += square(x[j] / scale);
    return scale * sqrt(scaled);
}

bool crs_all_finite(ptrdiff_t n, const double *x)
{
    for (ptrdiff_t j = 0; j < n; j++)
        if (!isfinite(x[j])) return false;
    return true;
}

static double middle_of(double a, double b, double c)
{
    const double low = a < b ? a : b, high = a < b ? b : a;
    return c < low ? low : c > high ? high : c;
}

double crs_select(ptrdiff_t n, double *x, ptrdiff_t k)
{
    ptrdiff_t low = 0, high = n - 1;
    for (ptrdiff_t j = 0; j < n; j++)
        if (x[j] != x[j]) return NAN;
    while (low < high) {
        const double pivot = middle_of(x[low], x[low + (high - low) / 2], x[high]);
        ptrdiff_t i = low, j = high;
        while (i <= j) {
            while (x[i] < pivot) i++;
            while (x[j] > pivot) j--;
            if (i > j) break;
            const double t = x[i];
            x[i++] = x[j];
            x[j--] = t;
        }
        if (k > j && k < i) return x[k];
        if (k <= j)
            high = j;
        else
            low = i;
    }
    return x[k];
}

double crs_median(ptrdiff_t n, double *x) { return n < 1 ? NAN : crs_select(n, x, n / 2); }
