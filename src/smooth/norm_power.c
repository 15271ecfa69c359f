/* SPDX-License-Identifier: MIT
 * norm_power: f(x) = (w/p)|x_a - d|_2^p, p > 1, w of any sign               convex if w >= 0
 *
 * With z = x_a - d: grad f = w |z|^{p-2} z, and the Hessian w |z|^{p-2} (I + (p-2) zz'/|z|^2) has
 * norm |w| max(p - 1, 1) |z|^{p-2}, which for p >= 2 is largest at |z| = radius + |d|. For p < 2
 * the gradient is not Lipschitz (L = INFINITY), but 2^{2-p}|w|-Hoelder of order p - 1, so that f(y)
 * <= f(x) + <grad f(x), y-x> + (2^{2-p} w/p)|y-x|_2^p,  |y-x|_2 <= |y-x|_p, for w >= 0; for w < 0 f
 * is concave and rho = 0. */
#include "smooth/smooth.h"

static bool check(const crease_smooth *f, const crease_blocks *b, crease_error *e)
{
    const crease_power_data *d = f->data;
    if (!d)
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "norm_power: there are no data; give a block, a weight and a power");
    if (!isfinite(d->weight))
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "norm_power: the weight is %g; give a finite number", d->weight);
    if (!(d->power > 1 && isfinite(d->power)))
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "norm_power: the power is %g; give a number > 1 (the norm itself is "
                        "the regularizer group-l1)",
                        d->power);
    if (!crs_check_block("norm_power", b, d->a, e)) return false;
    for (ptrdiff_t j = 0, n = crease_size(&b->space[d->a]); d->d && j < n; j++)
        if (!isfinite(d->d[j]))
            return crs_fail(e, CREASE_BAD_DATA,
                            "norm_power: entry %td of d is %g; give finite numbers", j + 1,
                            d->d[j]);
    return true;
}

static bool touches(const crease_smooth *f, int i)
{
    return i == ((const crease_power_data *)f->data)->a;
}

static ptrdiff_t scratch(const crease_smooth *f, const crease_blocks *b)
{
    return crease_size(&b->space[((const crease_power_data *)f->data)->a]);
}

/* z = x_a - d; its norm */
static double away(const crease_power_data *d, const crease_blocks *b, const double *x, double *z)
{
    const crease_space *s = &b->space[d->a];
    for (ptrdiff_t j = 0, n = crease_size(s); j < n; j++) z[j] = d->d ? x[j] - d->d[j] : x[j];
    return crease_norm(s, z);
}

static double value(const crease_smooth *f, const crease_blocks *b, const double *const *x,
                    double *work)
{
    const crease_power_data *d = f->data;
    return d->weight * (pow(away(d, b, x[d->a], work), d->power) / d->power);
}

static void grad(const crease_smooth *f, const crease_blocks *b, const double *const *x, int i,
                 double *g, double *work)
{
    const crease_power_data *d = f->data;
    if (!touches(f, i)) return;
    const double norm = away(d, b, x[i], work), size = d->weight * pow(norm, d->power - 1);
    for (ptrdiff_t j = 0, n = crease_size(&b->space[i]); norm != 0 && j < n; j++)
        g[j] += size * (work[j] / norm);
}

static bool constants(const crease_smooth *f, const crease_blocks *b, int last,
                      crease_constants *out, double *block, crease_error *e)
{
    const crease_power_data *d = f->data;
    const double p = d->power, w = d->weight, norm = d->d ? crease_norm(&b->space[d->a], d->d) : 0;
    const double far = above(radius_of(b, d->a) + norm, (double)(1 << 20)), slack = 64 + 64 * p;
    const double bend = p == 2 ? 1 : p > 2 ? above((p - 1) * pow(far, p - 2), slack) : INFINITY;
    const double L = times(fabs(w), bend);
    (void)e;
    for (int i = 0; block && i < b->count; i++) block[i] = i == d->a ? L : 0;
    *out = (crease_constants){
        .L = L,
        .M = last == d->a ? L : 0,
        .p = p < 2 ? p : 2,
        .rho = w <= 0  ? 0
               : p < 2 ? above(exp2(3 - p) / p * w, 8)
                       : L,
        .lower = w >= 0 ? 0 : w * above(pow(far, p) / p, slack),
        .concave = w <= 0,
        .separable_last = true,
        .quadratic_last = p == 2 || last != d->a,
    };
    if (p == 2 && last == d->a) out->last_low = out->last_high = w;
    return true;
}

static bool nonnegative(const crease_smooth *f)
{
    return ((const crease_power_data *)f->data)->weight >= 0;
}

const crease_smooth_ops crs_norm_power_ops = {
    .name = "norm_power",
    .formula = "(weight/power)|x_a - d|_2^power, power > 1",
    .data_text = "block a, power, weight (1), d (0)",
    .check = check,
    .scratch = scratch,
    .touches = touches,
    .value = value,
    .grad = grad,
    .constants = constants,
    .nonnegative = nonnegative,
};

crease_smooth crease_norm_power(const crease_power_data *d)
{
    return (crease_smooth){ .ops = &crs_norm_power_ops, .data = d };
}
