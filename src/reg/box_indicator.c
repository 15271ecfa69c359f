/* SPDX-License-Identifier: MIT
 * box_indicator: r(x) = 0 if low <= x_j <= high for all j, +infinity elsewhere       convex
 *
 * The zero penalty on a range: the prox clips for every t, dr(x) is the normal cone. */
#include "reg/reg.h"

static crs_range inside(const crease_reg *r, const crease_bounds *b)
{
    return (crs_range){ b, r->par[0], r->par[1] };
}

static bool check(const crease_reg *r, const crease_space *s, crease_error *e)
{
    (void)s;
    return r->par[0] <= r->par[1] ||
           crs_fail(e, CREASE_BAD_ARGUMENT, "box: low = %g is above high = %g; exchange them",
                    r->par[0], r->par[1]);
}

static double value(const crease_reg *r, const crease_space *s, const double *x, double *work)
{
    const crease_reg zero = crease_zero();
    const crs_range range = inside(r, NULL);
    (void)work;
    return crs_entries_value(&zero, s, &range, x);
}

static void prox_box(const crease_reg *r, const crease_space *s, double t, const crease_bounds *b,
                     const double *v, double *x, double *work)
{
    const crease_reg zero = crease_zero();
    const crs_range range = inside(r, b);
    (void)work;
    crs_entries_prox(&zero, s, t, &range, v, x);
}

static void prox(const crease_reg *r, const crease_space *s, double t, const double *v, double *x,
                 double *work)
{
    prox_box(r, s, t, NULL, v, x, work);
}

static double dist_box(const crease_reg *r, const crease_space *s, const crease_bounds *b,
                       const double *x, const double *g, double *work)
{
    const crease_reg zero = crease_zero();
    const crs_range range = inside(r, b);
    (void)work;
    return crs_entries_dist(&zero, s, &range, x, g);
}

static double dist(const crease_reg *r, const crease_space *s, const double *x, const double *g,
                   double *work)
{
    return dist_box(r, s, NULL, x, g, work);
}

static void traits(const crease_reg *r, const crease_space *s, double radius,
                   crease_reg_traits *out)
{
    const bool idle = r->par[0] <= -radius && r->par[1] >= radius;
    (void)s;
    *out = (crease_reg_traits){
        .convex = true,
        .separable = true,
        .lipschitz = idle ? 0 : INFINITY,
    };
}

static const crease_param params[] = {
    { "low", -INFINITY, INFINITY, CREASE_OPEN_HIGH, "least value of an entry" },
    { "high", -INFINITY, INFINITY, CREASE_OPEN_LOW, "largest value of an entry" },
    { 0 },
};

const crease_reg_ops crs_box_indicator_ops = {
    .name = "box",
    .formula = "0 if low <= x_j <= high, else infinity",
    .params = params,
    .traits_text = { "none", "0" },
    .convex = true,
    .kind = CREASE_KIND_RANGE,
    .check = check,
    .value = value,
    .prox = prox,
    .dist = dist,
    .traits = traits,
    .prox_box = prox_box,
    .dist_box = dist_box,
};

crease_reg crease_box_indicator(double low, double high)
{
    return (crease_reg){ .ops = &crs_box_indicator_ops, .par = { low, high } };
}
