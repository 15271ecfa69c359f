/* SPDX-License-Identifier: MIT
 * squared_distance: f(x) = (w/2)|x_a - x_b - d|^2, w of any sign; or (w/2)|x_a - d|^2
 *
 * The Hessian is w (1 -1; -1 1): L = 2|w|, L_a = L_b = |w|, M = sqrt(2)|w|; with one block all
 * three are |w|. The block step is (w t + h v)/(w + h), t = x_b + d or x_a - d, scaled into the
 * ball: its Hessian is a multiple of the identity. */
#include "smooth/smooth.h"

static bool check(const crease_smooth *f, const crease_blocks *b, crease_error *e)
{
    const crease_distance_data *d = f->data;
    if (!d)
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "squared_distance: there are no data; give blocks a and b, and a weight");
    if (!isfinite(d->weight))
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "squared_distance: the weight is %g; give a finite number", d->weight);
    if (!crs_check_block("squared_distance", b, d->a, e)) return false;
    if (d->b != -1) {
        if (!crs_check_block("squared_distance", b, d->b, e)) return false;
        if (d->a == d->b)
            return crs_fail(e, CREASE_BAD_ARGUMENT,
                            "squared_distance: both blocks are block %d; give two different ones, "
                            "or one alone",
                            d->a + 1);
        if (!crease_space_equal(&b->space[d->a], &b->space[d->b]))
            return crs_fail(e, CREASE_BAD_SHAPE,
                            "squared_distance: blocks %d and %d have different shapes; give blocks "
                            "of one shape",
                            d->a + 1, d->b + 1);
    }
    for (ptrdiff_t j = 0, n = crease_size(&b->space[d->a]); d->d && j < n; j++)
        if (!isfinite(d->d[j]))
            return crs_fail(e, CREASE_BAD_DATA,
                            "squared_distance: entry %td of d is %g; give finite numbers", j + 1,
                            d->d[j]);
    return true;
}

static bool touches(const crease_smooth *f, int i)
{
    const crease_distance_data *d = f->data;
    return i >= 0 && (i == d->a || i == d->b);
}

static ptrdiff_t scratch(const crease_smooth *f, const crease_blocks *b)
{
    const crease_distance_data *d = f->data;
    return crease_size(&b->space[d->a]);
}

/* (x_a - x_b - d)_j, with the block `skip` left out */
static double gap(const crease_distance_data *d, const double *const *x, int skip, ptrdiff_t j)
{
    double u = d->a == skip ? 0 : x[d->a][j];
    if (d->b >= 0 && d->b != skip) u -= x[d->b][j];
    return d->d ? u - d->d[j] : u;
}

static double value(const crease_smooth *f, const crease_blocks *b, const double *const *x,
                    double *work)
{
    const crease_distance_data *d = f->data;
    const crease_space *s = &b->space[d->a];
    for (ptrdiff_t j = 0, n = crease_size(s); j < n; j++) work[j] = gap(d, x, -1, j);
    return d->weight / 2 * crease_dot(s, work, work);
}

static void grad(const crease_smooth *f, const crease_blocks *b, const double *const *x, int i,
                 double *g, double *work)
{
    const crease_distance_data *d = f->data;
    const double w = i == d->a ? d->weight : -d->weight;
    (void)work;
    if (!touches(f, i)) return;
    for (ptrdiff_t j = 0, n = crease_size(&b->space[i]); j < n; j++) g[j] += w * gap(d, x, -1, j);
}

static double lower_bound(const crease_distance_data *d, const crease_blocks *b)
{
    const crease_space *s = &b->space[d->a];
    if (d->weight >= 0) return 0;
    const double most = radius_of(b, d->a) + (d->b >= 0 ? radius_of(b, d->b) : 0) +
                        (d->d ? crease_norm(s, d->d) : 0);
    return d->weight / 2 * above(most * most, 16);
}

static bool constants(const crease_smooth *f, const crease_blocks *b, int last,
                      crease_constants *out, double *block, crease_error *e)
{
    const crease_distance_data *d = f->data;
    const double w = d->weight, size = fabs(w);
    const bool touched = touches(f, last), two = d->b >= 0;
    (void)e;
    for (int i = 0; block && i < b->count; i++) block[i] = touches(f, i) ? size : 0;
    *out = (crease_constants){
        .L = two ? 2 * size : size,
        .M = !touched ? 0
             : two    ? above(sqrt(2.0) * size, 2)
                      : size,
        .p = 2,
        .rho = pos(two ? 2 * w : w),
        .lower = lower_bound(d, b),
        .concave = w <= 0,
        .separable_last = !touched || !two,
        .quadratic_last = !touched || !two,
        .last_low = touched && !two ? w : 0,
        .last_high = touched && !two ? w : 0,
    };
    return true;
}

static double curvature(const crease_smooth *f, const crease_blocks *b, const double *const *x,
                        int i, double *work)
{
    const crease_distance_data *d = f->data;
    (void)b, (void)x, (void)work;
    return touches(f, i) ? fabs(d->weight) : 0;
}

static bool argmin(const crease_smooth *f, const crease_blocks *b, const double *const *x, int i,
                   double h, const double *v, double radius, double *y, double *work)
{
    const crease_distance_data *d = f->data;
    const double w = d->weight, sign = i == d->a ? -1 : 1;
    (void)work;
    if (!touches(f, i) || !(w + h > 0)) return false;
    if (!y) return true;
    const crease_space *s = &b->space[i];
    const ptrdiff_t n = crease_size(s);
    for (ptrdiff_t j = 0; j < n; j++) y[j] = (w * sign * gap(d, x, i, j) + h * v[j]) / (w + h);
    const double norm = crease_norm(s, y);
    for (ptrdiff_t j = 0; norm > radius && j < n; j++) y[j] *= radius / norm;
    return true;
}

static bool nonnegative(const crease_smooth *f)
{
    const crease_distance_data *d = f->data;
    return d->weight >= 0;
}

const crease_smooth_ops crs_squared_distance_ops = {
    .name = "squared_distance",
    .formula = "(weight/2)|x_a - x_b - d|^2, or without x_b",
    .data_text = "blocks a and b (none: without x_b), weight (1), d (0)",
    .check = check,
    .scratch = scratch,
    .touches = touches,
    .value = value,
    .grad = grad,
    .constants = constants,
    .curvature = curvature,
    .argmin = argmin,
    .nonnegative = nonnegative,
};

crease_smooth crease_squared_distance(const crease_distance_data *d)
{
    return (crease_smooth){ .ops = &crs_squared_distance_ops, .data = d };
}
