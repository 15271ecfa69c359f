/* SPDX-License-Identifier: MIT
 * smooth_sum: f = f_1 + f_2 + ...
 *
 * A term that does not touch a block adds nothing to its constants. Since |x|^2 is a sum over
 * blocks, L <= max_i sum_{t touches i} L_t, and likewise rho. A block has a closed form when
 * exactly one term touches it and that one has. The curvature of a term without its own is the
 * constant of the region, computed at each call. */
#include "smooth/smooth.h"

static bool check(const crease_smooth *f, const crease_blocks *b, crease_error *e)
{
    const crease_smooth_list *l = f->data;
    if (!l || l->count < 1 || !l->term)
        return crs_fail(e, CREASE_BAD_ARGUMENT, "sum: there are no terms; give at least one");
    for (int t = 0; t < l->count; t++) {
        crease_error inner;
        if (!crease_smooth_check(&l->term[t], b, &inner))
            return crs_fail_part(e, &inner, "sum", "term", t);
    }
    return true;
}

static ptrdiff_t scratch(const crease_smooth *f, const crease_blocks *b)
{
    const crease_smooth_list *l = f->data;
    ptrdiff_t most = b->count;
    for (int t = 0; t < l->count; t++) {
        const ptrdiff_t n = crease_smooth_scratch(&l->term[t], b);
        if (n > most) most = n;
    }
    return most;
}

static bool touches(const crease_smooth *f, int i)
{
    const crease_smooth_list *l = f->data;
    for (int t = 0; t < l->count; t++)
        if (l->term[t].ops->touches(&l->term[t], i)) return true;
    return false;
}

static double value(const crease_smooth *f, const crease_blocks *b, const double *const *x,
                    double *work)
{
    const crease_smooth_list *l = f->data;
    double sum = 0;
    for (int t = 0; t < l->count; t++) sum += l->term[t].ops->value(&l->term[t], b, x, work);
    return sum;
}

static void grad(const crease_smooth *f, const crease_blocks *b, const double *const *x, int i,
                 double *g, double *work)
{
    const crease_smooth_list *l = f->data;
    for (int t = 0; t < l->count; t++)
        if (l->term[t].ops->touches(&l->term[t], i))
            l->term[t].ops->grad(&l->term[t], b, x, i, g, work);
}

static double term_curvature(const crease_smooth *f, const crease_blocks *b, const double *const *x,
                             int i, double *work)
{
    crease_constants c;
    if (f->ops->curvature) return f->ops->curvature(f, b, x, i, work);
    return f->ops->constants(f, b, i, &c, work, NULL) ? work[i] : NAN;
}

static double curvature(const crease_smooth *f, const crease_blocks *b, const double *const *x,
                        int i, double *work)
{
    const crease_smooth_list *l = f->data;
    double sum = 0;
    for (int t = 0; t < l->count; t++)
        if (l->term[t].ops->touches(&l->term[t], i))
            sum = plus(sum, term_curvature(&l->term[t], b, x, i, work));
    return sum;
}

static bool argmin(const crease_smooth *f, const crease_blocks *b, const double *const *x, int i,
                   double h, const double *v, double radius, double *y, double *work)
{
    const crease_smooth_list *l = f->data;
    const crease_smooth *only = NULL;
    for (int t = 0; t < l->count; t++) {
        if (!l->term[t].ops->touches(&l->term[t], i)) continue;
        if (only) return false;
        only = &l->term[t];
    }
    return only && only->ops->argmin && only->ops->argmin(only, b, x, i, h, v, radius, y, work);
}

const crease_smooth_ops crs_smooth_sum_ops = {
    .name = "sum",
    .formula = "f_1 + f_2 + ...",
    .data_text = "terms [couplings]",
    .check = check,
    .scratch = scratch,
    .touches = touches,
    .value = value,
    .grad = grad,
    .constants = crs_smooth_sum_constants,
    .curvature = curvature,
    .argmin = argmin,
};

crease_smooth crease_smooth_sum(const crease_smooth_list *l)
{
    return (crease_smooth){ .ops = &crs_smooth_sum_ops, .data = l };
}
