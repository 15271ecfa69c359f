/* SPDX-License-Identifier: MIT
 * poisson: phi(u) = exp(u) - c u, c >= 0 the count of the row                  convex
 *
 * The negative log-likelihood of c with mean exp(u), log c! aside. phi' = exp(u) - c,
 * phi'' = exp(u): bounded on a bounded region alone. Least at u = log c: c - c log c; the infimum 0
 * is not attained where c = 0. */
#include "smooth/smooth.h"

static double value(const double *par, double u) { return exp(u) - par[CRS_ROW_COUNT] * u; }
static double slope(const double *par, double u) { return exp(u) - par[CRS_ROW_COUNT]; }
static double curve(const double *par, double u) { return (void)par, exp(u); }

static crs_range bend(const double *par, crs_range u)
{
    return (void)par, (crs_range){ 0, above(exp(u.high), 4) };
}

const crs_loss crs_poisson = {
    .ops = { .name = "poisson",
             .formula = "sum_j w_j (exp(u_j) - c_j u_j), u = A x, counts c_j >= 0",
             CRS_COUNTS_OPS },
    .value = value,
    .slope = slope,
    .curve = curve,
    .high = INFINITY,
    .bend = bend,
    .least = poisson_least,
};

crease_smooth crease_poisson(const crease_predictor *p)
{
    return (crease_smooth){ .ops = &crs_poisson.ops, .data = p };
}
