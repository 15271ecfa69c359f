/* SPDX-License-Identifier: MIT
 * cp: CP robust PCA judged from the definitions
 *
 *   X_n  |2 (M - Z)_(n) M_n + nu X_n|, to the normal cone where X_n >= 0; M = [[X_1..X_d]]
 *   E    dist(Lambda, alpha dR(E)), Lambda = 2 alpha_N W o B
 *   Z    |2 (Z - M) - Lambda|,   B  0 by the choice of Lambda,   |Z + E + B - T|
 *
 * What rounding did, to first order: a pass over the entries (cp.inc) has M to
 * (rank + 3 + 2d) u |rows' products| |columns' products|, D = M - Z to that and u |D|, and its sums
 * to `summing` of the size of their terms; the sums over its tables are in long double. No scale is
 * off by more than its residual and `summing` of itself. */
#include <stdio.h>

#include "verify/cp.h"

void crs_cp_product(const crs_cp_check *k, int from, int to, int skip, ptrdiff_t l, real *out)
{
    const crease_cp_claim *c = k->c;
    for (ptrdiff_t r = 0; r < c->rank; r++) out[r] = 1;
    for (int n = to - 1; n >= from; n--) {
        const double *x = c->factor[n] + l % c->shape.dim[n] * c->rank;
        l /= c->shape.dim[n];
        for (ptrdiff_t r = 0; r < c->rank && n != skip; r++) out[r] *= x[r];
    }
}

bool crs_cp_read(crs_cp_check *k, ptrdiff_t first, ptrdiff_t count, crease_error *e)
{
    static const crease_cp_part part[CRS_CP_PARTS] = { CREASE_CP_DATA, CREASE_CP_SEEN,
                                                       CREASE_CP_SPLIT, CREASE_CP_SPARSE,
                                                       CREASE_CP_NOISE };
    const crease_cp_claim *c = k->c;
    for (ptrdiff_t i = 0; i < count; i++)
        for (int p = 0; p < CRS_CP_PARTS; p++)
            if (!c->read(c->user, part[p], first + i, k->row[p] + i * c->right))
                return crs_fail(e, CREASE_IO, "row %td of the result cannot be read",
                                first + i + 1);
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
    const ptrdiff_t rank = c->rank, dim = c->shape.dim[n], all = row ? c->left : c->right;
    const real *table = row ? k->rows : k->collected;
    const ptrdiff_t next = row ? rank : 1, step = row ? 1 : c->right;
    ptrdiff_t after = 1;
    for (int j = n + 1; j < to; j++) after *= c->shape.dim[j];
    for (ptrdiff_t j = 0; j < dim * rank; j++) k->product[j] = 0;
    for (ptrdiff_t l = 0; l < all; l++) {
        crs_cp_product(k, from, to, n, l, k->side);
        for (ptrdiff_t r = 0; r < rank; r++)
            k->product[l / after % dim * rank + r] += table[l * next + r * step] * k->side[r];
    }
}

static real cone(real x, real g) { return x > 0 ? g : x == 0 ? positive(-g) : (real)INFINITY; }

/* |rounding of M| */
static real rounding_of_model(const crs_cp_check *k)
{
    const real count = (real)k->c->rank + 3 + 2 * k->c->shape.order;
    return count * k->unit * k->rows_length * k->columns_length + k->tiny;
}

static void find_factor(crs_cp_check *k, int n, crs_finding *f)
{
    const crease_cp_claim *c = k->c;
    const ptrdiff_t rank = c->rank, size = c->shape.dim[n] * rank;
    const real reach = sqrtl(gram(k, n)), gap = sqrtl(k->sum[CRS_GAP]);
    real all = 0, without = 0, added = 0, own = 0;
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
        own += x * x;
    }
    const real longest = (real)(c->left + c->right + size) * LDBL_EPSILON;
    f->residual = sqrtl(all);
    f->scale = sqrtl(without) + sqrtl(added);
    f->rounding = 2 * reach * (rounding_of_model(k) + (3 * k->unit + k->summing + longest) * gap);
    f->rounding += working_roundings(c->shape.dim[n] + rank + c->shape.order) * sqrtl(own) *
                   (2 * reach * reach + c->ridge);
    k->most = bigger(k->most, reach);
}

/* E, Z, B and the constraint */
static void find_rest(crs_cp_check *k, crs_finding *block, crs_finding *feasibility)
{
    const real u = k->unit, sums = k->summing, tiny = k->tiny;
    real norm[CRS_CP_SUMS];
    for (int s = 0; s < CRS_CP_SUMS; s++) norm[s] = sqrtl(k->sum[s]);
    const real lambda = norm[CRS_LAMBDA], dist = norm[CRS_DIST], z = norm[CRS_Z];
    block[0] = (crs_finding){ .residual = dist, .scale = lambda };
    block[0].rounding = 3 * u * lambda + working_roundings(0) * norm[CRS_SLOPES] + tiny;
    if (dist < INFINITY) block[0].rounding += (2 * u + sums) * dist;
    block[1] = (crs_finding){ .residual = norm[CRS_SPLIT] };
    block[1].scale = 2 * norm[CRS_M] + 2 * z + lambda;
    block[1].rounding = 2 * rounding_of_model(k) + 2 * u * (norm[CRS_GAP] + lambda);
    block[1].rounding += (u + sums) * norm[CRS_SPLIT] + tiny;
    block[2] = (crs_finding){ .scale = 2 * lambda, .rounding = u * lambda + tiny };
    *feasibility = (crs_finding){ .residual = norm[CRS_FEASIBLE] };
    feasibility->scale = z + norm[CRS_E] + norm[CRS_B] + norm[CRS_T];
    feasibility->rounding = 4 * u * feasibility->scale + sums * norm[CRS_FEASIBLE] + tiny;
    k->most = bigger(k->most, bigger(block[1].scale, feasibility->scale));
}

void crs_cp_find(crs_cp_check *k, crs_finding *block, crs_finding *feasibility)
{
    const int d = k->c->shape.order;
    k->most = bigger(k->rows_length, k->columns_length);
    for (int n = 0; n < d; n++) find_factor(k, n, &block[n]);
    find_rest(k, block + d, feasibility);
}
