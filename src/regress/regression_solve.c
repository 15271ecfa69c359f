/* SPDX-License-Identifier: MIT
 * regression_solve: a stationary point at one lambda, and the lambda above which zero is one
 *
 * Coordinate descent on the units at work until dist(-grad f, dr) there is within tolerance, then
 * all other units are tested (regression_screen.c), until no zero is in doubt. Exact minimization
 * over a coordinate whose curvature v exceeds the penalty's concavity k decreases F by
 * (v-k)/2 |db|^2 or more, so the rate of proximal BCD holds with v-k in place of its weight. */
#include "regress/regress.h"

/* At least one round of steps: a zero may be stationary and yet not the minimizer of its
 * coordinate. false: a limit was met, or arithmetic failed. */
static bool settle(crs_descent *t)
{
    double residual, last = INFINITY, inner = t->tolerance / 4;
    crs_descent_refresh(t);
    residual = crs_descent_residual(t);
    do {
        if (!(residual < INFINITY) || t->sweeps >= t->max_sweeps || crs_deadline_met(t->deadline))
            return false;
        if (!(residual < last / 2)) inner /= 4; /* the sweeps stopped too early */
        last = residual;
        crs_descent_improve(t, t->d->loss->quadratic ? inner : larger(inner, residual / 8));
        crs_descent_refresh(t);
        residual = crs_descent_residual(t);
    } while (!(residual <= t->tolerance));
    return true;
}

bool crs_descent_solve(crs_descent *t)
{
    t->sweeps = 0;
    crs_descent_restart(t);
    do {
        if (!settle(t)) return false;
    } while (crs_descent_screen(t) > 0);
    return true;
}

static void set_penalty(crs_descent *t, const crease_reg *one, double lambda)
{
    t->penalty = one->penalty;
    crs_penalty_at(one, lambda, t->par);
}

/* The least lambda, to rounding, at which b_u = 0 stays; low does not suffice. */
static double least_for(crs_descent *t, const crease_reg *one, ptrdiff_t u, double low)
{
    double high = low > 0 ? 2 * low : 0x1p-1000;
    for (set_penalty(t, one, high); !crs_unit_stays(t, u, t->reach[u]) && high < 0x1p1000;) {
        low = high;
        high *= high < 1e-3 || high > 1e3 ? 1024 : 2;
        set_penalty(t, one, high);
    }
    for (int k = 0; k < 100 && high - low > 0x1p-50 * high; k++) {
        const double middle = low + (high - low) / 2;
        set_penalty(t, one, middle);
        if (crs_unit_stays(t, u, t->reach[u]))
            high = middle;
        else
            low = middle;
    }
    return high;
}

/* At finite slopes max_u |g_u|/(w_u rho_1'(0)) is the answer, unless a coordinate's minimum jumps
 * away from 0 earlier than that; the search finds those and the infinite slopes. */
double crs_descent_lambda_max(crs_descent *t, const crease_reg *one)
{
    const crs_design *d = t->d;
    const double slope = one->penalty->slope(one->par, 0);
    double most = 0;
    crs_descent_drift(t);
    for (ptrdiff_t u = 0; u < d->units; u++) {
        if (d->weight[u] == 0) continue;
        crs_descent_look(t, u);
        if (slope < INFINITY) most = larger(most, t->reach[u] / d->weight[u] / slope);
    }
    for (ptrdiff_t u = 0; u < d->units; u++) {
        set_penalty(t, one, most);
        if (d->weight[u] == 0 || t->reach[u] == 0 || crs_unit_stays(t, u, t->reach[u])) continue;
        most = least_for(t, one, u, most);
    }
    return most * (1 + 0x1p-36); /* the rounding of the gradients, and of b_0 */
}
