/* SPDX-License-Identifier: MIT
 * draw.h: a running stream of random numbers, for tests */
#ifndef CRS_DRAW_H
#define CRS_DRAW_H

#include <math.h>

#include <crease/random.h>

typedef struct {
    crease_random r;
    uint64_t next;
} draws;

static inline double uniform(draws *d, double low, double high)
{
    return low + (high - low) * crease_random_uniform(d->r, d->next++);
}

static inline double normal(draws *d) { return crease_random_normal(d->r, d->next++); }

/* exp of a uniform number: every order of magnitude from e^low to e^high alike */
static inline double spread(draws *d, double low, double high)
{
    return exp(uniform(d, low, high));
}

static inline ptrdiff_t below(draws *d, ptrdiff_t n)
{
    return (ptrdiff_t)crease_random_below(d->r, d->next++, (uint64_t)n);
}

static inline void normals(draws *d, ptrdiff_t n, double scale, double *x)
{
    for (ptrdiff_t j = 0; j < n; j++) x[j] = scale * normal(d);
}

#endif
