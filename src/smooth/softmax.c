/* SPDX-License-Identifier: MIT
 * softmax: f(x) = sum_i w_i (log sum_k exp(u_ik) - u_{i,y_i}), u = A x a matrix    convex
 *
 * The gradient with respect to u_i is w_i (p_i - e_{y_i}), p_ik = exp(u_ik)/sum_l exp(u_il); the
 * Hessian w_i (diag p_i - p_i p_i') has eigenvalues in [0, w_i/2]. Only exp(u_ik - max_l u_il) is
 * taken. The loss is not a sum over the entries of u; only its maps are those of a predictor. */
#include "smooth/smooth.h"

static ptrdiff_t classes(const crease_predictor *p) { return p->range.dim[1]; }

static bool check_row(const crease_predictor *p, ptrdiff_t i, crease_error *e)
{
    const double y = p->rhs[i], w = p->weight ? p->weight[i] : 1;
    if (!(y >= 0 && y < (double)classes(p) && y == floor(y)))
        return crs_fail(e, CREASE_BAD_DATA,
                        "softmax: label %td is %g; labels are whole numbers from 0 to %td, one "
                        "less than the number of classes",
                        i + 1, y, classes(p) - 1);
    if (!(w >= 0 && isfinite(w)))
        return crs_fail(e, CREASE_BAD_DATA,
                        "softmax: weight %td is %g; weights are finite numbers >= 0 (0 leaves a "
                        "row out)",
                        i + 1, w);
    return true;
}

static bool check(const crease_smooth *f, const crease_blocks *b, crease_error *e)
{
    const crease_predictor *p = f->data;
    if (!crs_predictor_check_terms(f, b, e)) return false;
    if (p->range.order != 2)
        return crs_fail(e, CREASE_BAD_SHAPE,
                        "softmax: its maps lead into a space with %d dimensions; give maps into a "
                        "matrix, rows x classes",
                        p->range.order);
    if (!p->rhs)
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "softmax: there are no labels; give one of 0, 1, ... a row as rhs");
    for (ptrdiff_t i = 0; i < p->range.dim[0]; i++)
        if (!check_row(p, i, e)) return false;
    return true;
}

/* u = A x; `work` behind it is for the maps. */
static double *predict(const crease_predictor *p, const crease_blocks *b, const double *const *x,
                       double *work)
{
    const ptrdiff_t n = crease_size(&p->range);
    fill(n, 0, work);
    for (int i = 0; i < b->count; i++) crs_predictor_apply(p, b, i, 1, x[i], work, work + n);
    return work;
}

/* u becomes exp(u - max u); their sum without the first largest one, which is 1 */
static double exponentials(ptrdiff_t count, double *u, double *most)
{
    ptrdiff_t at = 0;
    double sum = 0;
    for (ptrdiff_t k = 1; k < count; k++)
        if (!(u[k] <= u[at])) at = k;
    *most = u[at];
    for (ptrdiff_t k = 0; k < count; k++) {
        u[k] = exp(u[k] - *most);
        if (k != at) sum += u[k];
    }
    return sum;
}

static double value(const crease_smooth *f, const crease_blocks *b, const double *const *x,
                    double *work)
{
    const crease_predictor *p = f->data;
    double *u = predict(p, b, x, work), sum = 0;
    for (ptrdiff_t i = 0; i < p->range.dim[0]; i++, u += classes(p)) {
        double most;
        const double own = u[(ptrdiff_t)p->rhs[i]], others = exponentials(classes(p), u, &most);
        sum += weighed(p, i, log1p(others) + (most - own));
    }
    return crease_sum(&p->range, sum);
}

static void grad(const crease_smooth *f, const crease_blocks *b, const double *const *x, int i,
                 double *g, double *work)
{
    const crease_predictor *p = f->data;
    double *u = predict(p, b, x, work), *row = u;
    for (ptrdiff_t r = 0; r < p->range.dim[0]; r++, row += classes(p)) {
        double most;
        const double w = p->weight ? p->weight[r] : 1;
        const double all = 1 + exponentials(classes(p), row, &most);
        const ptrdiff_t y = (ptrdiff_t)p->rhs[r];
        double others = 0;
        for (ptrdiff_t k = 0; k < classes(p); k++) others += k == y ? 0 : row[k];
        for (ptrdiff_t k = 0; k < classes(p); k++) row[k] *= w / all;
        row[y] = -w * (others / all); /* p_y - 1 without cancellation */
    }
    crs_predictor_adjoint(p, b, i, u, g, work + crease_size(&p->range));
}

/* The constants without weights, times the largest weight */
static bool constants(const crease_smooth *f, const crease_blocks *b, int last,
                      crease_constants *out, double *block, crease_error *e)
{
    crease_predictor plain = *(const crease_predictor *)f->data;
    const double *weight = plain.weight;
    const crease_smooth all = { .ops = f->ops, .data = &plain };
    double most = weight ? 0 : 1;
    for (ptrdiff_t i = 0; weight && i < plain.range.dim[0]; i++) most = larger(most, weight[i]);
    most = crease_max(&plain.range, most);
    plain.weight = plain.rhs = NULL;
    if (!crs_predictor_constants(&all, b, last, out, block, e)) return false;
    out->L = above(times(most, out->L), 1);
    out->M = above(times(most, out->M), 1);
    out->rho = above(times(most, out->rho), 1);
    for (int i = 0; block && i < b->count; i++) block[i] = above(times(most, block[i]), 1);
    return true;
}

const crs_loss crs_softmax = {
    .ops = { .name = "softmax",
             .formula = "sum_i w_i (log sum_k exp(u_ik) - u_{i,y_i}), u = A x, labels y_i = 0, 1, "
                        "..., classes - 1",
             .data_text = "terms {block: map}, labels, classes, weights",
             .family = CREASE_SMOOTH_PREDICTED,
             .check = check,
             .scratch = crs_predictor_scratch,
             .touches = crs_predictor_touches,
             .value = value,
             .grad = grad,
             .constants = constants,
             .nonnegative = crs_loss_nonnegative },
    .high = 0.5,
};

crease_smooth crease_softmax(const crease_predictor *p)
{
    return (crease_smooth){ .ops = &crs_softmax.ops, .data = p };
}
