/* SPDX-License-Identifier: MIT
 * recompute.h: stationarity residuals of fodder.h's problems from the definitions, by plain loops
 */
#ifndef CREASE_RECOMPUTE_H
#define CREASE_RECOMPUTE_H

#include "support/recompute_gradient.h"

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

/* Without compactness, or with |.|_0, the distance is the measure. */
static inline bool by_distance(const fodder *f, int i)
{
    const double *box = f->set[i].par;
    return f->shape[i] == NO_SET || f->reg[i] == L0 ||
           (f->shape[i] == BOX &&
            !(sqrt((double)crease_size(&f->space[i])) * (box[1] - box[0]) < INFINITY));
}

/* <c, x> + r(x) - min over y in X of <c, y> + r(y), r = 0 or l1 */
static inline real linear_gap(const fodder *f, int i, const real *c, const double *x)
{
    const int n = length(f, i);
    const double *set = f->set[i].par, w = f->reg[i] == L1 ? f->block[i].reg.par[0] : 0;
    real v[WIDE], sum = 0, least = INFINITY;
    for (int j = 0; j < n; j++) {
        sum += c[j] * x[j] + w * fabs(x[j]);
        v[j] = part(fabsl(c[j]) - w);
        least = c[j] + w < least || c[j] != c[j] ? c[j] + w : least;
        if (f->shape[i] != BOX) continue;
        real low = c[j] * set[0] + w * fabs(set[0]), high = c[j] * set[1] + w * fabs(set[1]);
        if (set[0] <= 0 && set[1] >= 0 && low > 0 && high > 0) low = 0;
        sum -= low < high ? low : high;
    }
    if (f->shape[i] == BALL) sum += set[0] * norm_of(n, v);
    return part(f->shape[i] == SIMPLEX ? sum - set[0] * least : sum);
}

static inline real block_residual(const fodder *f, int i, const real *c, const double *x)
{
    const int n = length(f, i);
    real v[WIDE], sum = 0, least = INFINITY;
    for (int j = 0; j < n; j++) {
        real low, high;
        subdifferential(f, i, x[j], &low, &high);
        const real w = c[j] + (-c[j] < low ? low : -c[j] > high ? high : -c[j]);
        v[j] = by_distance(f, i) ? entry_dist(f, i, c[j], x[j]) : w;
        if (f->shape[i] == BOX) sum += box_gap(f, i, c[j], x[j]);
        if (f->shape[i] != BOX) sum += (f->shape[i] == SIMPLEX ? c[j] : w) * x[j];
        least = c[j] < least || c[j] != c[j] ? c[j] : least;
    }
    if (by_distance(f, i)) return norm_of(n, v);
    if (f->shape[i] == BALL) return part(sum + f->set[i].par[0] * norm_of(n, v));
    return f->shape[i] == BOX ? sum : part(sum - f->set[i].par[0] * least);
}

/* What 32 roundings of every product in c may change, over a set of diameter <= 4 |par| too. */
static inline real allowance(const fodder *f, int i, const real *c)
{
    const double *set = f->set[i].par;
    const real reach = 4 * ((real)fabs(set[0]) + (f->shape[i] == BOX ? fabs(set[1]) : 0));
    return 32 * 0x1p-53L * norm_of(length(f, i), c + WIDE) * (by_distance(f, i) ? 1 : reach);
}

/* The largest residual of all conditions less its rounding; NaN when anything is. `linear`: by
 * the measure of conditional gradients. */
static inline real recompute(const fodder *f, bool linear, const double *const *x,
                             const double *lambda)
{
    const int m = f->p.range.order ? (int)crease_size(&f->p.range) : 0;
    real worst = 0, s[2 * WIDE] = { 0 };
    for (int r = 0; r < m; r++) plus(s, r, -(real)f->p.rhs[r]);
    for (int i = 0; i < f->p.count; i++) {
        real c[2 * WIDE] = { 0 };
        for (int k = 0; k < f->terms; k++) add_gradient(f, &f->term[k], x, i, c);
        for (int r = 0; r < m; r++)
            for (int j = 0; j < length(f, i); j++) {
                plus(c, j, -entry(f, i, r, j) * lambda[r]);
                plus(s, r, entry(f, i, r, j) * x[i][j]);
            }
        const real here = linear ? linear_gap(f, i, c, x[i]) : block_residual(f, i, c, x[i]);
        worst = larger_of(here - allowance(f, i, c), worst);
    }
    return larger_of(norm_of(m, s) - 32 * 0x1p-53L * norm_of(m, s + WIDE), worst);
}

#endif
