/* SPDX-License-Identifier: MIT
 * welsch: phi(u) = (1/2)(1 - exp(-u^2))        phi'' in [-2 exp(-3/2), 1], least at u^2 = 3/2
 *
 * phi'(u) = u exp(-u^2), phi'' = (1 - 2u^2) exp(-u^2). */
#include "smooth/smooth.h"

static double value(const double *par, double u) { return (void)par, -expm1(-u * u) / 2; }
static double slope(const double *par, double u) { return (void)par, u * exp(-u * u); }

const crs_loss crs_welsch = {
    .ops = { .name = "welsch", .formula = "sum_j w_j (1/2) (1 - exp(-u_j^2))", CRS_PREDICTOR_OPS },
    .value = value,
    .slope = slope,
    .low = -0.44626032029685965,
    .high = 1,
};

crease_smooth crease_welsch(const crease_predictor *p)
{
    return (crease_smooth){ .ops = &crs_welsch.ops, .data = p };
}
