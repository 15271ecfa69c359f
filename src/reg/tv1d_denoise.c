/* SPDX-License-Identifier: MIT
 * tv1d_denoise: the minimizer of lambda sum_j |x_{j+1} - x_j| + |x-v|^2/2
 *
 * The direct algorithm of Condat, A Direct Algorithm for 1-D Total Variation Denoising, IEEE
 * Signal Processing Letters 2013: it grows a constant segment and keeps the smallest and the
 * largest level it may have, with the dual variable u_k = u_{k-1} + v_k - level each leads to;
 * |u_k| <= lambda, u = +lambda before a step down, -lambda before a step up, 0 at the end. */
#include "reg/tv1d.h"

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

void crs_tv1d_denoise(ptrdiff_t n, double lambda, const double *v, double *x)
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
