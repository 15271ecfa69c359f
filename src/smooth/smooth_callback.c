/* SPDX-License-Identifier: MIT
 * smooth_callback: the user's own f, its constants trusted as declared
 *
 * 0 (left out) is no constant: without L nothing is known of f; an L_i, M or (p, rho) that is left
 * out follows from L, which holds for every L-smooth f. */
#include "smooth/smooth.h"

static bool check_number(const char *what, double v, double low, crease_error *e)
{
    if (v >= low) return true;
    return crs_fail(e, CREASE_BAD_ARGUMENT, "callback: %s is %g; give a number >= %g, or INFINITY",
                    what, v, low);
}

static bool check(const crease_smooth *f, const crease_blocks *b, crease_error *e)
{
    const crease_callback_smooth *c = f->data;
    if (!c || !c->value || !c->grad)
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "callback: a function is missing; give both value and grad");
    const crease_constants *k = &c->constants;
    if (!check_number("L", k->L, 0, e) || !check_number("M", k->M, 0, e)) return false;
    if (!check_number("rho", k->rho, 0, e)) return false;
    if (!(k->p == 0 || (k->p > 1 && k->p <= 2)))
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "callback: p is %g; give 1 < p <= 2, or 0 for p = 2 with rho = L", k->p);
    if (!(k->lower < INFINITY))
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "callback: the lower bound is %g; give a finite one, or -INFINITY",
                        k->lower);
    if (k->quadratic_last && !(isfinite(k->last_low) && isfinite(k->last_high) &&
                               k->last_low <= k->last_high && k->separable_last))
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "callback: a quadratic last block with eigenvalues in [%g, %g]; it must be "
                        "separable too, with finite bounds in order",
                        k->last_low, k->last_high);
    for (int i = 0; c->block && i < b->count; i++)
        if (!(c->block[i] >= 0))
            return crs_fail(e, CREASE_BAD_ARGUMENT,
                            "callback: the Lipschitz constant of block %d is %g; give a number "
                            ">= 0, or INFINITY",
                            i + 1, c->block[i]);
    return true;
}

static bool touches(const crease_smooth *f, int i)
{
    const crease_callback_smooth *c = f->data;
    return i >= 0 && (!c->touches || c->touches[i]);
}

static double value(const crease_smooth *f, const crease_blocks *b, const double *const *x,
                    double *work)
{
    const crease_callback_smooth *c = f->data;
    (void)b, (void)work;
    return c->value(c->user, x);
}

static void grad(const crease_smooth *f, const crease_blocks *b, const double *const *x, int i,
                 double *g, double *work)
{
    const crease_callback_smooth *c = f->data;
    (void)b, (void)work;
    c->grad(c->user, x, i, g);
}

static bool constants(const crease_smooth *f, const crease_blocks *b, int last,
                      crease_constants *out, double *block, crease_error *e)
{
    const crease_callback_smooth *c = f->data;
    (void)last, (void)e;
    *out = c->constants;
    if (out->L == 0) out->L = INFINITY, out->lower = -INFINITY;
    if (out->M == 0) out->M = out->L;
    if (out->p == 0) out->p = 2, out->rho = 0;
    if (out->rho == 0 && !out->concave) out->rho = out->p == 2 ? out->L : INFINITY;
    for (int i = 0; block && i < b->count; i++)
        block[i] = c->block && c->block[i] > 0 ? c->block[i] : out->L;
    return true;
}

static bool nonnegative(const crease_smooth *f)
{
    const crease_callback_smooth *c = f->data;
    return c->constants.L > 0 && c->constants.lower >= 0;
}

const crease_smooth_ops crs_smooth_callback_ops = {
    .name = "callback",
    .formula = "the user's own f",
    .data_text = "value, grad, declared constants (in C only)",
    .family = CREASE_SMOOTH_CALLBACK,
    .check = check,
    .touches = touches,
    .value = value,
    .grad = grad,
    .constants = constants,
    .nonnegative = nonnegative,
};

crease_smooth crease_smooth_callback(const crease_callback_smooth *c)
{
    return (crease_smooth){ .ops = &crs_smooth_callback_ops, .data = c };
}
