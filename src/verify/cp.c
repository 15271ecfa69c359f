/* SPDX-License-Identifier: MIT
 * cp: CP robust PCA judged row by row, from the definitions
 *
 *   X_n  |2 (M - Z)_(n) M_n + nu X_n|, to the normal cone where X_n >= 0; M = [[X_1..X_d]]
 *   E    dist(Lambda, alpha dR(E)), Lambda = 2 alpha_N W o B
 *   Z    |2 (Z - M) - Lambda|,   B  0 by the choice of Lambda,   |Z + E + B - T|
 *
 * A sum of n terms in long double is off by at most (n + 64) LDBL_EPSILON times the norms of its
 * factors: that is the rounding that is added to every residual. */
#include <stdio.h>

#include <crease/cp_fit.h>

#include "verify/cp.h"

/* Sums of squares over all entries. */
static void add_entry(crs_cp_check *k, real m, const crs_cp_entry_read *at)
{
    const real an = k->c->alpha_noise;
    const real b = at->seen ? at->noise : -at->split - at->sparse;
    const real lambda = at->seen ? 2 * an * b : 0, d = m - at->split;
    const crs_slopes s = crs_slopes_at(&k->reg, 0, at->sparse, k->reg.low, k->reg.high, 0);
    const real off = crs_nearest_slope(&s, lambda) - lambda;
    k->sum[CRS_DIST] += off * off;
    k->sum[CRS_LAMBDA] += lambda * lambda;
    k->sum[CRS_SPLIT] += (2 * d + lambda) * (2 * d + lambda);
    k->sum[CRS_GAP] += d * d;
    k->sum[CRS_M] += m * m;
    k->sum[CRS_Z] += (real)at->split * at->split;
    k->sum[CRS_E] += (real)at->sparse * at->sparse;
    k->sum[CRS_B] += b * b;
    k->sum[CRS_T] += at->seen ? (real)at->data * at->data : 0;
    const real s_j = (real)at->split + at->sparse + b - (at->seen ? (real)at->data : 0);
    k->sum[CRS_FEASIBLE] += s_j * s_j;
}

/* The sides of the tensor: Khatri-Rao rows of the modes from .. to-1, row l. */
static void product_row(const crs_cp_check *k, int from, int to, int skip, ptrdiff_t l, real *out)
{
    const crease_cp_claim *c = k->c;
    for (ptrdiff_t r = 0; r < c->rank; r++) out[r] = 1;
    for (int n = to - 1; n >= from; n--) {
        const double *x = c->factor[n] + l % c->shape.dim[n] * c->rank;
        l /= c->shape.dim[n];
        for (ptrdiff_t r = 0; r < c->rank && n != skip; r++) out[r] *= x[r];
    }
}

static bool read_row(crs_cp_check *k, ptrdiff_t row, crease_error *e)
{
    static const crease_cp_part part[] = { CREASE_CP_DATA, CREASE_CP_SEEN, CREASE_CP_SPLIT,
                                           CREASE_CP_SPARSE, CREASE_CP_NOISE };
    const crease_cp_claim *c = k->c;
    for (int p = 0; p < 5; p++)
        if (!c->read(c->user, part[p], row, k->row[p]))
            return crs_fail(e, CREASE_IO, "row %td of the result cannot be read", row + 1);
    return true;
}

/* One row: its sums, D = M - Z times the columns' products, and the columns' share of it. */
static bool sweep_row(crs_cp_check *k, ptrdiff_t row, crease_error *e)
{
    const crease_cp_claim *c = k->c;
    const ptrdiff_t rank = c->rank;
    real *left = k->left, *to = k->rows + row * rank;
    if (!read_row(k, row, e)) return false;
    product_row(k, 0, k->split, -1, row, left);
    for (ptrdiff_t j = 0; j < c->right; j++) {
        const real *right = k->columns + j * rank;
        const crs_cp_entry_read at = { k->row[0][j], k->row[2][j], k->row[3][j], k->row[4][j],
                                       k->row[1][j] != 0 };
        real m = 0;
        for (ptrdiff_t r = 0; r < rank; r++) m += left[r] * right[r];
        const real d = m - at.split;
        for (ptrdiff_t r = 0; r < rank; r++) {
            to[r] += d * right[r];
            k->collected[j * rank + r] += d * left[r];
        }
        add_entry(k, m, &at);
    }
    return true;
}

/* tr G_n = |M_n|^2 and X_n G_n, G_n the Hadamard product of the other modes' Grams */
static real gram(const crs_cp_check *k, int n)
{
    const crease_cp_claim *c = k->c;
    const ptrdiff_t rank = c->rank;
    real trace = 0;
    for (ptrdiff_t p = 0; p < rank * rank; p++) {
        k->gram[p] = 1;
        for (int j = 0; j < c->shape.order; j++) {
            real dot = 0;
            for (ptrdiff_t i = 0; j != n && i < c->shape.dim[j]; i++)
                dot += (real)c->factor[j][i * rank + p / rank] * c->factor[j][i * rank + p % rank];
            if (j != n) k->gram[p] *= dot;
        }
        if (p / rank == p % rank) trace += k->gram[p];
    }
    return trace;
}

/* D_(n) M_n from the side that mode n is on */
static void collect(crs_cp_check *k, int n)
{
    const crease_cp_claim *c = k->c;
    const bool row = n < k->split;
    const int from = row ? 0 : k->split, to = row ? k->split : c->shape.order;
    const ptrdiff_t rank = c->rank, dim = c->shape.dim[n];
    const real *table = row ? k->rows : k->collected;
    ptrdiff_t after = 1;
    for (int j = n + 1; j < to; j++) after *= c->shape.dim[j];
    for (ptrdiff_t j = 0; j < dim * rank; j++) k->product[j] = 0;
    for (ptrdiff_t l = 0, all = row ? c->left : c->right; l < all; l++) {
        product_row(k, from, to, n, l, k->left);
        for (ptrdiff_t r = 0; r < rank; r++)
            k->product[l / after % dim * rank + r] += table[l * rank + r] * k->left[r];
    }
}

static real cone(real x, real g) { return x > 0 ? g : x == 0 ? positive(-g) : (real)INFINITY; }

static void find_factor(crs_cp_check *k, int n, crs_finding *f)
{
    const crease_cp_claim *c = k->c;
    const ptrdiff_t rank = c->rank, size = c->shape.dim[n] * rank;
    const real reach = sqrtl(gram(k, n));
    real all = 0, without = 0, added = 0;
    collect(k, n);
    for (ptrdiff_t j = 0; j < size; j++) {
        const real x = c->factor[n][j];
        real xg = 0;
        for (ptrdiff_t r = 0; r < rank; r++)
            xg += c->factor[n][j / rank * rank + r] * k->gram[r * rank + j % rank];
        const real g = 2 * k->product[j] + c->ridge * x;
        const real off = c->nonneg ? cone(x, g) : g;
        all += off * off;
        without += 4 * (xg - k->product[j]) * (xg - k->product[j]);
        added += (2 * xg + c->ridge * x) * (2 * xg + c->ridge * x);
    }
    const real terms = sqrtl(k->sum[CRS_M]) + sqrtl(k->sum[CRS_Z]) + k->lengths;
    f->residual = sqrtl(all);
    f->scale = sqrtl(without) + sqrtl(added);
    f->rounding = working_roundings(c->left + c->right + rank + c->shape.order) * 2 *
                  (terms * reach + sqrtl(added));
}

/* E, Z, B and the constraint */
static void find_rest(crs_cp_check *k, crs_finding *block, crs_finding *feasibility)
{
    const real u = working_roundings(k->c->rank + k->c->shape.order);
    const real *sum = k->sum, lambda = sqrtl(sum[CRS_LAMBDA]);
    const real m = sqrtl(sum[CRS_M]), z = sqrtl(sum[CRS_Z]), e = sqrtl(sum[CRS_E]);
    const real b = sqrtl(sum[CRS_B]), t = sqrtl(sum[CRS_T]);
    block[0] = (crs_finding){ .residual = sqrtl(sum[CRS_DIST]), .scale = lambda };
    block[0].rounding = u * lambda;
    block[1] = (crs_finding){ .residual = sqrtl(sum[CRS_SPLIT]), .scale = 2 * m + 2 * z + lambda };
    block[1].rounding = u * (block[1].scale + 2 * k->lengths);
    block[2] = (crs_finding){ .scale = 2 * lambda, .rounding = u * lambda };
    *feasibility = (crs_finding){ .residual = sqrtl(sum[CRS_FEASIBLE]), .scale = z + e + b + t };
    feasibility->rounding = u * feasibility->scale;
}

bool crs_claim_sweep(crs_cp_check *k, crs_finding *block, crs_finding *feasibility, crease_error *e)
{
    const crease_cp_claim *c = k->c;
    const int d = c->shape.order;
    real squares = 0, rows = 0;
    for (ptrdiff_t j = 0; j < c->right; j++) {
        real *to = k->columns + j * c->rank;
        product_row(k, k->split, d, -1, j, to);
        for (ptrdiff_t r = 0; r < c->rank; r++) squares += to[r] * to[r];
    }
    for (ptrdiff_t row = 0; row < c->left; row++) {
        if (!sweep_row(k, row, e)) return false;
        for (ptrdiff_t r = 0; r < c->rank; r++) rows += k->left[r] * k->left[r];
    }
    k->lengths = sqrtl(squares) * sqrtl(rows); /* >= the size of the terms of M */
    for (int n = 0; n < d; n++) find_factor(k, n, &block[n]);
    find_rest(k, block + d, feasibility);
    return true;
}
