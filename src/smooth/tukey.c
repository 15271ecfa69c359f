/* SPDX-License-Identifier: MIT
 * tukey: phi(u) = (1 - (1 - u^2)_+^3)/6                  phi'' in [-4/5, 1], least at u^2 = 3/5
 *
 * For s = u^2 <= 1: phi = s (3 - 3s + s^2)/6 without cancellation, phi' = u (1 - s)^2,
 * phi'' = (1 - s)(1 - 5s); flat beyond. */
#include "smooth/smooth.h"

static double value(const double *par, double u)
{
    const double s = u * u;
    (void)par;
    return s <= 1 ? s * (3 - 3 * s + s * s) / 6 : s > 1 ? 1.0 / 6 : s;
}

static double slope(const double *par, double u)
{
    (void)par;
    return fabs(u) > 1 ? 0 : u * square(1 - u * u);
}

const crs_loss crs_tukey = {
    .ops = { .name = "tukey",
             .formula = "sum_j w_j (1 - max(1 - u_j^2, 0)^3)/6",
             CRS_PREDICTOR_OPS },
    .value = value,
    .slope = slope,
    .low = -0.8,
    .high = 1,
};

crease_smooth crease_tukey(const crease_predictor *p)
{
    return (crease_smooth){ .ops = &crs_tukey.ops, .data = p };
}
