/* SPDX-License-Identifier: MIT
 * lp_loss: phi(u) = |u|^p, 1 < p < 2                                           convex
 *
 * phi'(u) = p sgn(u) |u|^{p-1} is not Lipschitz (L = INFINITY), but
 *     f(y) <= f(x) + <grad f(x), y-x> + (rho/2) |y-x|_p^p,  rho = 2^{3-p} |W|_1 |W|_inf^{p-1},
 * with the largest absolute column and row sums of W: from its columns while that is affordable,
 * otherwise by |W|_1 <= sqrt(rows) |W|_2 and |W|_inf <= sqrt(columns) |W|_2. */
#include "smooth/smooth.h"

enum { AFFORDABLE = 1 << 20 }; /* entries of W */

static double value(const double *par, double u) { return pow(fabs(u), par[0]); }

static double slope(const double *par, double u)
{
    return copysign(par[0] * pow(fabs(u), par[0] - 1), u);
}

/* p (p-1) |u|^{p-2}, unbounded at 0. Newton's step for |u|^p alone overshoots there, u becomes
 * (p-2)/(p-1) u: for tiny u phi'(u)/u = p |u|^{p-2} stands for it, whose step ends at 0. */
static double curve(const double *par, double u)
{
    const double y = fabs(u), least = 1e-15, tiny = 1e-6;
    return par[0] * (y <= tiny ? 1 : par[0] - 1) * pow(y <= least ? least : y, par[0] - 2);
}

/* Adds the row sums of |W_i| to row; returns its largest column sum. */
static double block_sums(const crease_predictor *p, const crease_blocks *b, int i, double *row,
                         double *work)
{
    const ptrdiff_t m = crease_size(&p->range), n = crease_size(&b->space[i]);
    double *a = work, most = 0;
    crs_predictor_matrix(p, b, i, a, a + m * n);
    for (ptrdiff_t j = 0; j < n; j++) {
        double sum = 0;
        for (ptrdiff_t k = 0; k < m; k++) {
            row[k] += fabs(a[k * n + j]);
            sum += fabs(a[k * n + j]);
        }
        most = larger(most, sum);
    }
    return most;
}

static bool exact_norms(const crease_smooth *f, const crease_blocks *b, double *one, double *inf,
                        crease_error *e)
{
    const crease_predictor *p = f->data;
    const ptrdiff_t m = crease_size(&p->range);
    ptrdiff_t widest = 0, columns = 0;
    for (int i = 0; i < b->count; i++) {
        const ptrdiff_t n = crs_predictor_touches(f, i) ? crease_size(&b->space[i]) : 0;
        columns += n;
        if (n > widest) widest = n;
    }
    double *row = crs_doubles(2 * m + m * widest + widest + crs_predictor_map_scratch(p, b),
                              "the norms of a map", e);
    if (!row) return false;
    *one = *inf = 0;
    for (int i = 0; i < b->count; i++)
        if (crs_predictor_touches(f, i)) *one = larger(*one, block_sums(p, b, i, row, row + m));
    for (ptrdiff_t k = 0; k < m; k++) *inf = larger(*inf, row[k]);
    *one = above(*one, (double)m);
    *inf = above(*inf, (double)columns);
    crs_free(row);
    return true;
}

static bool safe_norms(const crease_smooth *f, const crease_blocks *b, double *one, double *inf,
                       crease_error *e)
{
    const crease_predictor *p = f->data;
    double squared = 0, columns = 0;
    for (int i = 0; i < b->count; i++) {
        double norm;
        if (!crs_predictor_touches(f, i)) continue;
        if (!crs_predictor_norm(p, b, i, &norm, e)) return false;
        squared += norm * norm;
        columns += crease_sum(&b->space[i], (double)crease_size(&b->space[i]));
    }
    const double rows = crease_sum(&p->range, (double)crease_size(&p->range));
    *one = above(sqrt(rows * squared), b->count + 4);
    *inf = above(sqrt(columns * squared), b->count + 4);
    return true;
}

static bool affordable(const crease_smooth *f, const crease_blocks *b)
{
    const crease_predictor *p = f->data;
    double columns = 0;
    if (p->range.comm) return false;
    for (int i = 0; i < b->count; i++) {
        if (!crs_predictor_touches(f, i)) continue;
        if (b->space[i].comm) return false;
        columns += (double)crease_size(&b->space[i]);
    }
    return columns * (double)crease_size(&p->range) <= AFFORDABLE;
}

static bool hoelder(const crease_smooth *f, const crease_blocks *b, crease_constants *out,
                    crease_error *e)
{
    const double p = f->par[0];
    double one = NAN, inf = NAN;
    if (!(affordable(f, b) ? exact_norms : safe_norms)(f, b, &one, &inf, e)) return false;
    out->p = p;
    out->rho = above(exp2(3 - p) * one * pow(inf, p - 1), 8);
    return true;
}

static const crease_param params[] = {
    { "p", 1, 2, CREASE_OPEN_LOW | CREASE_OPEN_HIGH, "exponent" },
    { 0 },
};

const crs_loss crs_lp_loss = {
    .ops = { .name = "lp_loss",
             .formula = "sum_j w_j |u_j|^p, 1 < p < 2",
             .params = params,
             CRS_PREDICTOR_OPS },
    .value = value,
    .slope = slope,
    .curve = curve,
    .high = INFINITY,
    .hoelder = hoelder,
};

crease_smooth crease_lp_loss(const crease_predictor *p, double exponent)
{
    return (crease_smooth){ .ops = &crs_lp_loss.ops, .par = { exponent }, .data = p };
}
