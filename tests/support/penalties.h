/* SPDX-License-Identifier: MIT
 * penalties.h: every scalar penalty with random parameters, and its minima by brute force */
#ifndef CREASE_TEST_PENALTIES_H
#define CREASE_TEST_PENALTIES_H

#include "reg/reg.h"
#include "support/test.h"

static const crease_penalty *const penalties[] = {
#define PENALTY(symbol, name) &crs_##symbol,
#define ALIAS(name, kind, symbol)
#define REG(symbol, name)
#include "reg/list.def"
#undef PENALTY
#undef ALIAS
#undef REG
};

enum { PENALTIES = sizeof penalties / sizeof *penalties, GRID = 320, GOLDEN = 60 };

/* Half the decades that parameters and steps spread over: 1 is everyday, 12 is extreme. */
static inline double decades(draws *d, double spread)
{
    return pow(10, uniform(d, -spread, spread));
}

static inline void draw_par(draws *d, const crease_penalty *p, double spread, double *par)
{
    for (int k = 0; p->params[k].name; k++) {
        const double low = p->params[k].low, high = p->params[k].high;
        par[k] = isinf(high) ? low + decades(d, spread) : uniform(d, low + 0.01, high - 0.01);
    }
}

/* Where an increasing condition on w first holds, within [1e-50, 1e50]. */
static inline double first_w(const crease_penalty *p, const double *par, double t, bool all)
{
    double low = 1e-50, high = 1e50;
    for (int k = 0; k < 400 && sqrt(low) * sqrt(high) > low && sqrt(low) * sqrt(high) < high; k++) {
        const double w = sqrt(low) * sqrt(high), y = p->shrink(par, t, w);
        *((all ? y == w : y > 0) ? &high : &low) = w;
    }
    return high;
}

/* A point at, near or around the places where the prox leaves 0 or becomes the identity. */
static inline double draw_w(draws *d, const crease_penalty *p, const double *par, double t,
                            double spread)
{
    const double kind = uniform(d, 0, 1), edge = first_w(p, par, t, kind < 0.3);
    if (kind > 0.7 || edge > 1e40 || edge < 1e-40) return decades(d, spread);
    if (uniform(d, 0, 1) < 0.5) return edge * decades(d, 1);
    return edge * (1 + (kind < 0.5 ? 1 : -1) * pow(10, -uniform(d, 1, 15)));
}

static inline double objective(const crs_penalty_value *r, double t, double v, double x)
{
    return crs_scalar_value(r, x) + square(x - v) / (2 * t);
}

/* Places in [0, 1], ascending: doubling away from both ends, even steps between. */
static inline double place(int k)
{
    const int ends = 32;
    if (k == 0) return 0;
    if (k <= ends) return ldexp(1, 2 * (k - 1 - ends) - 8);
    if (k >= GRID - ends) return 1 - (k == GRID ? 0 : ldexp(1, -(k - GRID + ends) - 8));
    return (k - ends) / (double)(GRID - 2 * ends);
}

/* The least objective seen on the segment from a to b: a grid, then golden sections. */
static inline double brute(const crs_penalty_value *r, double t, double v, double a, double b)
{
    double F[GRID + 1], best = INFINITY;
    for (int k = 0; k <= GRID; k++) F[k] = objective(r, t, v, a + (b - a) * place(k));
    for (int k = 0; k <= GRID; k++) best = smaller(best, F[k]);
    for (int k = 1; k < GRID; k++) {
        if (!(F[k] < F[k - 1] && F[k] <= F[k + 1])) continue;
        double low = place(k - 1), high = place(k + 1), u = place(k), Fu = F[k];
        for (int i = 0; i < GOLDEN; i++) { /* u is the best of [low, high] so far */
            const bool right = high - u > u - low;
            const double w = u + 0.381966011250105 * ((right ? high : low) - u);
            const double Fw = objective(r, t, v, a + (b - a) * w);
            *(Fw < Fu ? (right ? &low : &high) : (right ? &high : &low)) = Fw < Fu ? u : w;
            if (Fw < Fu) u = w, Fu = Fw;
        }
        best = smaller(best, Fu);
    }
    return best;
}

/* Objective above the least one, in units of what is allowed: 1e-12 of it, and what x off by
 * four roundings costs in |x-v|^2. */
static inline double excess(const crs_penalty_value *r, double t, double v, double x, double least)
{
    const double rounding = square(0x1p-51 * larger(fabs(v), fabs(x))) / (2 * t);
    return (objective(r, t, v, x) - least) / (1e-12 * least + rounding + 1e-300);
}

/* dist((v-x)/t, dr(x)) in units of the rounding of its two sides. */
static inline double off_stationary(const crs_penalty_value *r, double t, double v, double x,
                                    double dist)
{
    const double slope = x == 0 ? 0 : crs_scalar_slope_before(r, fabs(x));
    return dist / (0x1p-53 * (larger(fabs(v), fabs(x)) / t + slope));
}

#endif
