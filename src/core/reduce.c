/* SPDX-License-Identifier: MIT
 * reduce: sums in a fixed order: eight lanes inside a tile, tiles added pairwise */
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
