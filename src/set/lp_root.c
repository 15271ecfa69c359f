/* SPDX-License-Identifier: MIT
 * lp_root: projection on |x|_p <= R from outside
 *
 * With a = |v|/R, |x_j| = R y_j where y + t y^{p-1} = a_j, and t > 0 such that |y|_p = 1. In
 * log y the left side is a sum of exponentials, convex and increasing, so Newton's method from
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

/* (|a|_p - 1) n^{min(0, 1/q - 1/p)} <= |a - y|_q <= min(|a|_q, n^{max(0, 1/q - 1/2)} d), where
 * d = |a - a/|a|_p| is not below the distance of a to the ball. */
static void bracket(const problem *q, double *low, double *high)
{
    const double n = total_size(q->s), p = q->p, inverse = 1 - 1 / p; /* 1/q */
    const double norm = crs_p_norm(q->s, p, q->v) / q->R;
    const double dual = crs_p_norm(q->s, p / (p - 1), q->v) / q->R;
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

void crs_lp_project(const crease_space *s, double R, double p, const double *v, double *x)
{
    const ptrdiff_t n = crease_size(s);
    double most = 0;
    for (ptrdiff_t j = 0; j < n; j++) most = larger(most, fabs(v[j]));
    const problem q = { s, v, R, p, crs_max_all(s, most) / R };
    const double t = find_root(&q);
    for (ptrdiff_t j = 0; j < n; j++) x[j] = copysign(entry(p, t, fabs(v[j]) / R), v[j]);
    const double norm = crs_p_norm(s, p, x);
    for (ptrdiff_t j = 0; j < n; j++) x[j] = R * (x[j] / norm);
}
