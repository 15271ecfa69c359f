/* SPDX-License-Identifier: MIT
 * recompute_gradient.h: gradients of fodder.h's couplings in extended precision, by plain loops
 */
#ifndef CREASE_RECOMPUTE_GRADIENT_H
#define CREASE_RECOMPUTE_GRADIENT_H

#include "support/fodder.h"

typedef long double real;
enum { WIDE = 32 };

static inline int length(const fodder *f, int i) { return (int)crease_size(&f->space[i]); }
static inline real part(real t) { return t > 0 ? t : t == t ? 0 : t; }
static inline real norm_of(int n, const real *x)
{
    real top = 0, sum = 0;
    for (int j = 0; j < n; j++) top = fabsl(x[j]) > top || x[j] != x[j] ? fabsl(x[j]) : top;
    for (int j = 0; j < n && top > 0; j++) sum += x[j] / top * (x[j] / top);
    return top > 0 || top != top ? top * sqrtl(sum) : 0;
}

/* c_j += v, with the sizes of what was added kept behind: they tell what rounding may do. */
static inline void plus(real *c, int j, real v) { c[j] += v, c[WIDE + j] += fabsl(v); }

/* c += the gradient in block i of (1/2)|A x_a - y|^2 or sum log(1 + exp(-y (A x_a))) */
static inline void add_fit(const fodder *f, const term *t, const double *x, real *c)
{
    const int n = length(f, t->a);
    for (int r = 0; r < 6; r++) {
        real u = 0;
        real size = fabs(t->vector[r]);
        for (int j = 0; j < n; j++) {
            u += (real)t->matrix[r * n + j] * x[j];
            size += fabsl((real)t->matrix[r * n + j] * x[j]);
        }
        const real y = t->vector[r], slope = t->type == FIT ? u - y : -y / (1 + expl(y * u));
        for (int j = 0; j < n; j++) {
            c[j] += slope * t->matrix[r * n + j];
            c[WIDE + j] += (t->type == FIT ? size : 1 + size) * fabsl((real)t->matrix[r * n + j]);
        }
    }
}

/* |Z - X Y'|^2 with X a column of 2, Y one of 3: block 0, 1 or 3. */
static inline void add_factors(const double *const *x, int i, real *c)
{
    for (int r = 0; r < 2; r++)
        for (int s = 0; s < 3; s++) {
            const real z = 2 * (real)x[3][r * 3 + s], w = 2 * (real)x[0][r] * x[1][s];
            const real by = i == 0 ? -x[1][s] : i == 1 ? -x[0][r] : 1;
            const int j = i == 0 ? r : i == 1 ? s : r * 3 + s;
            if (i != 2) plus(c, j, by * z), plus(c, j, -by * w);
        }
}

static inline void add_gradient(const fodder *f, const term *t, const double *const *x, int i,
                                real *c)
{
    const int n = length(f, i);
    const bool first = i == t->a, second = i == t->b;
    if (t->type == FACTORS) add_factors(x, i, c);
    if (t->type == BILINEAR && (first || second)) {
        const int other = first ? t->b : t->a, m = length(f, other);
        for (int j = 0; j < n; j++)
            for (int k = 0; k < m; k++)
                plus(c, j,
                     (real)t->weight * t->matrix[first ? j * m + k : k * n + j] * x[other][k]);
    }
    if (t->type == DISTANCE && (first || second))
        for (int j = 0; j < n; j++) {
            const real w = (first ? 1 : -1) * (real)t->weight;
            plus(c, j, w * x[t->a][j]), plus(c, j, -w * t->vector[j]);
            if (t->b >= 0) plus(c, j, -w * x[t->b][j]);
        }
    if (!first) return;
    if (t->type == FIT || t->type == LOGIT) add_fit(f, t, x[i], c);
    for (int j = 0; t->type == OWN && j < n; j++)
        plus(c, j, 3 * (real)x[i][j]), plus(c, j, -(real)t->vector[j]);
    for (int j = 0; t->type == QUADRATIC && j < n; j++) {
        plus(c, j, t->vector[j]);
        for (int k = 0; k < n; k++) plus(c, j, (real)t->matrix[j * n + k] * x[i][k]);
    }
}

#endif
