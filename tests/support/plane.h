/* SPDX-License-Identifier: MIT
 * plane.h: the least r(x) + |x-v|^2/(2t) in the plane, by brute force on values of r */
#ifndef CREASE_TEST_PLANE_H
#define CREASE_TEST_PLANE_H

#include "support/penalties.h"

static const crease_space plane = { .order = 1, .dim = { 2 } };

static inline double plane_objective(const crease_reg *r, double t, const double *v,
                                     const double *x)
{
    double work[8];
    return r->ops->value(r, &plane, x, work) +
           (square(x[0] - v[0]) + square(x[1] - v[1])) / (2 * t);
}

/* Tries x, scaled into the ball when it is outside; keeps the better of it and best. */
static inline void try_point(const crease_reg *r, double t, double radius, const double *v,
                             const double *x, double *best)
{
    const double norm = hypot(x[0], x[1]), c = norm > radius ? radius / norm : 1;
    const double y[] = { c * x[0], c * x[1] };
    if (plane_objective(r, t, v, y) < plane_objective(r, t, v, best))
        best[0] = y[0], best[1] = y[1];
}

/* A grid from corner to corner with the axes, then ever smaller squares around the best of it. */
static inline double plane_brute(const crease_reg *r, double t, double radius, const double *v)
{
    enum { SIDE = 24, LEVELS = 30 };
    double best[] = { 0, 0 }, width = hypot(v[0], v[1]);
    for (int level = 0; level < LEVELS; level++, width *= level == 1 ? 0.1 : 0.5) {
        const int side = level ? 4 : SIDE;
        const double at[] = { best[0], best[1] };
        for (int i = -side; i <= side; i++)
            for (int j = -side; j <= side; j++) {
                const double x[] = { at[0] + width * i / side, at[1] + width * j / side };
                try_point(r, t, radius, v, x, best);
                try_point(r, t, radius, v, (double[]){ x[0], 0 }, best);
                try_point(r, t, radius, v, (double[]){ 0, x[1] }, best);
            }
    }
    return plane_objective(r, t, v, best);
}

/* prox, or with a finite radius the prox in the ball, is at least as good. */
static inline void assert_plane_prox(const crease_reg *r, double t, double radius, const double *v)
{
    double x[2] = { v[0], v[1] }, work[8];
    assert_true(crease_reg_scratch(r, &plane) <= 8);
    if (isinf(radius))
        r->ops->prox(r, &plane, t, x, x, work);
    else
        r->ops->prox_ball(r, &plane, t, radius, x, x, work);
    assert_true(hypot(x[0], x[1]) <= radius * (1 + 0x1p-50));
    const double F = plane_objective(r, t, v, x), least = plane_brute(r, t, radius, v);
    if (!(F <= least * (1 + 1e-12)))
        fail_msg("%s %s(%g, %g), t = %g, R = %g, v = (%.17g, %.17g): (%g, %g) has %.17g, not %.17g",
                 r->ops->name, r->penalty->name, r->par[0], r->par[1], t, radius, v[0], v[1], x[0],
                 x[1], F, least);
}

#endif
