/* SPDX-License-Identifier: MIT
 * recompute.h: stationarity residuals of fodder.h's problems from the definitions, by plain loops
 */
#ifndef CREASE_RECOMPUTE_H
#define CREASE_RECOMPUTE_H

#include "fodder.h"

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

/* c += the gradient in block i of (1/2)|A x_a - y|^2 or sum log(1 + exp(-y (A x_a))) */
static inline void add_fit(const fodder *f, const term *t, const double *x, real *c)
{
    const int n = length(f, t->a);
    for (int r = 0; r < 6; r++) {
        real u = 0;
        for (int j = 0; j < n; j++) u += (real)t->matrix[r * n + j] * x[j];
        const real y = t->vector[r], slope = t->type == FIT ? u - y : -y / (1 + expl(y * u));
        for (int j = 0; j < n; j++) c[j] += slope * t->matrix[r * n + j];
    }
}

/* |Z - X Y'|^2 with X a column of 2, Y one of 3: block 0, 1 or 3. */
static inline void add_factors(const double *const *x, int i, real *c)
{
    for (int r = 0; r < 2; r++)
        for (int s = 0; s < 3; s++) {
            const real u = 2 * ((real)x[3][r * 3 + s] - (real)x[0][r] * x[1][s]);
            if (i == 0) c[r] -= u * x[1][s];
            if (i == 1) c[s] -= u * x[0][r];
            if (i == 3) c[r * 3 + s] += u;
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
                c[j] += (real)t->weight * t->matrix[first ? j * m + k : k * n + j] * x[other][k];
    }
    if (t->type == DISTANCE && (first || second))
        for (int j = 0; j < n; j++)
            c[j] += (first ? 1 : -1) * (real)t->weight *
                    ((real)x[t->a][j] - (t->b < 0 ? 0 : (real)x[t->b][j]) - t->vector[j]);
    if (!first) return;
    if (t->type == FIT || t->type == LOGIT) add_fit(f, t, x[i], c);
    for (int j = 0; t->type == OWN && j < n; j++) c[j] += 3 * (real)x[i][j] - t->vector[j];
    for (int j = 0; t->type == QUADRATIC && j < n; j++) {
        c[j] += t->vector[j];
        for (int k = 0; k < n; k++) c[j] += (real)t->matrix[j * n + k] * x[i][k];
    }
}

/* Entry (r, j) of A_i. */
static inline real entry(const fodder *f, int i, int r, int j)
{
    if (f->link[i] == NO_MAP) return 0;
    if (f->link[i] == SCALE) return r == j ? f->block[i].map.par[0] : 0;
    return f->matrix[i][r * length(f, i) + j];
}

/* The ends of dr(x_j): both the same where r is smooth; infinite for |.|_0 at 0. */
static inline void subdifferential(const fodder *f, int i, double x, real *low, real *high)
{
    const double *par = f->block[i].reg.par;
    const real w = fabs(x), sign = x > 0 ? 1 : -1;
    real slope = 0;
    if (f->reg[i] == L1) slope = par[0];
    if (f->reg[i] == ENET) slope = par[0] + par[1] * w;
    if (f->reg[i] == MCP) slope = part(par[0] - w / par[1]);
    if (f->reg[i] == L0) slope = x == 0 ? INFINITY : 0;
    *low = x == 0 ? -slope : sign * slope;
    *high = x == 0 ? slope : sign * slope;
}

static inline real larger_of(real a, real b) { return a > b || a != a ? a : b; }

/* min over g in [low, high] of max((c+g)(x-l), (c+g)(x-u)) */
static inline real box_gap(const fodder *f, int i, real c, double x)
{
    const double *box = f->set[i].par;
    real low, high;
    subdifferential(f, i, x, &low, &high);
    const real g = -c < low ? low : -c > high ? high : -c;
    return part(larger_of((c + g) * (x - box[0]), (c + g) * (x - box[1])));
}

/* dist(-c, d(r + indicator of the box)(x)) for one entry; no set: an infinite box */
static inline real entry_dist(const fodder *f, int i, real c, double x)
{
    const double *box = f->set[i].par;
    real low, high;
    subdifferential(f, i, x, &low, &high);
    if (f->shape[i] == BOX && x == box[0]) low = -INFINITY;
    if (f->shape[i] == BOX && x == box[1]) high = INFINITY;
    return larger_of(part(low + c), part(-c - high));
}

static inline real block_residual(const fodder *f, int i, const real *c, const double *x)
{
    const int n = length(f, i);
    real v[WIDE], sum = 0, least = INFINITY;
    if (f->shape[i] == NO_SET || f->reg[i] == L0) {
        for (int j = 0; j < n; j++) v[j] = entry_dist(f, i, c[j], x[j]);
        return norm_of(n, v);
    }
    for (int j = 0; j < n; j++) {
        real low, high;
        subdifferential(f, i, x[j], &low, &high);
        if (f->shape[i] == BOX) sum += box_gap(f, i, c[j], x[j]);
        if (f->shape[i] != BOX) v[j] = c[j] + (-c[j] < low ? low : -c[j] > high ? high : -c[j]);
        if (f->shape[i] != BOX) sum += (f->shape[i] == SIMPLEX ? c[j] : v[j]) * x[j];
        least = c[j] < least || c[j] != c[j] ? c[j] : least;
    }
    if (f->shape[i] == BALL) return part(sum + f->set[i].par[0] * norm_of(n, v));
    return f->shape[i] == BOX ? sum : part(sum - f->set[i].par[0] * least);
}

/* The largest residual of all conditions; NaN when anything is. */
static inline real recompute(const fodder *f, const double *const *x, const double *lambda)
{
    const int m = f->p.range.order ? (int)crease_size(&f->p.range) : 0;
    real worst = 0, s[WIDE];
    for (int r = 0; r < m; r++) s[r] = -(real)f->p.rhs[r];
    for (int i = 0; i < f->p.count; i++) {
        const int n = length(f, i);
        real c[WIDE] = { 0 };
        for (int k = 0; k < f->terms; k++) add_gradient(f, &f->term[k], x, i, c);
        for (int r = 0; r < m; r++)
            for (int j = 0; j < n; j++) {
                c[j] -= entry(f, i, r, j) * lambda[r];
                s[r] += entry(f, i, r, j) * x[i][j];
            }
        worst = larger_of(block_residual(f, i, c, x[i]), worst);
    }
    return larger_of(norm_of(m, s), worst);
}

#endif
