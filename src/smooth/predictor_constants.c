/* SPDX-License-Identifier: MIT
 * predictor_constants: with phi'' in [low, high], c = max(|low|, |high|) and W = (W_1, ..., W_N):
 *     L = c |W|^2 <= c sum_i |W_i|^2,  L_i = c |W_i|^2,  M = c |W_last| |W|,
 *     rho = max(high, 0) |W|^2 with p = 2;  |W_i| <= sum of the norms of the maps on block i. */
#include "map/map.h"
#include "smooth/smooth.h"

bool crs_predictor_norm(const crease_predictor *p, const crease_blocks *b, int i, double *bound,
                        crease_error *e)
{
    *bound = 0;
    for (int k = 0; k < p->count; k++) {
        double norm;
        if (p->block[k] != i) continue;
        if (!crease_map_norm(&p->map[k], &b->space[i], &p->range, &norm, e)) return false;
        *bound = plus(*bound, norm);
    }
    return true;
}

bool crs_predictor_diagonal(const crease_predictor *p, const crease_blocks *b, int i)
{
    const crease_space *dom = i >= 0 && i < b->count ? &b->space[i] : NULL;
    if (!dom || crease_size(dom) != crease_size(&p->range)) return false;
    for (int k = 0; k < p->count; k++) {
        const crease_map *A = &p->map[k];
        double c;
        const bool known = A->ops == &crs_diagonal_ops || A->ops == &crs_mask_ops;
        if (p->block[k] == i && !known && !crease_map_is_identity(A, dom, &p->range, &c))
            return false;
    }
    return true;
}

/* The squares of the diagonal W_i 1 lie in [low, high]. */
static bool diagonal_range(const crease_predictor *p, const crease_blocks *b, int i,
                           crease_constants *out, crease_error *e)
{
    const ptrdiff_t n = crease_size(&p->range);
    double *one = crs_doubles(2 * n + crs_predictor_map_scratch(p, b), "a diagonal map", e);
    if (!one) return false;
    double *d = one + n, low = INFINITY, high = 0;
    fill(n, 1, one);
    crs_predictor_apply(p, b, i, 1, one, d, d + n);
    for (ptrdiff_t j = 0; j < n; j++) {
        low = smaller(low, d[j] * d[j]);
        high = larger(high, d[j] * d[j]);
    }
    crs_free(one);
    out->last_low = -crease_max(&p->range, -low);
    out->last_high = crease_max(&p->range, high);
    return true;
}

/* The eigenvalues of W_i'W_i: for a square map, those of W_i W_i'. */
static bool last_range(const crease_predictor *p, const crease_blocks *b, int i,
                       crease_constants *out, crease_error *e)
{
    double norm;
    if (crs_predictor_diagonal(p, b, i)) return diagonal_range(p, b, i, out, e);
    if (!crs_predictor_norm(p, b, i, &norm, e)) return false;
    out->last_high = above(norm * norm, 1);
    out->last_low = 0;
    const bool same = crease_size(&b->space[i]) == crease_size(&p->range);
    if (p->count != 1 || !same || b->space[i].comm || p->range.comm) return true;
    return crease_map_sigma_min(&p->map[0], &b->space[i], &p->range, &out->last_low, e);
}

static bool last_block(const crease_smooth *f, const crease_blocks *b, int last,
                       crease_constants *out, crease_error *e)
{
    const crease_predictor *p = f->data;
    const bool quadratic = loss_of(f)->quadratic;
    bool touched = false, others = false;
    for (int k = 0; k < p->count; k++) {
        touched = touched || p->block[k] == last;
        others = others || p->block[k] != last;
    }
    out->separable_last = !touched || !others;
    out->quadratic_last = out->separable_last && (!touched || quadratic);
    return !touched || !out->quadratic_last || last_range(p, b, last, out, e);
}

bool crs_predictor_constants(const crease_smooth *f, const crease_blocks *b, int last,
                             crease_constants *out, double *block, crease_error *e)
{
    const crease_predictor *p = f->data;
    const crs_loss *loss = loss_of(f);
    const double c = larger(fabs(loss->low), fabs(loss->high));
    double sum = 0, at_last = 0;
    for (int i = 0; i < b->count; i++) {
        double norm;
        if (!crs_predictor_norm(p, b, i, &norm, e)) return false;
        const double squared = above(norm * norm, 2);
        if (block) block[i] = times(c, squared);
        if (i == last) at_last = norm;
        sum = plus(sum, squared);
    }
    *out = (crease_constants){
        .L = times(c, sum),
        .M = times(c, above(at_last * sqrt(sum), 4)),
        .p = 2,
        .rho = times(pos(loss->high), sum),
    };
    return last_block(f, b, last, out, e) && (!loss->hoelder || loss->hoelder(f, b, out, e));
}
