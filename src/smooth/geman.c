/* SPDX-License-Identifier: MIT
 * geman: phi(u) = (1/2) u^2/(1 + u^2)                      phi'' in [-1/4, 1], least at u^2 = 1
 *
 * phi'(u) = u/(1 + u^2)^2, phi'' = (1 - 3u^2)/(1 + u^2)^3. Beyond |u| = 1 in terms of 1/u. */
#include "smooth/smooth.h"

static double value(const double *par, double u)
{
    (void)par;
    return fabs(u) <= 1 ? u * u / (1 + u * u) / 2 : 1 / (1 + square(1 / u)) / 2;
}

static double slope(const double *par, double u)
{
    const double t = 1 / u;
    (void)par;
    return fabs(u) <= 1 ? u / square(1 + u * u) : t * t * t / square(1 + t * t);
}

const crs_loss crs_geman = {
    .ops = { .name = "geman", .formula = "sum_j w_j (1/2) u_j^2/(1 + u_j^2)", CRS_PREDICTOR_OPS },
    .value = value,
    .slope = slope,
    .low = -0.25,
    .high = 1,
};

crease_smooth crease_geman(const crease_predictor *p)
{
    return (crease_smooth){ .ops = &crs_geman.ops, .data = p };
}
