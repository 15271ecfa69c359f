/* SPDX-License-Identifier: MIT
 * huber_loss: phi(u) = u^2/2 for |u| <= delta, delta (|u| - delta/2) after     convex
 *
 * phi'(u) = clip(u, -delta, delta), phi'' in [0, 1]. */
#include "smooth/smooth.h"

static double value(const double *par, double u)
{
    const double delta = par[0], size = fabs(u);
    return size <= delta ? u * u / 2 : delta * (size - delta / 2);
}

static double slope(const double *par, double u) { return clip(u, -par[0], par[0]); }

static double curve(const double *par, double u)
{
    return fabs(u) <= par[0] ? 1 : isnan(u) ? u : 0;
}

static const crease_param params[] = { CREASE_PAR_POSITIVE("delta", "quadratic up to here"),
                                       { 0 } };

const crs_loss crs_huber_loss = {
    .ops = { .name = "huber",
             .formula = "sum_j w_j (u_j^2/2 if |u_j| <= delta, else delta (|u_j| - delta/2))",
             .params = params,
             CRS_PREDICTOR_OPS },
    .value = value,
    .slope = slope,
    .curve = curve,
    .high = 1,
};

crease_smooth crease_huber_loss(const crease_predictor *p, double delta)
{
    return (crease_smooth){ .ops = &crs_huber_loss.ops, .par = { delta }, .data = p };
}
