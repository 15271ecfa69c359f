/* SPDX-License-Identifier: MIT
 * pseudo_huber: phi(u) = sqrt(1 + u^2) - 1                                phi'' in [0, 1] */
#include "smooth/smooth.h"

static double value(const double *par, double u)
{
    const double root = hypot(1, u);
    (void)par;
    return fabs(u) <= 1 ? u * u / (1 + root) : root - 1;
}

static double slope(const double *par, double u)
{
    (void)par;
    return u / hypot(1, u);
}

const crs_loss crs_pseudo_huber = {
    .ops = { .name = "pseudo_huber", .formula = "sum_j sqrt(1 + u_j^2) - 1", CRS_PREDICTOR_OPS },
    .value = value,
    .slope = slope,
    .low = 0,
    .high = 1,
};

crease_smooth crease_pseudo_huber(const crease_predictor *p)
{
    return (crease_smooth){ .ops = &crs_pseudo_huber.ops, .data = p };
}
