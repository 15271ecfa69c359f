/* SPDX-License-Identifier: MIT
 * simplexes: polytopes with a sum, and the permutahedron
 *
 *   simplex         x >= 0, sum x = R             support R max w
 *   full-simplex    x >= 0, sum x <= R            support R max(0, max w)
 *   capped-simplex  0 <= x <= 1, sum x = k        support: the k largest w
 *   permutahedron   sum x = sum a, any k entries  support: sorted w times sorted a
 *                   sum to no more than the k largest a */
#include "verify/verify.h"

static bool is(const crease_set *c, const char *name) { return strcmp(c->ops->name, name) == 0; }

static void simplex_membership(crs_verifier *v, const crease_set *c, const crease_space *s,
                               const real *x, real slack, crs_membership *m)
{
    const ptrdiff_t n = crease_size(s);
    real sum = 0, size = 0;
    (void)v;
    for (ptrdiff_t j = 0; j < n; j++) {
        sum += x[j];
        size += fabsl(x[j]);
        demand(m, -x[j], slack);
        if (is(c, "capped-simplex")) demand(m, x[j] - 1, slack + beyond(1));
    }
    const real allowance = roundings(n) * (size + c->par[0]) + (real)n * slack;
    demand(m, sum - c->par[0], allowance);
    if (!is(c, "full-simplex")) demand(m, c->par[0] - sum, allowance);
}

static real simplex_support(crs_verifier *v, const crease_set *c, const crease_space *s,
                            const real *w)
{
    const ptrdiff_t n = crease_size(s);
    real most = w[0];
    (void)v;
    for (ptrdiff_t j = 1; j < n; j++) most = bigger(most, w[j]);
    return c->par[0] * (is(c, "simplex") ? most : positive(most));
}

static real capped_support(crs_verifier *v, const crease_set *c, const crease_space *s,
                           const real *w)
{
    const real *a = crs_sorted(v, crease_size(s), w);
    real sum = 0;
    if (!a) return NAN;
    for (ptrdiff_t j = 0; j < (ptrdiff_t)c->par[0]; j++) sum += a[j];
    return sum;
}

static real simplex_diameter(crs_verifier *v, const crease_set *c, const crease_space *s)
{
    (void)v;
    if (crease_size(s) == 1) return is(c, "simplex") ? 0 : c->par[0];
    return c->par[0] * sqrtl(2);
}

static real capped_diameter(crs_verifier *v, const crease_set *c, const crease_space *s)
{
    const real k = c->par[0], rest = (real)crease_size(s) - k;
    (void)v;
    return sqrtl(2 * (k < rest ? k : rest));
}

static real *sorted_a(crs_verifier *v, ptrdiff_t n, const double *vec)
{
    real *a = crs_reals(v, n);
    for (ptrdiff_t j = 0; a && j < n; j++) a[j] = vec[j];
    if (a) crs_sort_down(n, a);
    return a;
}

static void permutahedron_membership(crs_verifier *v, const crease_set *c, const crease_space *s,
                                     const real *x, real slack, crs_membership *m)
{
    const ptrdiff_t n = crease_size(s);
    const real *y = crs_sorted(v, n, x), *a = sorted_a(v, n, c->vec);
    real ahead = 0, size = 0;
    if (!y || !a) return;
    for (ptrdiff_t j = 0; j < n; j++) size += fabsl(y[j]) + fabsl(a[j]);
    const real allowance = roundings(n) * size + (real)n * slack;
    for (ptrdiff_t j = 0; j < n; j++) {
        ahead += y[j] - a[j];
        demand(m, ahead, allowance);
    }
    demand(m, -ahead, allowance);
}

static real permutahedron_support(crs_verifier *v, const crease_set *c, const crease_space *s,
                                  const real *w)
{
    const ptrdiff_t n = crease_size(s);
    const real *y = crs_sorted(v, n, w), *a = sorted_a(v, n, c->vec);
    return y && a ? crs_inner(n, y, a) : (real)NAN;
}

static real permutahedron_diameter(crs_verifier *v, const crease_set *c, const crease_space *s)
{
    const ptrdiff_t n = crease_size(s);
    const real *a = sorted_a(v, n, c->vec);
    real sum = 0;
    if (!a) return NAN;
    for (ptrdiff_t j = 0; j < n; j++) sum += (a[j] - a[n - 1 - j]) * (a[j] - a[n - 1 - j]);
    return sqrtl(sum);
}

const crs_set_rule crs_simplex_rules[] = {
    { "simplex", simplex_membership, simplex_support, simplex_diameter, false, true },
    { "full-simplex", simplex_membership, simplex_support, simplex_diameter, false, true },
    { "capped-simplex", simplex_membership, capped_support, capped_diameter, false, true },
    { "permutahedron", permutahedron_membership, permutahedron_support, permutahedron_diameter,
      false, false },
    { 0 },
};
