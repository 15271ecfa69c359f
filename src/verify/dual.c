/* SPDX-License-Identifier: MIT
 * dual: the least value of <c, y> + sum_j a_j |y_j| + (b_j/2) y_j^2, b > 0, on balls and simplexes
 *
 * D(mu) = min over y of that plus mu (h(y) - h_max) is never above the least value, for mu >= 0 or,
 * where h(y) = h_max is demanded, any mu; the best mu makes them equal. Entry by entry the
 * minimizer is a magnitude t_j, with s_j = max(|c_j| - a_j, 0), or max(-c_j - a_j, 0) in y >= 0:
 *   l1-ball, simplexes   h = sum t        t = max(s - mu, 0) / b
 *   l2-ball              h = |y|^2/2      t = s / (b + mu)
 *   lp-ball              h = sum t^p      b t + mu p t^{p-1} = s
 * h(y) falls with mu: bisection. */
#include "verify/dual.h"

enum { FINE = 64, COARSE = 48 }; /* halvings; an error of mu counts by its square */

typedef struct {
    const crs_model *m;
    bool sum, power, nonnegative; /* h = sum t; h = sum t^p; y >= 0 */
    real p, bound;                /* h <= bound */
} dual;

/* The pull on |y_j|; negative ones matter only where the sum is prescribed. */
static real pull(const dual *d, ptrdiff_t j)
{
    return (d->nonnegative ? -d->m->c[j] : fabsl(d->m->c[j])) - d->m->a[j];
}

static real power_root(real b, real mu, real p, real s)
{
    real low = 0, high = s / b;
    for (int k = 0; k < FINE && low < high; k++) {
        const real t = low + (high - low) / 2;
        if (t == low || t == high) break;
        if (b * t + mu * p * powl(t, p - 1) < s)
            low = t;
        else
            high = t;
    }
    return low;
}

static real magnitude(const dual *d, ptrdiff_t j, real mu)
{
    const real s = pull(d, j), b = d->m->b[j];
    if (d->sum) return positive(s - mu) / b;
    if (d->power) return s > 0 ? power_root(b, mu, d->p, s) : 0;
    return positive(s) / (b + mu);
}

static real h_of(const dual *d, real t)
{
    return d->sum ? t : d->power ? powl(t, d->p) : t * t / 2;
}

static real h_at(const dual *d, real mu)
{
    real sum = 0;
    for (ptrdiff_t j = 0; j < d->m->n; j++) sum += h_of(d, magnitude(d, j, mu));
    return sum;
}

static real value_at(const dual *d, real mu)
{
    real sum = 0;
    for (ptrdiff_t j = 0; j < d->m->n; j++) {
        const real t = magnitude(d, j, mu);
        sum += d->m->b[j] / 2 * t * t - pull(d, j) * t + mu * h_of(d, t);
    }
    return sum - mu * d->bound;
}

static real best_mu(const dual *d, real low, real high)
{
    for (int k = 0; k < COARSE; k++) {
        const real mu = low + (high - low) / 2;
        if (!(mu > low && mu < high)) break;
        if (h_at(d, mu) > d->bound)
            low = mu;
        else
            high = mu;
    }
    return high;
}

/* A mu with h <= bound. */
static real upper_end(const dual *d, real most, real R)
{
    const real n = (real)d->m->n;
    if (d->sum) return most;
    if (!d->power) return positive(most) * sqrtl(n) / R;
    return positive(most) / d->p * powl(powl(n, 1 / d->p) / R, d->p - 1);
}

bool crs_dual_least(const crs_model *m, real *least)
{
    const char *name = m->set->ops->name;
    const real R = m->set->par[0], p = m->set->par[1];
    const bool simplex = strcmp(name, "simplex") == 0, full = strcmp(name, "full-simplex") == 0;
    dual d = { .m = m, .nonnegative = simplex || full, .p = p };
    d.sum = d.nonnegative || strcmp(name, "l1-ball") == 0;
    d.power = strcmp(name, "lp-ball") == 0;
    d.bound = d.sum ? R : d.power ? powl(R, p) : R * R / 2;
    if (!d.sum && !d.power && strcmp(name, "l2-ball") != 0) return false;
    real most = -INFINITY, steepest = 0;
    for (ptrdiff_t j = 0; j < m->n; j++) {
        most = bigger(most, pull(&d, j));
        steepest = bigger(steepest, m->b[j]);
    }
    const bool slack = !simplex && h_at(&d, 0) <= d.bound;
    const real low = simplex ? most - R * steepest : 0, high = upper_end(&d, most, R);
    *least = value_at(&d, slack ? 0 : best_mu(&d, low, high));
    return true;
}
