/* SPDX-License-Identifier: MIT
 * rpca_naive.h: CP robust PCA by its formulas, entry by entry, and shapes to try it on */
#ifndef CREASE_RPCA_NAIVE_H
#define CREASE_RPCA_NAIVE_H

#include "support/arrays.h"

enum { MOST_BLOCKS = CREASE_MAX_ORDER + 3 };

static inline crease_space shape_of(int order)
{
    static const ptrdiff_t dim[] = { 4, 3, 5, 2, 1 };
    crease_space s = { .order = order };
    for (int n = 0; n < order; n++) s.dim[n] = dim[n];
    return s;
}

/* [[X]] at entry j, without factor `skip` (-1: with all) in column r (-1: summed). */
static inline double term(const crease_space *s, ptrdiff_t rank, const double *const *x,
                          ptrdiff_t j, int skip, ptrdiff_t r)
{
    ptrdiff_t i[CREASE_MAX_ORDER];
    double product = 1;
    unravel(s, j, i);
    for (int n = 0; n < s->order; n++)
        if (n != skip) product *= x[n][i[n] * rank + r];
    return product;
}

static inline double low_rank(const crease_space *s, ptrdiff_t rank, const double *const *x,
                              ptrdiff_t j)
{
    double sum = 0;
    for (ptrdiff_t r = 0; r < rank; r++) sum += term(s, rank, x, j, -1, r);
    return sum;
}

/* A tensor whose entries at multiples of 5 are missing where that is asked for. */
static inline double *tensor_with_holes(const crease_space *s, bool holes, draws *d)
{
    double *t = random_doubles(d, crease_size(s), 1);
    for (ptrdiff_t j = 0; holes && j < crease_size(s); j += 5) t[j] = NAN;
    return t;
}

static inline double weight_at(bool holes, ptrdiff_t j) { return holes && j % 5 == 0 ? 0 : 1; }
static inline double observed_at(const double *t, ptrdiff_t j) { return isnan(t[j]) ? 0 : t[j]; }

#endif
