/* SPDX-License-Identifier: MIT
 * balls: {x : norm(x) <= R} for the norms 1, 2, p, k-sparse and k-support
 *
 * The support is R times the dual norm. The k-sparse norm is max(|x|_inf, |x|_1/k). The k-support
 * norm is min sqrt(sum x_j^2/eta_j) over 0 <= eta <= 1, sum eta <= k; with |x| sorted down, its
 * minimizer has eta_j = 1 for j < i and eta_j proportional to |x_j| after, for some i < k.
 * Argyriou, Foygel, Srebro, Sparse prediction with the k-support norm, 2012. */
#include "verify/verify.h"

static real p_norm(ptrdiff_t n, real p, const real *x)
{
    real most = 0, sum = 0;
    for (ptrdiff_t j = 0; j < n; j++) most = bigger(most, fabsl(x[j]));
    if (!(most > 0)) return most;
    for (ptrdiff_t j = 0; j < n; j++) sum += powl(fabsl(x[j]) / most, p);
    return most * powl(sum, 1 / p);
}

static real sum_of(ptrdiff_t n, const real *x)
{
    real sum = 0;
    for (ptrdiff_t j = 0; j < n; j++) sum += fabsl(x[j]);
    return sum;
}

static real largest(ptrdiff_t n, const real *x)
{
    real most = 0;
    for (ptrdiff_t j = 0; j < n; j++) most = bigger(most, fabsl(x[j]));
    return most;
}

static ptrdiff_t kept(const crease_set *c, ptrdiff_t n)
{
    return c->par[1] < (double)n ? (ptrdiff_t)c->par[1] : n;
}

/* |x| sorted down, or NULL */
static real *magnitudes(crs_verifier *v, ptrdiff_t n, const real *x)
{
    real *a = crs_reals(v, n);
    if (!a) return NULL;
    for (ptrdiff_t j = 0; j < n; j++) a[j] = fabsl(x[j]);
    crs_sort_down(n, a);
    return a;
}

static real k_support_norm(crs_verifier *v, ptrdiff_t n, ptrdiff_t k, const real *x)
{
    const real *a = magnitudes(v, n, x);
    real best = INFINITY, tail = 0;
    if (!a) return NAN;
    for (ptrdiff_t j = k; j < n; j++) tail += a[j];
    for (ptrdiff_t i = k - 1; i >= 0; i--) {
        tail += a[i];
        const real share = tail / (real)(k - i); /* eta_j = |x_j| / share */
        if (a[i] <= share)
            best = -bigger(-best, -hypotl(crs_length(i, a), share * sqrtl((real)(k - i))));
    }
    return best;
}

static real norm_of(crs_verifier *v, const crease_set *c, ptrdiff_t n, const real *x)
{
    const char *name = c->ops->name;
    if (strcmp(name, "l1-ball") == 0) return sum_of(n, x);
    if (strcmp(name, "l2-ball") == 0) return crs_length(n, x);
    if (strcmp(name, "lp-ball") == 0) return p_norm(n, c->par[1], x);
    if (strcmp(name, "k-support") == 0) return k_support_norm(v, n, kept(c, n), x);
    return sum_of(n, x) / c->par[1];
}

static void membership(crs_verifier *v, const crease_set *c, const crease_space *s, const real *x,
                       real slack, crs_membership *m)
{
    const ptrdiff_t n = crease_size(s);
    const real R = c->par[0], factor = strcmp(c->ops->name, "k-sparse") == 0 ? c->par[1] : 1;
    demand(m, factor * (norm_of(v, c, n, x) - R), roundings(n) * factor * R + (real)n * slack);
    if (strcmp(c->ops->name, "k-sparse") == 0) demand(m, largest(n, x) - R, slack + beyond(R));
}

static real support(crs_verifier *v, const crease_set *c, const crease_space *s, const real *w)
{
    const ptrdiff_t n = crease_size(s), k = kept(c, n);
    const real R = c->par[0], p = c->par[1];
    const char *name = c->ops->name;
    if (strcmp(name, "l1-ball") == 0) return R * largest(n, w);
    if (strcmp(name, "l2-ball") == 0) return R * crs_length(n, w);
    if (strcmp(name, "lp-ball") == 0) return R * p_norm(n, p / (p - 1), w);
    const real *a = magnitudes(v, n, w);
    if (!a) return NAN;
    return R * (strcmp(name, "k-sparse") == 0 ? sum_of(k, a) : crs_length(k, a));
}

static real diameter(crs_verifier *v, const crease_set *c, const crease_space *s)
{
    const ptrdiff_t n = crease_size(s);
    real factor = 1;
    (void)v;
    if (strcmp(c->ops->name, "lp-ball") == 0)
        factor = powl((real)n, positive(0.5L - 1 / (real)c->par[1]));
    if (strcmp(c->ops->name, "k-sparse") == 0) factor = sqrtl((real)kept(c, n));
    return 2 * factor * c->par[0];
}

const crs_set_rule crs_ball_rules[] = {
    { "l1-ball", membership, support, diameter, true, false },
    { "l2-ball", membership, support, diameter, true, false },
    { "lp-ball", membership, support, diameter, true, false },
    { "k-sparse", membership, support, diameter, true, false },
    { "k-support", membership, support, diameter, true, false },
    { 0 },
};
