/* SPDX-License-Identifier: MIT
 * orthant: {x : x >= 0}, the box [0, inf)                                      not compact */
#include "set/set.h"

static crease_set as_box(void) { return crease_box(0, INFINITY); }

static double excess(const crease_set *c, const crease_space *s, const double *x, double *work)
{
    const crease_set box = as_box();
    (void)c;
    return box.ops->excess(&box, s, x, work);
}

static void project(const crease_set *c, const crease_space *s, const double *v, double *x,
                    double *work)
{
    const crease_set box = as_box();
    (void)c;
    box.ops->project(&box, s, v, x, work);
}

static void lmo(const crease_set *c, const crease_space *s, const double *g, double *y,
                double *work)
{
    const crease_set box = as_box();
    (void)c;
    box.ops->lmo(&box, s, g, y, work);
}

static double support(const crease_set *c, const crease_space *s, const double *w, double *work)
{
    const crease_set box = as_box();
    (void)c;
    return box.ops->support(&box, s, w, work);
}

static double diameter(const crease_set *c, const crease_space *s, double p)
{
    (void)c, (void)s, (void)p;
    return INFINITY;
}

static crease_bounds bounds(const crease_set *c)
{
    (void)c;
    return (crease_bounds){ .low = 0, .high = INFINITY };
}

const crease_set_ops crs_orthant_ops = {
    .name = "nonneg",
    .formula = "{x : x_j >= 0}",
    .polyhedral = true,
    .nonnegative = true,
    .bounds = bounds,
    .excess = excess,
    .project = project,
    .lmo = lmo,
    .support = support,
    .diameter = diameter,
    .dist_normal = crs_box_dist_normal,
};

crease_set crease_orthant(void) { return (crease_set){ .ops = &crs_orthant_ops }; }
