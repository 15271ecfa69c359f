/* SPDX-License-Identifier: MIT
 * lp_ball: {x : |x|_p <= R}, 1 < p < inf, with q = p/(p-1)
 *
 * LMO(c) = -R sgn(c) |c|^{q-1} / |c|_q^{q-1} (0 when c = 0), support R |w|_q. Projection from
 * outside: with a = |v|/R, |x_j| = R y_j where y + t y^{p-1} = a_j, and t > 0 such that |y|_p = 1.
 * In log y the left side is a sum of exponentials, convex and increasing, so Newton's method from
 * above converges for every p > 1. The norm N(t) of y decreases; log N(log t) has the slope
 * -(sum_j r_j e_j)/(sum_j r_j), r_j = y_j^p, e_j = (a_j - y_j)/(y_j + (p-1)(a_j - y_j)).
 * As t = |a - y|_q, the norms of a bracket it; bisection helps Newton's method. */
#include "set/set.h"

typedef struct {
    const crease_space *s;
    const double *v;
    double R, p, most; /* most = max a_j */
} problem;

typedef struct {
    double log_norm, slope; /* slope of -log N in log t */
} state;

static double entry(double p, double t, double a)
{
    const double bound = pow(a / t, 1 / (p - 1));
    double y = bound < a ? bound : a;
    if (!(y > 0)) return 0;
    for (int k = 0; k < 64; k++) {
        const double power = t * pow(y, p - 1);
        const double step = (y + power - a) / (y + (p - 1) * power);
        if (!(fabs(step) > 0x1p-53) || (k > 0 && step < 0)) break;
        y *= exp(-step);
    }
    return y;
}

static state measure(const problem *q, double t)
{
    const double top = entry(q->p, t, q->most);
    crs_total sum = { 0, 0 }, weighted = { 0, 0 };
    for (ptrdiff_t j = 0, n = crease_size(q->s); j < n; j++) {
        const double a = fabs(q->v[j]) / q->R, y = entry(q->p, t, a);
        if (!(y > 0)) continue;
        const double r = pow(y / top, q->p);
        accumulate(&sum, r);
        accumulate(&weighted, r * ((a - y) / (y + (q->p - 1) * (a - y))));
    }
    const double all = crease_sum(q->s, total(&sum));
    return (state){ log(top) + log(all) / q->p, crease_sum(q->s, total(&weighted)) / all };
}

static double p_norm(const crease_space *s, double p, const double *x)
{
    crs_power norm = { .p = p };
    for (ptrdiff_t j = 0, n = crease_size(s); j < n; j++) crs_power_add(&norm, x[j]);
    return crs_power_root(&norm, s);
}

/* (|a|_p - 1) n^{min(0, 1/q - 1/p)} <= |a - y|_q <= min(|a|_q, n^{max(0, 1/q - 1/2)} d), where
 * d = |a - a/|a|_p| is not below the distance of a to the ball. */
static void bracket(const problem *q, double *low, double *high)
{
    const double n = total_size(q->s), p = q->p, inverse = 1 - 1 / p; /* 1/q */
    const double norm = p_norm(q->s, p, q->v) / q->R;
    const double dual = p_norm(q->s, p / (p - 1), q->v) / q->R;
    const double distance = (1 - 1 / norm) * (crease_norm(q->s, q->v) / q->R);
    *low = (norm - 1) * pow(n, -pos(1 / p - inverse)) * (1 - 1e-12);
    *high = smaller(dual, distance * pow(n, pos(inverse - 0.5))) * (1 + 1e-12);
    if (!(*low > 0)) *low = 0x1p-53;
    if (!(*high > *low)) *high = 2 * *low;
}

static double find_root(const problem *q)
{
    double low, high, t, next = 0, last = INFINITY;
    bool halved = true;
    bracket(q, &low, &high);
    for (int k = 0;; k++) {
        t = halved && next > low && next < high ? next : sqrt(low) * sqrt(high);
        const state at = measure(q, t);
        const double off = fabs(at.log_norm);
        if (k == 200 || !(off > 0x1p-49) || !(t > low && t < high)) return t;
        if (at.log_norm > 0)
            low = t;
        else
            high = t;
        next = t * exp(at.log_norm / at.slope);
        halved = off <= last / 2;
        last = off;
    }
}

/* x from v outside the ball, both finite. */
static void project_from_outside(const crease_space *s, double R, double p, const double *v,
                                 double *x)
{
    const ptrdiff_t n = crease_size(s);
    double most = 0;
    for (ptrdiff_t j = 0; j < n; j++) most = larger(most, fabs(v[j]));
    const problem q = { s, v, R, p, crs_max_all(s, most) / R };
    const double t = find_root(&q);
    for (ptrdiff_t j = 0; j < n; j++) x[j] = copysign(entry(p, t, fabs(v[j]) / R), v[j]);
    const double norm = p_norm(s, p, x);
    for (ptrdiff_t j = 0; j < n; j++) x[j] = R * (x[j] / norm);
}

static double conjugate(double p) { return p / (p - 1); }

static double excess(const crease_set *c, const crease_space *s, const double *x, double *work)
{
    (void)work;
    return pos(p_norm(s, c->par[1], x) - c->par[0]);
}

static void project(const crease_set *c, const crease_space *s, const double *v, double *x,
                    double *work)
{
    const ptrdiff_t n = crease_size(s);
    const double norm = p_norm(s, c->par[1], v);
    (void)work;
    if (norm <= c->par[0])
        copy(n, v, x);
    else if (norm < INFINITY)
        project_from_outside(s, c->par[0], c->par[1], v, x);
    else
        fill(n, NAN, x);
}

static void lmo(const crease_set *c, const crease_space *s, const double *g, double *y,
                double *work)
{
    const ptrdiff_t n = crease_size(s);
    double most = 0;
    (void)work;
    for (ptrdiff_t j = 0; j < n; j++) most = larger(most, fabs(g[j]));
    most = crs_max_all(s, most);
    if (most == 0) {
        fill(n, 0, y);
        return;
    }
    for (ptrdiff_t j = 0; j < n; j++)
        y[j] = sign(-g[j]) * pow(fabs(g[j]) / most, 1 / (c->par[1] - 1));
    const double norm = p_norm(s, c->par[1], y);
    for (ptrdiff_t j = 0; j < n; j++) y[j] = c->par[0] * (y[j] / norm);
}

static double support(const crease_set *c, const crease_space *s, const double *w, double *work)
{
    (void)work;
    return c->par[0] * p_norm(s, conjugate(c->par[1]), w);
}

static double diameter(const crease_set *c, const crease_space *s, double p)
{
    return 2 * c->par[0] * pow(total_size(s), pos(1 / p - 1 / c->par[1]));
}

static const crease_param params[] = {
    CREASE_PAR_POSITIVE("radius", "R"),
    { "p", 1, INFINITY, CREASE_OPEN_LOW | CREASE_OPEN_HIGH, "exponent of the norm" },
    { 0 },
};

const crease_set_ops crs_lp_ball_ops = {
    .name = "lp-ball",
    .formula = "{x : |x|_p <= R}",
    .params = params,
    .compact = true,
    .symmetric = true,
    .solid = true,
    .range = crs_range_of_ball,
    .excess = excess,
    .project = project,
    .lmo = lmo,
    .support = support,
    .diameter = diameter,
};

crease_set crease_lp_ball(double radius, double p)
{
    return (crease_set){ .ops = &crs_lp_ball_ops, .par = { radius, p } };
}
