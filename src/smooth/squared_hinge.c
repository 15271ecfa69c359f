/* SPDX-License-Identifier: MIT
 * squared_hinge: phi(u) = max(0, 1 - u)^2/2, u = label * score                 convex
 *
 * phi'(u) = -max(0, 1 - u), phi'' = 1 up to u = 1, then 0. */
#include "smooth/smooth.h"

static double value(const double *par, double u) { return (void)par, square(pos(1 - u)) / 2; }
static double slope(const double *par, double u) { return (void)par, -pos(1 - u); }
static double curve(const double *par, double u)
{
    (void)par;
    return u < 1 ? 1 : isnan(u) ? u : 0;
}

const crs_loss crs_squared_hinge = {
    .ops = { .name = "squared_hinge",
             .formula = "sum_j w_j max(0, 1 - u_j)^2/2, u_j = label_j (A x)_j",
             CRS_LABELS_OPS },
    .value = value,
    .slope = slope,
    .curve = curve,
    .high = 1,
};

crease_smooth crease_squared_hinge(const crease_predictor *p)
{
    return (crease_smooth){ .ops = &crs_squared_hinge.ops, .data = p };
}
