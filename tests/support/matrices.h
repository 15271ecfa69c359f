/* SPDX-License-Identifier: MIT
 * matrices.h: matrices with known singular values, and residuals in long double, and brute force
 * over permutations */
#ifndef CREASE_MATRICES_H
#define CREASE_MATRICES_H

#include <stdlib.h>

#include "dense/dense.h"
#include "support/test.h"

static const double unit = 0x1p-53;

static inline double *room(ptrdiff_t n)
{
    double *x = malloc((size_t)n * sizeof *x);
    assert_non_null(x);
    return x;
}

/* |op(A) x - lambda y| */
static inline double residual(bool at, ptrdiff_t m, ptrdiff_t n, const double *a, const double *x,
                              double lambda, const double *y)
{
    const ptrdiff_t rows = at ? n : m, terms = at ? m : n;
    long double sum = 0;
    for (ptrdiff_t i = 0; i < rows; i++) {
        long double r = -(long double)lambda * y[i];
        for (ptrdiff_t j = 0; j < terms; j++)
            r += (long double)(at ? a[j * n + i] : a[i * n + j]) * x[j];
        sum += r * r;
    }
    return (double)sqrtl(sum);
}

static inline void gaussian(draws *d, ptrdiff_t n, double *a)
{
    for (ptrdiff_t j = 0; j < n; j++) a[j] = normal(d);
}

/* a (m x n) becomes (I - 2ww'/w'w) a, w random. */
static inline void reflect(draws *d, bool right, ptrdiff_t m, ptrdiff_t n, double *a)
{
    const ptrdiff_t k = right ? n : m, other = right ? m : n;
    double *w = room(k), *t = room(other);
    gaussian(d, k, w);
    crs_gemv(!right, m, n, 1, a, w, 0, t);
    const double factor = -2 / crs_dot(k, w, w);
    for (ptrdiff_t i = 0; i < m; i++)
        for (ptrdiff_t j = 0; j < n; j++)
            a[i * n + j] += factor * (right ? t[i] * w[j] : w[i] * t[j]);
    free(w), free(t);
}

/* A matrix with the given singular values, known to a few roundings. */
static inline double *with_values(draws *d, ptrdiff_t m, ptrdiff_t n, double (*value)(ptrdiff_t j))
{
    double *a = room(m * n);
    fill(m * n, 0, a);
    for (ptrdiff_t j = 0; j < m && j < n; j++) a[j * n + j] = value(j);
    for (int k = 0; k < 3; k++) reflect(d, false, m, n, a), reflect(d, true, m, n, a);
    return a;
}

/* The least sum of costs over the permutations of the rows from `row` on. */
static inline double cheapest(ptrdiff_t n, const double *cost, ptrdiff_t row, unsigned used)
{
    double least = row == n ? 0 : INFINITY;
    for (ptrdiff_t j = 0; j < n && row < n; j++)
        if (!(used >> j & 1)) {
            const double rest = cheapest(n, cost, row + 1, used | 1u << j);
            least = smaller(least, cost[row * n + j] + rest);
        }
    return least;
}

#endif
