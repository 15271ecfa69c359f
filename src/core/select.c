/* SPDX-License-Identifier: MIT
 * select: the k-th smallest of n numbers and their median, by Hoare's selection (1961); the numbers
 * are reordered. A NaN among them gives NaN. */
#include "core/core.h"

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
