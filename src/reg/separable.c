/* SPDX-License-Identifier: MIT
 * separable: r(x) = sum_j w_j rho(|x_j|), entry by entry
 *
 * Restricted to |x|_2 <= R: exact for l1 and zero by scaling the prox into the ball, for l0 by
 * a scan over the number of entries kept, and for every rho with t * weak convexity < 1 by the
 * multiplier mu of the ball: x_j(mu) = prox_{t/(1+t mu)}(v_j/(1+t mu)), |x(mu)| = R. */
#include <stdlib.h>

#include "reg/reg.h"

static bool check(const crease_reg *r, const crease_space *s, crease_error *e)
{
    return crs_check_penalty(r, crease_size(s), e);
}

/* l0 on a ball sorts: magnitudes, then the entries they belong to. */
static ptrdiff_t scratch(const crease_reg *r, const crease_space *s)
{
    return r->penalty == &crs_l0 ? crease_size(s) : 0;
}

static double value(const crease_reg *r, const crease_space *s, const double *x, double *work)
{
    double sum = 0;
    (void)work;
    for (ptrdiff_t j = 0, n = crease_size(s); j < n; j++) {
        const crs_scalar at = scalar_at(r, j);
        sum += crs_scalar_value(&at, x[j]);
    }
    return crease_sum(s, sum);
}

static void prox(const crease_reg *r, const crease_space *s, double t, const double *v, double *x,
                 double *work)
{
    (void)work;
    for (ptrdiff_t j = 0, n = crease_size(s); j < n; j++) {
        const crs_scalar at = scalar_at(r, j);
        x[j] = crs_scalar_prox(&at, t, v[j]);
    }
}

static double dist(const crease_reg *r, const crease_space *s, const double *x, const double *g,
                   double *work)
{
    double sum = 0;
    (void)work;
    for (ptrdiff_t j = 0, n = crease_size(s); j < n; j++) {
        const crs_scalar at = scalar_at(r, j);
        sum += square(crs_scalar_dist(&at, x[j], g[j]));
    }
    return sqrt(crease_sum(s, sum));
}

static void prox_box(const crease_reg *r, const crease_space *s, double t, const crease_bounds *b,
                     const double *v, double *x, double *work)
{
    (void)work;
    for (ptrdiff_t j = 0, n = crease_size(s); j < n; j++) {
        const crs_scalar at = scalar_at(r, j);
        x[j] = crs_scalar_prox_box(&at, t, v[j], lower_at(b, j), upper_at(b, j));
    }
}

static double dist_box(const crease_reg *r, const crease_space *s, const crease_bounds *b,
                       const double *x, const double *g, double *work)
{
    double sum = 0;
    (void)work;
    for (ptrdiff_t j = 0, n = crease_size(s); j < n; j++) {
        const crs_scalar at = scalar_at(r, j);
        sum += square(crs_scalar_dist_box(&at, x[j], g[j], lower_at(b, j), upper_at(b, j)));
    }
    return sqrt(crease_sum(s, sum));
}

static int descending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

/* Keep the k largest |v_j|, k by the least lam k - (s_k^2 - max(0, s_k - R)^2) / (2t), with
 * s_k their norm; then scale them into the ball. */
static void l0_in_ball(const crease_reg *r, ptrdiff_t n, double t, double radius, const double *v,
                       double *x, double *work)
{
    double best = 0, sum = 0, least = INFINITY; /* entries below `least` are dropped */
    ptrdiff_t ties = 0;                         /* and so many equal to it stay */
    for (ptrdiff_t j = 0; j < n; j++) work[j] = fabs(v[j]);
    qsort(work, (size_t)n, sizeof *work, descending);
    for (ptrdiff_t j = 0; j < n && work[j] > 0; j++) {
        sum += square(work[j]);
        const double D =
            r->par[0] * (double)(j + 1) - (sum - square(pos(sqrt(sum) - radius))) / (2 * t);
        ties = D < best && work[j] == least ? ties + 1 : D < best ? 1 : ties;
        if (D < best) best = D, least = work[j];
    }
    for (ptrdiff_t j = 0; j < n; j++) { /* equal magnitudes: the first ones stay */
        const double w = fabs(v[j]);
        const bool tied = w == least && ties > 0;
        ties -= tied;
        x[j] = isnan(w) || w > least || tied ? v[j] : 0;
    }
    crs_into_ball(n, radius, x, x);
}

static void at_multiplier(const crease_reg *r, ptrdiff_t n, double t, double mu, const double *v,
                          double *x)
{
    for (ptrdiff_t j = 0; j < n; j++) {
        const crs_scalar at = scalar_at(r, j);
        x[j] = crs_scalar_prox(&at, t / (1 + t * mu), v[j] / (1 + t * mu));
    }
}

static double norm_at_multiplier(const crease_reg *r, ptrdiff_t n, double t, double mu,
                                 const double *v)
{
    double sum = 0;
    for (ptrdiff_t j = 0; j < n; j++) {
        const crs_scalar at = scalar_at(r, j);
        sum += square(crs_scalar_prox(&at, t / (1 + t * mu), v[j] / (1 + t * mu)));
    }
    return sqrt(sum);
}

static void weakly_convex_in_ball(const crease_reg *r, ptrdiff_t n, double t, double radius,
                                  const double *v, double *x)
{
    double low = 0, high = 1 / t;
    if (norm_at_multiplier(r, n, t, 0, v) <= radius) {
        at_multiplier(r, n, t, 0, v, x);
        return;
    }
    while (norm_at_multiplier(r, n, t, high, v) > radius) low = high, high *= 2;
    for (int k = 0; k < 200; k++) {
        const double mid = low + (high - low) / 2;
        if (mid <= low || mid >= high) break;
        if (norm_at_multiplier(r, n, t, mid, v) > radius)
            low = mid;
        else
            high = mid;
    }
    at_multiplier(r, n, t, high, v, x);
    crs_into_ball(n, radius, x, x);
}

static void prox_ball(const crease_reg *r, const crease_space *s, double t, double radius,
                      const double *v, double *x, double *work)
{
    const ptrdiff_t n = crease_size(s);
    if (r->penalty == &crs_l1 || r->penalty == &crs_zero) {
        prox(r, s, t, v, x, work);
        crs_into_ball(n, radius, x, x);
    } else if (r->penalty == &crs_l0) {
        l0_in_ball(r, n, t, radius, v, x, work);
    } else {
        weakly_convex_in_ball(r, n, t, radius, v, x);
    }
}

static double ball_step(const crease_reg *r, ptrdiff_t n)
{
    if (r->penalty == &crs_l0) return r->weight ? 0 : INFINITY;
    return 1 / (r->penalty->weak_convexity(r->par) * crs_weight_max(r, n)); /* 1/inf: never */
}

static void traits(const crease_reg *r, const crease_space *s, double radius,
                   crease_reg_traits *out)
{
    const ptrdiff_t n = crease_size(s);
    const double wc = r->penalty->weak_convexity(r->par);
    *out = (crease_reg_traits){
        .convex = r->penalty->convex,
        .separable = true,
        .lipschitz = r->penalty->lipschitz(r->par, radius) * crs_weight_norm(r, n),
        .weak_convexity = wc > 0 ? wc * crs_weight_max(r, n) : 0,
        .ball_step = ball_step(r, n),
    };
}

const crease_reg_ops crs_separable_ops = {
    .name = "separable",
    .formula = "sum_j rho(|x_j|)",
    .check = check,
    .scratch = scratch,
    .value = value,
    .prox = prox,
    .dist = dist,
    .traits = traits,
    .prox_box = prox_box,
    .dist_box = dist_box,
    .prox_ball = prox_ball,
};

crease_reg crease_separable(const crease_penalty *p, const double *par)
{
    crease_reg r = { .ops = &crs_separable_ops, .penalty = p };
    for (int k = 0, n = crease_param_count(p->params); k < n; k++) r.par[k] = par[k];
    return r;
}
