/* SPDX-License-Identifier: MIT
 * arrays.h: arrays of their exact size, so that a sanitizer sees a step outside, and indices */
#ifndef CREASE_ARRAYS_H
#define CREASE_ARRAYS_H

#include <stdlib.h>

#include "support/test.h"

static inline double *doubles(ptrdiff_t n) { return calloc((size_t)n, sizeof(double)); }

/* Scratch memory: what is read before it is written shows as NaN. */
static inline double *unset_doubles(ptrdiff_t n)
{
    double *p = doubles(n);
    fill(n, NAN, p);
    return p;
}

static inline double *random_doubles(draws *d, ptrdiff_t n, double scale)
{
    double *p = doubles(n);
    for (ptrdiff_t j = 0; j < n; j++) p[j] = scale * normal(d);
    return p;
}

/* The indices of entry j of a row-major array. */
static inline void unravel(const crease_space *s, ptrdiff_t j, ptrdiff_t *i)
{
    for (int n = s->order - 1; n >= 0; n--) i[n] = j % s->dim[n], j /= s->dim[n];
}

#endif
