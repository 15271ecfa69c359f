/* SPDX-License-Identifier: MIT
 * cauchy: phi(u) = (1/2) log(1 + u^2)                      phi'' in [-1/8, 1], least at u^2 = 3
 *
 * phi'(u) = u/(1 + u^2), phi'' = (1 - u^2)/(1 + u^2)^2. Beyond |u| = 1 in terms of 1/u, so that
 * u^2 cannot overflow. */
#include "smooth/smooth.h"

static double value(const double *par, double u)
{
    (void)par;
    return fabs(u) <= 1 ? log1p(u * u) / 2 : log(fabs(u)) + log1p(1 / u / u) / 2;
}

static double slope(const double *par, double u)
{
    (void)par;
    return fabs(u) <= 1 ? u / (1 + u * u) : 1 / (u + 1 / u);
}

static double curve(const double *par, double u)
{
    return fabs(u) <= 1 ? (1 - u * u) / square(1 + u * u) : (1 / u - u) / u * square(slope(par, u));
}

const crs_loss crs_cauchy = {
    .ops = { .name = "cauchy", .formula = "sum_j w_j (1/2) log(1 + u_j^2)", CRS_PREDICTOR_OPS },
    .value = value,
    .slope = slope,
    .curve = curve,
    .low = -0.125,
    .high = 1,
};

crease_smooth crease_cauchy(const crease_predictor *p)
{
    return (crease_smooth){ .ops = &crs_cauchy.ops, .data = p };
}
