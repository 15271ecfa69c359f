/* SPDX-License-Identifier: MIT
 * logistic: phi(u) = log(1 + exp(-u)), u = label * score                       convex
 *
 * phi'(u) = -1/(1 + exp(u)), phi'' = 1/(4 cosh^2(u/2)) in [0, 1/4]. Nothing overflows: only
 * exp(-|u|) is taken. */
#include "smooth/smooth.h"

static double value(const double *par, double u)
{
    (void)par;
    return (u < 0 ? -u : 0) + log1p(exp(-fabs(u)));
}

static double slope(const double *par, double u)
{
    const double t = exp(-fabs(u));
    (void)par;
    return u < 0 ? -1 / (1 + t) : -t / (1 + t);
}

static double curve(const double *par, double u)
{
    const double s = slope(par, u);
    return -s * (1 + s);
}

const crs_loss crs_logistic = {
    .ops = { .name = "logistic",
             .formula = "sum_j w_j log(1 + exp(-u_j)), u_j = label_j (A x)_j",
             CRS_LABELS_OPS },
    .value = value,
    .slope = slope,
    .curve = curve,
    .high = 0.25,
};

crease_smooth crease_logistic(const crease_predictor *p)
{
    return (crease_smooth){ .ops = &crs_logistic.ops, .data = p };
}
