/* SPDX-License-Identifier: MIT
 * tensor_examples.h: random tensors and factors of many shapes, orders 2 to 8 */
#ifndef CREASE_TENSOR_EXAMPLES_H
#define CREASE_TENSOR_EXAMPLES_H

#include "support/arrays.h"
#include "tensor/tensor.h"

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
    x.t = random_doubles(d, crease_size(&x.s), 1);
    if (!rank) x.core = random_doubles(d, crease_size(&x.ranks), 1);
    for (int n = 0; n < x.s.order; n++) x.x[n] = random_doubles(d, x.s.dim[n] * x.ranks.dim[n], 1);
    return x;
}

static inline void discard(example *x)
{
    free(x->t), free(x->core);
    for (int n = 0; n < x->s.order; n++) free(x->x[n]);
}

#endif
