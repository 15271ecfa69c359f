/* SPDX-License-Identifier: MIT
 * quadratic_constants: L = |Q|, L_i = |Q_ii|, M = |Q_last,:|, rho = max(lambda_max(Q), 0)
 *
 * Lower bounds of f: 0 when Q >= 0 and q = 0; with lambda_min >= l > 0 and any y,
 *     f >= f(y) - |grad f(y)|^2 / (2 l),  taken at the computed solution of Q y = -q;
 * on |x_i| <= r_i: min(lambda_min, 0) sum_i r_i^2 / 2 - sum_i |q_i| r_i. */
#include "dense/dense.h"
#include "smooth/quadratic.h"

/* q over the blocks f touches */
static void linear_part(const crease_smooth *f, const crease_blocks *b, double *g)
{
    for (int i = 0; i < b->count; i++)
        if (linear_of(f->data, i))
            copy(crease_size(&b->space[i]), linear_of(f->data, i),
                 g + crs_quadratic_offset(f, b, -1, i));
}

/* y near -Q^{-1} q, g = Q y + q; a has room for n x n numbers */
static void solve(const crease_smooth *f, const crease_blocks *b, ptrdiff_t n, double *a, double *y,
                  double *g)
{
    crs_quadratic_hessian(f, b, -1, n, a);
    for (ptrdiff_t j = 0; j < n; j++) y[j] = -g[j];
    if (crs_cholesky(n, a)) crs_cholesky_solve(n, a, 1, y);
    if (!crs_all_finite(n, y)) fill(n, 0, y);
    fill(n * n, 0, a);
    crs_quadratic_hessian(f, b, -1, n, a);
    crs_gemv(false, n, n, 1, a, y, 1, g);
}

/* The bound for lambda_min(Q) >= low > 0, |Q| <= size. */
static bool definite_bound(const crease_smooth *f, const crease_blocks *b, double low, double size,
                           double *bound, crease_error *e)
{
    const ptrdiff_t n = crs_quadratic_offset(f, b, -1, b->count);
    const bool affordable = n <= CRS_QUADRATIC_EIGH;
    double *q = crs_doubles(3 * n + (affordable ? n * n : 0), "the bound of a quadratic", e);
    if (!q) return false;
    double *y = q + n, *g = y + n;
    linear_part(f, b, q);
    copy(n, q, g);
    if (affordable) solve(f, b, n, g + n, y, g);
    /* rounding of g, and of f(y) = y'(g + q)/2 */
    const double slack = 4 * ((double)n + 4) * sqrt((double)n) * 0x1p-52;
    const double ny = crs_norm(n, y), nq = crs_norm(n, q);
    const double ng = crs_norm(n, g) + slack * (size * ny + nq);
    *bound = (crs_dot(n, y, g) + crs_dot(n, y, q)) / 2 - slack * ny * (size * ny + nq) -
             above(ng * ng / (2 * low), 8);
    crs_free(q);
    return true;
}

/* The bound from the radii; -INFINITY when one is missing. */
static double region_bound(const crease_smooth *f, const crease_blocks *b, double low)
{
    double bound = 0;
    for (int i = 0; i < b->count; i++) {
        const double r = radius_of(b, i);
        if (!crs_quadratic_touches(f, i)) continue;
        const double *linear = linear_of(f->data, i);
        const double slope = linear ? crs_norm(crease_size(&b->space[i]), linear) : 0;
        bound -= times(pos(-low) / 2, r * r) + times(slope, r);
    }
    return -above(-bound, 8.0 * b->count + 8);
}

static bool lower_bound(const crease_smooth *f, const crease_blocks *b, double low, double size,
                        double *lower, crease_error *e)
{
    *lower = region_bound(f, b, low);
    if (!(low > 0) || *lower == 0) return true;
    double bound;
    if (!definite_bound(f, b, low, size, &bound, e)) return false;
    *lower = larger(*lower, bound);
    return true;
}

static bool last_block(const crease_smooth *f, const crease_blocks *b, int last,
                       crease_constants *out, crease_error *e)
{
    const crease_quadratic_data *q = f->data;
    out->separable_last = true;
    for (int k = 0; k < q->count; k++)
        if ((q->row[k] == last) != (q->col[k] == last)) out->separable_last = false;
    out->quadratic_last = out->separable_last;
    if (!crs_quadratic_touches(f, last)) return true;

    const ptrdiff_t m = crease_size(&b->space[last]);
    const ptrdiff_t n = crs_quadratic_offset(f, b, -1, b->count);
    double *row = crs_doubles(m * n, "the last block of a quadratic", e);
    if (!row) return false;
    crs_quadratic_rows(f, b, -1, last, n, row);
    const bool ok = crs_norm_bound(m, n, row, &out->M, e);
    crs_free(row);
    out->M = smaller(out->M, out->L);
    return ok && (!out->quadratic_last ||
                  crs_quadratic_range(f, b, last, &out->last_low, &out->last_high, e));
}

bool crs_quadratic_constants(const crease_smooth *f, const crease_blocks *b, int last,
                             crease_constants *out, double *block, crease_error *e)
{
    double low, high;
    for (int i = 0; block && i < b->count; i++) {
        if (!crs_quadratic_range(f, b, i, &low, &high, e)) return false;
        block[i] = larger(fabs(low), fabs(high));
    }
    if (!crs_quadratic_range(f, b, -1, &low, &high, e)) return false;
    *out = (crease_constants){
        .L = larger(fabs(low), fabs(high)), .p = 2, .rho = pos(high), .concave = high <= 0
    };
    return lower_bound(f, b, low, out->L, &out->lower, e) && last_block(f, b, last, out, e);
}
