/* SPDX-License-Identifier: MIT
 * tensor_examples.h: random tensors and factors of many shapes, orders 2 to 8 */
#ifndef CREASE_TENSOR_EXAMPLES_H
#define CREASE_TENSOR_EXAMPLES_H

#include <stdlib.h>

#include "tensor/tensor.h"
#include "test.h"

/* A tensor, its factors and their ranks; Kruskal kernels use rank[0] for all modes. */
typedef struct {
    crease_space s, ranks;
    double *t, *core, *x[CREASE_MAX_ORDER];
} example;

static const ptrdiff_t shapes[][CREASE_MAX_ORDER] = {
    { 3, 4 },
    { 1, 7 },
    { 7, 1 },
    { 1, 1 },
    { 300, 211 },
    { 5, 3, 4 },
    { 1, 3, 1 },
    { 3, 1, 5 },
    { 13, 17, 140 },
    { 600, 7, 9 },
    { 3, 5, 2, 4 },
    { 1, 1, 6, 1 },
    { 40, 11, 3, 13 },
    { 3, 2, 5, 2, 3 },
    { 2, 1, 3, 4, 1 },
    { 2, 3, 2, 3, 2, 3 },
    { 2, 1, 2, 3, 1, 2, 2, 2 },
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static inline double *random_array(draws *d, ptrdiff_t n)
{
    double *p = malloc((size_t)n * sizeof *p);
    for (ptrdiff_t j = 0; j < n; j++) p[j] = normal(d);
    return p;
}

/* `rank` > 0: the same for all modes; 0: 1 + n mod 4 in mode n, sometimes above I_n. */
static inline example make(int k, ptrdiff_t rank, draws *d)
{
    example x = { .s.order = 0 };
    while (x.s.order < CREASE_MAX_ORDER && shapes[k][x.s.order]) {
        const int n = x.s.order++;
        x.s.dim[n] = shapes[k][n];
        x.ranks.dim[n] = rank ? rank : 1 + (n + k) % 4;
    }
    x.ranks.order = x.s.order;
    x.t = random_array(d, crease_size(&x.s));
    if (!rank) x.core = random_array(d, crease_size(&x.ranks));
    for (int n = 0; n < x.s.order; n++) x.x[n] = random_array(d, x.s.dim[n] * x.ranks.dim[n]);
    return x;
}

static inline void discard(example *x)
{
    free(x->t), free(x->core);
    for (int n = 0; n < x->s.order; n++) free(x->x[n]);
}

static inline void index_of(const crease_space *s, ptrdiff_t j, ptrdiff_t *i)
{
    for (int n = s->order - 1; n >= 0; n--) i[n] = j % s->dim[n], j /= s->dim[n];
}

static inline double *doubles(ptrdiff_t n) { return calloc((size_t)n, sizeof(double)); }

#endif
