/* SPDX-License-Identifier: MIT
 * poisson_identity: phi(u) = v - c log v, v = u + offset, INFINITY unless v > 0    convex
 *
 * The negative log-likelihood of a count c with mean v, log c! aside. phi' = 1 - c/v,
 * phi'' = c/v^2, at most c/offset^2 where u >= 0. Least at v = c: c - c log c; the infimum 0 is not
 * attained where c = 0. */
#include "smooth/smooth.h"

static double value(const double *par, double u)
{
    const double c = par[CRS_ROW_COUNT], v = u + par[0];
    return v <= 0 ? INFINITY : c == 0 ? v : v - c * log(v);
}

static double slope(const double *par, double u)
{
    const double v = u + par[0];
    return v <= 0 ? -INFINITY : 1 - par[CRS_ROW_COUNT] / v;
}

static double curve(const double *par, double u)
{
    const double v = u + par[0];
    return v <= 0 ? INFINITY : par[CRS_ROW_COUNT] / v / v;
}

static crs_range bend(const double *par, crs_range u)
{
    return (crs_range){ 0, above(curve(par, u.low - 0x1p-51 * fabs(u.low)), 16) };
}

static const crease_param params[] = { CREASE_PAR_POSITIVE("offset", "the mean where A x = 0"),
                                       { 0 } };

const crs_loss crs_poisson_identity = {
    .ops = { .name = "poisson_identity",
             .formula = "sum_j w_j (v_j - c_j log v_j), v = A x + offset > 0, counts c_j >= 0",
             .params = params,
             CRS_COUNTS_OPS },
    .value = value,
    .slope = slope,
    .curve = curve,
    .high = INFINITY,
    .bend = bend,
    .least = poisson_least,
};

crease_smooth crease_poisson_identity(const crease_predictor *p, double offset)
{
    return (crease_smooth){ .ops = &crs_poisson_identity.ops, .par = { offset }, .data = p };
}
