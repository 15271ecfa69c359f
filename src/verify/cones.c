/* SPDX-License-Identifier: MIT
 * cones: more sets of the catalogue: rows on a box, cones and their capped parts, balls of lines,
 * and two that are not convex, of which supports are those of the hull
 *
 *   half-space, hyperplane    a'x <= b, a'x = b
 *   box-hyperplane            l <= x <= u, a'x = b
 *   soc, capped-soc           |x| <= t, t <= R
 *   psd, capped-psd           X = X' >= 0, trace X <= R
 *   column-balls, row-balls   |x| <= R for every line
 *   l0-ball, rank-ball        k entries, k singular values that are not 0 */
#include "verify/verify.h"

static bool is(const crease_set *c, const char *name) { return strcmp(c->ops->name, name) == 0; }

bool crs_row_of(const crease_set *c, crs_row *r)
{
    const crease_row *given = c->data;
    const crs_box all = { -INFINITY, INFINITY, NULL, NULL }, above = { 0, INFINITY, NULL, NULL };
    const bool plane = is(c, "hyperplane"), full = is(c, "full-simplex");
    if (plane || is(c, "half-space")) return *r = (crs_row){ all, c->vec, c->par[0], plane }, true;
    if (full || is(c, "simplex")) return *r = (crs_row){ above, NULL, c->par[0], !full }, true;
    if (is(c, "capped-simplex"))
        return *r = (crs_row){ { 0, 1, NULL, NULL }, NULL, c->par[0], true }, true;
    if (!is(c, "box-hyperplane")) return false;
    *r = (crs_row){ { c->par[0], c->par[1], NULL, NULL }, c->vec, c->par[2], true };
    if (given) {
        const crease_bounds *b = &given->box;
        *r = (crs_row){ { b->low, b->high, b->lower, b->upper }, given->a, given->b, true };
    }
    return true;
}

real crs_off_row(const crs_row *r, ptrdiff_t n, const real *x, real *size)
{
    real sum = -r->b;
    *size = fabsl(r->b);
    for (ptrdiff_t j = 0; j < n; j++) {
        sum += row_at(r, j) * x[j];
        *size += fabsl(row_at(r, j) * x[j]);
    }
    return sum;
}

static void row_membership(crs_verifier *v, const crease_set *c, const crease_space *s,
                           const real *x, real slack, crs_membership *m)
{
    const ptrdiff_t n = crease_size(s);
    crs_row r;
    real size, steep = 0;
    (void)v;
    crs_row_of(c, &r);
    for (ptrdiff_t j = 0; j < n; j++) {
        demand(m, box_low(&r.box, j) - x[j], slack + beyond(box_low(&r.box, j)));
        demand(m, x[j] - box_high(&r.box, j), slack + beyond(box_high(&r.box, j)));
        steep += fabsl(row_at(&r, j));
    }
    const real off = crs_off_row(&r, n, x, &size), allowance = roundings(n) * size + steep * slack;
    demand(m, r.equality ? fabsl(off) : off, allowance);
}

real crs_multiple_of(const crs_row *r, ptrdiff_t n, const real *w, real *rest)
{
    real product = 0, square = 0;
    for (ptrdiff_t j = 0; j < n; j++) {
        product += w[j] * row_at(r, j);
        square += row_at(r, j) * row_at(r, j);
    }
    *rest = 0;
    for (ptrdiff_t j = 0; j < n; j++)
        *rest = bigger(*rest, fabsl(w[j] - product / square * row_at(r, j)));
    return product / square;
}

static real plane_support(crs_verifier *v, const crease_set *c, const crease_space *s,
                          const real *w)
{
    const ptrdiff_t n = crease_size(s);
    crs_row r;
    real rest, most = 0;
    (void)v;
    crs_row_of(c, &r);
    const real mu = crs_multiple_of(&r, n, w, &rest);
    for (ptrdiff_t j = 0; j < n; j++) most = bigger(most, fabsl(w[j]));
    return rest <= roundings(n) * most && (r.equality || mu >= 0) ? mu * r.b : (real)INFINITY;
}

static real no_diameter(crs_verifier *v, const crease_set *c, const crease_space *s)
{
    (void)v;
    return is(c, "hyperplane") && crease_size(s) == 1 ? 0 : (real)INFINITY;
}

/* max <w, x> by duality: min over mu of mu b + sum_j max over [l_j, u_j] of (w_j - mu a_j) x. The
 * best mu is one of the w_j/a_j; the least over these is attained, any mu is no less. */
static real knapsack_dual(const crs_row *r, ptrdiff_t n, const real *w, real mu, real *slope)
{
    real sum = mu * r->b;
    *slope = r->b;
    for (ptrdiff_t j = 0; j < n; j++) {
        const real a = row_at(r, j), pull = w[j] - mu * a;
        const real at = pull > 0 ? box_high(&r->box, j) : box_low(&r->box, j);
        sum += pull * at;
        *slope -= a * at;
    }
    return sum;
}

/* The dual is convex: halving between its corners, in order. */
static real knapsack_support(crs_verifier *v, const crease_set *c, const crease_space *s,
                             const real *w)
{
    const ptrdiff_t n = crease_size(s);
    real *corner = crs_reals(v, n), least = INFINITY, slope;
    ptrdiff_t count = 0;
    crs_row r;
    if (!corner) return NAN;
    crs_row_of(c, &r);
    for (ptrdiff_t j = 0; j < n; j++)
        if (row_at(&r, j) != 0) corner[count++] = w[j] / row_at(&r, j);
    crs_sort_down(count, corner);
    for (ptrdiff_t from = 0, to = count; from < to;) {
        const ptrdiff_t middle = from + (to - from) / 2;
        least = -bigger(-least, -knapsack_dual(&r, n, w, corner[middle], &slope));
        if (slope > 0)
            from = middle + 1;
        else
            to = middle;
    }
    return least;
}

/* Sides, and sum |a_j| |x_j - y_j| <= 2 min(b - min a'x, max a'x - b) over the box. */
static real knapsack_diameter(crs_verifier *v, const crease_set *c, const crease_space *s)
{
    const ptrdiff_t n = crease_size(s);
    real low = 0, high = 0, sides = 0, loose = 0, densest = 0;
    crs_row r;
    (void)v;
    crs_row_of(c, &r);
    for (ptrdiff_t j = 0; j < n; j++) {
        const real a = row_at(&r, j), one = a * box_low(&r.box, j), other = a * box_high(&r.box, j);
        low += one < other ? one : other;
        high += one < other ? other : one;
    }
    const real slack = positive(r.b - low < high - r.b ? r.b - low : high - r.b);
    for (ptrdiff_t j = 0; j < n; j++) {
        const real a = fabsl(row_at(&r, j));
        real side = box_high(&r.box, j) - box_low(&r.box, j);
        if (a > 0 && slack / a < side) side = slack / a;
        sides += side * side;
        if (a > 0)
            densest = bigger(densest, side / a);
        else
            loose += side * side;
    }
    const real by_row = loose + 2 * slack * densest;
    return sqrtl(by_row < sides ? by_row : sides);
}

static void soc_membership(crs_verifier *v, const crease_set *c, const crease_space *s,
                           const real *x, real slack, crs_membership *m)
{
    const ptrdiff_t last = crease_size(s) - 1;
    const real norm = crs_length(last, x), size = norm + fabsl(x[last]);
    (void)v;
    demand(m, norm - x[last], roundings(last) * size + (real)(last + 1) * slack);
    if (is(c, "capped-soc")) demand(m, x[last] - c->par[0], slack + beyond(c->par[0]));
}

static real soc_support(crs_verifier *v, const crease_set *c, const crease_space *s, const real *w)
{
    const ptrdiff_t last = crease_size(s) - 1;
    const real norm = crs_length(last, w);
    (void)v;
    if (is(c, "capped-soc")) return c->par[0] * positive(norm + w[last]);
    return norm + w[last] <= roundings(last) * norm ? 0 : (real)INFINITY;
}

static real soc_diameter(crs_verifier *v, const crease_set *c, const crease_space *s)
{
    (void)v;
    if (is(c, "soc")) return INFINITY;
    return c->par[0] * (crease_size(s) == 1 ? 1 : 2);
}

static real matrix_roundings(const crease_space *s)
{
    return 8 * ((real)s->dim[0] + (real)s->dim[1]) * DBL_EPSILON;
}

static void psd_membership(crs_verifier *v, const crease_set *c, const crease_space *s,
                           const real *x, real slack, crs_membership *m)
{
    const ptrdiff_t n = s->dim[0];
    real *minus = crs_reals(v, n * n), trace = 0, lowest;
    if (!minus) return;
    for (ptrdiff_t j = 0; j < n * n; j++) minus[j] = -x[j];
    if (!crs_top_eigenvalue(v, n, minus, &lowest)) return;
    const real allowance = matrix_roundings(s) * crs_length(n * n, x) + (real)(n * n) * slack;
    for (ptrdiff_t i = 0; i < n; i++) {
        trace += x[i * n + i];
        for (ptrdiff_t j = 0; j < i; j++) demand(m, fabsl(x[i * n + j] - x[j * n + i]), allowance);
    }
    demand(m, lowest, allowance);
    if (is(c, "capped-psd"))
        demand(m, trace - c->par[0], allowance + matrix_roundings(s) * c->par[0]);
}

static real psd_support(crs_verifier *v, const crease_set *c, const crease_space *s, const real *w)
{
    const ptrdiff_t n = s->dim[0];
    real top;
    if (!crs_top_eigenvalue(v, n, w, &top)) return NAN;
    if (is(c, "capped-psd")) return c->par[0] * positive(top);
    return top <= matrix_roundings(s) * crs_length(n * n, w) ? 0 : (real)INFINITY;
}

static real psd_diameter(crs_verifier *v, const crease_set *c, const crease_space *s)
{
    (void)v;
    if (is(c, "psd")) return INFINITY;
    return c->par[0] * (s->dim[0] == 1 ? 1 : sqrtl(2));
}

/* |x| of line i */
static real line_length(const crease_set *c, const crease_space *s, ptrdiff_t i, const real *x)
{
    const ptrdiff_t m = s->dim[0], n = s->dim[1];
    const bool rows = is(c, "row-balls");
    real norm = 0;
    for (ptrdiff_t k = 0; k < (rows ? n : m); k++)
        norm = hypotl(norm, x[rows ? i * n + k : k * n + i]);
    return norm;
}

static ptrdiff_t line_count(const crease_set *c, const crease_space *s)
{
    return s->dim[is(c, "row-balls") ? 0 : 1];
}

static void line_membership(crs_verifier *v, const crease_set *c, const crease_space *s,
                            const real *x, real slack, crs_membership *m)
{
    const ptrdiff_t count = line_count(c, s), length = crease_size(s) / count;
    (void)v;
    for (ptrdiff_t i = 0; i < count; i++)
        demand(m, line_length(c, s, i, x) - c->par[0],
               roundings(length) * c->par[0] + (real)length * slack);
}

static real line_support(crs_verifier *v, const crease_set *c, const crease_space *s, const real *w)
{
    real sum = 0;
    (void)v;
    for (ptrdiff_t i = 0, count = line_count(c, s); i < count; i++) sum += line_length(c, s, i, w);
    return c->par[0] * sum;
}

static real line_diameter(crs_verifier *v, const crease_set *c, const crease_space *s)
{
    (void)v;
    return 2 * c->par[0] * sqrtl((real)line_count(c, s));
}

static ptrdiff_t allowed(const crease_set *c, ptrdiff_t most)
{
    return c->par[0] < (double)most ? (ptrdiff_t)c->par[0] : most;
}

static void l0_membership(crs_verifier *v, const crease_set *c, const crease_space *s,
                          const real *x, real slack, crs_membership *m)
{
    const ptrdiff_t n = crease_size(s), k = allowed(c, n);
    real *a = crs_reals(v, n);
    if (!a || k == n) return;
    for (ptrdiff_t j = 0; j < n; j++) a[j] = fabsl(x[j]);
    crs_sort_down(n, a);
    demand(m, a[k], slack);
}

static void rank_membership(crs_verifier *v, const crease_set *c, const crease_space *s,
                            const real *x, real slack, crs_membership *m)
{
    crs_svd_real f;
    if (!crs_jacobi(v, s->dim[0], s->dim[1], x, &f)) return;
    const ptrdiff_t k = allowed(c, f.k);
    if (k == f.k) return;
    ptrdiff_t rank;
    if (!crs_rank_of(v, &f, x, &rank)) return;
    demand(m, rank <= k ? 0 : f.s[k], (real)crease_size(s) * slack);
}

/* of the hull, which is everything */
static real hull_support(crs_verifier *v, const crease_set *c, const crease_space *s, const real *w)
{
    const real norm = crs_length(crease_size(s), w);
    (void)v, (void)c;
    return norm > 0 ? (real)INFINITY : norm;
}

const crs_set_rule crs_cone_rules[] = {
    { "half-space", row_membership, plane_support, no_diameter, false, false },
    { "hyperplane", row_membership, plane_support, no_diameter, false, false },
    { "box-hyperplane", row_membership, knapsack_support, knapsack_diameter, false, false },
    { "soc", soc_membership, soc_support, soc_diameter, false, false },
    { "capped-soc", soc_membership, soc_support, soc_diameter, false, false },
    { "psd", psd_membership, psd_support, psd_diameter, false, false },
    { "capped-psd", psd_membership, psd_support, psd_diameter, false, false },
    { "column-balls", line_membership, line_support, line_diameter, true, false },
    { "row-balls", line_membership, line_support, line_diameter, true, false },
    { "l0-ball", l0_membership, hull_support, no_diameter, false, false },
    { "rank-ball", rank_membership, hull_support, no_diameter, false, false },
    { 0 },
};
