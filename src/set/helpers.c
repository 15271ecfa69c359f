/* SPDX-License-Identifier: MIT
 * order: sorting and the k largest with a binary heap: in place, O(n log n) and O(n log k)
 *
 * The root of the heap is the entry that comes last in descending order. */
#include "set/set.h"

static bool later(const double *a, const double *carry, ptrdiff_t i, ptrdiff_t j)
{
    return a[i] < a[j] || (carry && a[i] == a[j] && carry[i] > carry[j]);
}

static void swap(double *a, ptrdiff_t i, ptrdiff_t j)
{
    const double t = a[i];
    a[i] = a[j];
    a[j] = t;
}

static void exchange(double *a, double *carry, ptrdiff_t i, ptrdiff_t j)
{
    swap(a, i, j);
    if (carry) swap(carry, i, j);
}

static void sift(ptrdiff_t n, double *a, double *carry, ptrdiff_t i)
{
    for (ptrdiff_t child = 2 * i + 1; child < n; child = 2 * i + 1) {
        if (child + 1 < n && later(a, carry, child + 1, child)) child++;
        if (!later(a, carry, child, i)) return;
        exchange(a, carry, i, child);
        i = child;
    }
}

static void make_heap(ptrdiff_t n, double *a, double *carry)
{
    for (ptrdiff_t i = n / 2; i-- > 0;) sift(n, a, carry, i);
}

void crs_sort(ptrdiff_t n, double *a, double *carry)
{
    make_heap(n, a, carry);
    for (ptrdiff_t end = n; end-- > 1;) {
        exchange(a, carry, 0, end);
        sift(end, a, carry, 0);
    }
}

void crs_largest(ptrdiff_t n, ptrdiff_t k, double *a)
{
    make_heap(k, a, NULL);
    for (ptrdiff_t j = k; j < n; j++) {
        if (!(a[j] > a[0])) continue;
        swap(a, 0, j);
        sift(k, a, NULL, 0);
    }
}

crs_pick crs_pick_largest(ptrdiff_t n, ptrdiff_t k, double *key)
{
    crs_largest(n, k, key);
    crs_pick pick = { key[0], 0 };
    for (ptrdiff_t j = 0; j < k; j++) pick.ties += key[j] == pick.least;
    return pick;
}
