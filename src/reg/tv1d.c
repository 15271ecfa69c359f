/* SPDX-License-Identifier: MIT
 * tv1d: r(x) = lambda sum_j |x_{j+1} - x_j| on vectors                          convex
 *
 * The prox is the direct algorithm of Condat, A Direct Algorithm for 1-D Total Variation Denoising,
 * IEEE Signal Processing Letters 2013: it grows a constant segment and keeps the smallest and the
 * largest level it may have, with the dual variable u_k = u_{k-1} + v_k - level each leads to;
 * |u_k| <= lambda, u = +lambda before a step down, -lambda before a step up, 0 at the end.
 * dist cuts x at its jumps, where the dual variable is known to be +-lambda; on a constant
 * segment the subdifferential is D'z, |z_j| <= lambda, and g minus its projection is the prox. */
#include "reg/reg.h"

/* The segment from `start` to k. It may be constant at `low` (at `high`), which leaves the dual
 * u_low (u_high) at k; low_end (high_end) is the last place where that dual was at +lambda
 * (-lambda), that is, where the segment could end by a step down (up). */
typedef struct {
    ptrdiff_t n, start, k, low_end, high_end;
    double lambda, low, high, u_low, u_high;
    double floor, ceiling; /* after a step up or down: the level it came from */
    const double *v;
    double *x;
} segment;

static void restart(segment *g, double low, double high)
{
    g->k = g->low_end = g->high_end = g->start;
    g->low = low, g->high = high;
    g->u_low = g->lambda, g->u_high = -g->lambda;
}

/* Equal levels may round to a step of the wrong sign, against the dual: the floor and the ceiling
 * make them equal. */
static void emit(segment *g, ptrdiff_t last, double level)
{
    level = clip(level, g->floor, g->ceiling);
    do g->x[g->start++] = level;
    while (g->start <= last);
    g->floor = -INFINITY, g->ceiling = INFINITY;
}

static void end_by_step_down(segment *g)
{
    emit(g, g->low_end, g->low);
    g->ceiling = g->x[g->start - 1];
}

static void end_by_step_up(segment *g)
{
    emit(g, g->high_end, g->high);
    g->floor = g->x[g->start - 1];
}

/* One more entry, the levels moved where a dual would leave [-lambda, lambda]. */
static void extend(segment *g)
{
    g->k++;
    const double length = (double)(g->k - g->start + 1);
    if (g->u_low >= g->lambda) {
        g->low += (g->u_low - g->lambda) / length;
        g->u_low = g->lambda, g->low_end = g->k;
    }
    if (g->u_high <= -g->lambda) {
        g->high += (g->u_high + g->lambda) / length;
        g->u_high = -g->lambda, g->high_end = g->k;
    }
}

static void advance(segment *g)
{
    g->u_low += g->v[g->k + 1] - g->low;
    g->u_high += g->v[g->k + 1] - g->high;
    if (g->u_low < -g->lambda) {
        end_by_step_down(g);
        restart(g, g->v[g->start], g->v[g->start] + 2 * g->lambda);
    } else if (g->u_high > g->lambda) {
        end_by_step_up(g);
        restart(g, g->v[g->start] - 2 * g->lambda, g->v[g->start]);
    } else {
        extend(g);
    }
}

/* The dual is 0 after the last entry. False when the signal is finished. */
static bool finish(segment *g)
{
    if (g->u_low < 0) {
        end_by_step_down(g);
        if (g->start == g->n) return false;
        g->k = g->low_end = g->start;
        g->low = g->v[g->start], g->u_low = g->lambda;
        g->u_high = g->low + g->lambda - g->high;
        return true;
    }
    if (g->u_high > 0) {
        end_by_step_up(g);
        if (g->start == g->n) return false;
        g->k = g->high_end = g->start;
        g->high = g->v[g->start], g->u_high = -g->lambda;
        g->u_low = g->high - g->lambda - g->low;
        return true;
    }
    emit(g, g->k, g->low + g->u_low / (double)(g->k - g->start + 1));
    return false;
}

/* The whole signal is one segment, at its mean, when the partial sums of v - mean stay within
 * lambda; found first, since a large lambda would drown the entries in the running sums. */
static bool is_one_segment(ptrdiff_t n, double lambda, const double *v, double *mean)
{
    double sum = 0, most = 0, shift = 0; /* mean = v_0 + shift: a constant stays itself */
    for (ptrdiff_t j = 1; j < n; j++) shift += (v[j] - v[0]) / (double)n;
    *mean = v[0] + shift;
    for (ptrdiff_t j = 0; j + 1 < n; j++) sum += v[j] - *mean, most = larger(most, fabs(sum));
    return most <= lambda;
}

/* x = argmin lambda sum_j |x_{j+1} - x_j| + |x-v|^2/2; x may be v. Data that are not finite give
 * NaN everywhere. */
static void denoise(ptrdiff_t n, double lambda, const double *v, double *x)
{
    double mean;
    if (!crs_all_finite(n, v))
        fill(n, NAN, x);
    else if (n == 1 || lambda == 0)
        copy(n, v, x);
    else if (is_one_segment(n, lambda, v, &mean))
        fill(n, mean, x);
    else {
        segment g = {
            .n = n, .lambda = lambda, .v = v, .x = x, .floor = -INFINITY, .ceiling = INFINITY
        };
        restart(&g, v[0] - lambda, v[0] + lambda);
        do {
            while (g.k + 1 < n) advance(&g);
        } while (finish(&g));
    }
}

static bool check(const crease_reg *r, const crease_space *s, crease_error *e)
{
    (void)r;
    if (s->order != 1)
        return crs_fail(e, CREASE_BAD_SHAPE,
                        "tv1d acts on vectors but the point has %d dimensions; give it one",
                        s->order);
    if (s->comm)
        return crs_fail(e, CREASE_UNSUPPORTED,
                        "tv1d needs the whole vector in one process; do not share it");
    return true;
}

static ptrdiff_t scratch(const crease_reg *r, const crease_space *s)
{
    (void)r;
    return crease_size(s);
}

static double value(const crease_reg *r, const crease_space *s, const double *x, double *work)
{
    double sum = 0;
    (void)work;
    for (ptrdiff_t j = 0, n = crease_size(s); j + 1 < n; j++) sum += fabs(x[j + 1] - x[j]);
    return crease_size(s) == 1 ? 0 * x[0] : r->par[0] * sum;
}

static void prox(const crease_reg *r, const crease_space *s, double t, const double *v, double *x,
                 double *work)
{
    (void)work;
    denoise(crease_size(s), t * r->par[0], v, x);
}

/* The dual of the edge after entry j, where x jumps there. */
static double dual(double lambda, const double *x, ptrdiff_t j)
{
    return x[j + 1] > x[j] ? lambda : -lambda;
}

static double dist(const crease_reg *r, const crease_space *s, const double *x, const double *g,
                   double *work)
{
    const ptrdiff_t n = crease_size(s);
    const double lambda = r->par[0];
    double sum = 0;
    if (!crs_all_finite(n, x) || !crs_all_finite(n, g)) return NAN;
    for (ptrdiff_t first = 0, last; first < n; first = last + 1) {
        last = first;
        while (last + 1 < n && x[last + 1] == x[first]) last++;
        const ptrdiff_t length = last - first + 1;
        copy(length, g + first, work);
        if (first > 0) work[0] -= dual(lambda, x, first - 1);
        if (last + 1 < n) work[length - 1] += dual(lambda, x, last);
        denoise(length, lambda, work, work);
        sum += square(crs_norm(length, work));
    }
    return sqrt(sum);
}

/* Convex and positively homogeneous: the prox, scaled into the ball. */
static void prox_ball(const crease_reg *r, const crease_space *s, double t, double radius,
                      const double *v, double *x, double *work)
{
    prox(r, s, t, v, x, work);
    crs_into_ball(crease_size(s), radius, x, x);
}

static void traits(const crease_reg *r, const crease_space *s, double radius,
                   crease_reg_traits *out)
{
    (void)radius;
    *out = (crease_reg_traits){ .convex = true,
                                .lipschitz = 2 * r->par[0] * sqrt((double)crease_size(s)),
                                .ball_step = INFINITY };
}

static const crease_param params[] = { CREASE_PAR_NONNEGATIVE("lambda", "weight"), { 0 } };

const crease_reg_ops crs_tv1d_ops = {
    .name = "tv1d",
    .formula = "lambda sum_j |x_{j+1} - x_j|",
    .params = params,
    .traits_text = { "2 lambda sqrt(n)", "0" },
    .convex = true,
    .homogeneous = true,
    .check = check,
    .scratch = scratch,
    .value = value,
    .prox = prox,
    .dist = dist,
    .traits = traits,
    .prox_ball = prox_ball,
};

crease_reg crease_tv1d(double lambda)
{
    return (crease_reg){ .ops = &crs_tv1d_ops, .par = { lambda } };
}
