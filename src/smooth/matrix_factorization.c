/* SPDX-License-Identifier: MIT
 * matrix_factorization: |Z - X Y'|^2, which is cp of order 2
 *
 * Gradients 2(XY' - Z)Y, 2(XY' - Z)'X and 2(Z - XY'). */
#include "smooth/smooth.h"

typedef struct {
    crease_cp_data data;
    int factor[2];
} order_two;

/* The same coupling as cp sees it; `two` must live as long. */
static crease_smooth in_cp(const crease_smooth *f, const crease_blocks *b, order_two *two)
{
    const crease_factorization_data *m = f->data;
    const crease_space *x = b->space + m->x, *y = b->space + m->y;
    *two = (order_two){ .data = { .shape = crease_matrix(x->dim[0], y->dim[0]),
                                  .rank = x->order > 1 ? x->dim[1] : 1,
                                  .z = m->z,
                                  .target = m->target },
                        .factor = { m->x, m->y } };
    two->data.factor = two->factor;
    return (crease_smooth){ .ops = f->ops, .data = &two->data };
}

static bool check(const crease_smooth *f, const crease_blocks *b, crease_error *e)
{
    const crease_factorization_data *m = f->data;
    order_two two;
    const int block[] = { m->x, m->y };
    for (int n = 0; n < 2; n++)
        if (block[n] < 0 || block[n] >= b->count)
            return crs_fail(e, CREASE_BAD_ARGUMENT,
                            "%s: %s is block %d; the problem has blocks 1 to %d", f->ops->name,
                            n ? "Y" : "X", block[n] + 1, b->count);
    const crease_smooth cp = in_cp(f, b, &two);
    return crs_cp_ops.check(&cp, b, e);
}

static ptrdiff_t scratch(const crease_smooth *f, const crease_blocks *b)
{
    order_two two;
    const crease_smooth cp = in_cp(f, b, &two);
    return crs_cp_ops.scratch(&cp, b);
}

static bool touches(const crease_smooth *f, int i)
{
    const crease_factorization_data *m = f->data;
    return i >= 0 && (i == m->x || i == m->y || i == m->z);
}

static double value(const crease_smooth *f, const crease_blocks *b, const double *const *x,
                    double *work)
{
    order_two two;
    const crease_smooth cp = in_cp(f, b, &two);
    return crs_cp_ops.value(&cp, b, x, work);
}

static void grad(const crease_smooth *f, const crease_blocks *b, const double *const *x, int i,
                 double *g, double *work)
{
    order_two two;
    const crease_smooth cp = in_cp(f, b, &two);
    crs_cp_ops.grad(&cp, b, x, i, g, work);
}

static bool constants(const crease_smooth *f, const crease_blocks *b, int last,
                      crease_constants *out, double *block, crease_error *e)
{
    order_two two;
    const crease_smooth cp = in_cp(f, b, &two);
    return crs_cp_ops.constants(&cp, b, last, out, block, e);
}

static double curvature(const crease_smooth *f, const crease_blocks *b, const double *const *x,
                        int i, double *work)
{
    order_two two;
    const crease_smooth cp = in_cp(f, b, &two);
    return crs_cp_ops.curvature(&cp, b, x, i, work);
}

static bool argmin(const crease_smooth *f, const crease_blocks *b, const double *const *x, int i,
                   double h, const double *v, double radius, double *y, double *work)
{
    order_two two;
    const crease_smooth cp = in_cp(f, b, &two);
    return crs_cp_ops.argmin(&cp, b, x, i, h, v, radius, y, work);
}

static int factors(const crease_smooth *f, const crease_blocks *b, int i, double *size)
{
    order_two two;
    const crease_smooth cp = in_cp(f, b, &two);
    return crs_cp_ops.factors(&cp, b, i, size);
}

static double both(const crease_smooth *f, const crease_blocks *b, const double *const *x,
                   double *const *g, double *work)
{
    order_two two;
    const crease_smooth cp = in_cp(f, b, &two);
    return crs_cp_ops.both(&cp, b, x, g, work);
}

static bool as_cp(const crease_smooth *f, const crease_blocks *b, crease_cp_data *out, int *factor)
{
    order_two two;
    const crease_smooth cp = in_cp(f, b, &two);
    return crs_cp_ops.as_cp(&cp, b, out, factor);
}

const crease_smooth_ops crs_matrix_factorization_ops = {
    .name = "matrix_factorization",
    .formula = "|Z - X Y'|^2",
    .data_text = "blocks x (m x R) and y (n x R), Z (m x n): z (a block) or target (an array)",
    .check = check,
    .scratch = scratch,
    .touches = touches,
    .value = value,
    .grad = grad,
    .constants = constants,
    .curvature = curvature,
    .argmin = argmin,
    .nonnegative = crs_sum_of_squares,
    .factors = factors,
    .both = both,
    .as_cp = as_cp,
};

crease_smooth crease_matrix_factorization(const crease_factorization_data *m)
{
    return (crease_smooth){ .ops = &crs_matrix_factorization_ops, .data = m };
}
