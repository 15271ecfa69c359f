/* SPDX-License-Identifier: MIT
 * spike.h: planted sparse rank-one terms: T = sum_k strength_k u_k1 o ... o u_kd + noise N(0,1),
 * every u with `nonzeros` entries +-1/sqrt(nonzeros) at random places */
#ifndef CREASE_SPIKE_H
#define CREASE_SPIKE_H

#include "support/arrays.h"

typedef struct {
    crease_space shape;
    ptrdiff_t nonzeros;
    double noise, strength[2]; /* strength[1] = 0: one spike */
    double *tensor, *u[2][CREASE_MAX_ORDER];
} spike;

static inline void draw_direction(draws *d, ptrdiff_t n, ptrdiff_t nonzeros, double *u)
{
    ptrdiff_t at[64];
    crease_random_sample(d->r, n, nonzeros, at);
    for (ptrdiff_t k = 0; k < nonzeros; k++)
        u[at[k]] = (normal(d) < 0 ? -1 : 1) / sqrt((double)nonzeros);
}

static inline double product_at(const crease_space *s, const double *const *x, ptrdiff_t j)
{
    ptrdiff_t i[CREASE_MAX_ORDER];
    double product = 1;
    unravel(s, j, i);
    for (int n = 0; n < s->order; n++) product *= x[n][i[n]];
    return product;
}

/* T(x_1, ..., x_d) term by term */
static inline double naive_contract(const crease_space *s, const double *t, const double *const *x)
{
    double sum = 0;
    for (ptrdiff_t j = 0; j < crease_size(s); j++) sum += t[j] * product_at(s, x, j);
    return sum;
}

static inline void make_spike(spike *p, uint64_t seed)
{
    draws noise = { { seed, 1 }, 0 };
    p->tensor = random_doubles(&noise, crease_size(&p->shape), p->noise);
    for (int k = 0; k < 2 && p->strength[k] > 0; k++) {
        for (int n = 0; n < p->shape.order; n++) {
            draws d = { { seed, (uint64_t)(10 + 10 * k + n) }, 0 };
            p->u[k][n] = doubles(p->shape.dim[n]);
            draw_direction(&d, p->shape.dim[n], p->nonzeros, p->u[k][n]);
        }
        for (ptrdiff_t j = 0; j < crease_size(&p->shape); j++)
            p->tensor[j] +=
                p->strength[k] * product_at(&p->shape, (const double *const *)p->u[k], j);
    }
}

static inline void free_spike(spike *p)
{
    free(p->tensor);
    for (int k = 0; k < 2; k++)
        for (int n = 0; n < CREASE_MAX_ORDER; n++) free(p->u[k][n]);
}

#endif
