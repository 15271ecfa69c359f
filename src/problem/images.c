/* SPDX-License-Identifier: MIT
 * images: u = (K_1 x, K_2 x, ..) of the terms of f that see x through matrices
 *
 *     a loss of a linear predictor    u = W x;  value and w o phi'(u) from u, grad_i f = W_i'(..)
 *     (1/2) x'Qx + q'x                u = Q x;  value (1/2) <x, u> + <q, x>, grad_i f = u_i + q_i
 *     a sum                           those of its terms, one behind the other
 *     anything else                   none: value and gradient are made from x */
#include "problem/problem.h"
#include "smooth/smooth.h"

typedef struct {
    const crease_blocks *b;
    const double *const *x;
    double *work;
} place;

static const crease_smooth_list *list_of(const crease_smooth *f)
{
    return f->ops->family == CREASE_SMOOTH_SUM ? f->data : NULL;
}

/* phi' of a Hoelder loss turns the rounding of u into errors: each u is made from its x. */
static bool is_loss(const crease_smooth *f)
{
    return f->ops->family == CREASE_SMOOTH_LOSS && !loss_of(f)->hoelder;
}
static bool is_form(const crease_smooth *f) { return f->ops == &crs_quadratic_ops; }

static ptrdiff_t size_of(const crease_smooth *f, const crease_blocks *b)
{
    const crease_smooth_list *sum = list_of(f);
    ptrdiff_t n = 0;
    if (is_loss(f)) return crease_size(&((const crease_predictor *)f->data)->range);
    if (is_form(f)) return crs_quadratic_rows(f, b);
    for (int t = 0; sum && t < sum->count; t++) n += size_of(&sum->term[t], b);
    return n;
}

static void move(const crease_smooth *f, const crease_blocks *b, int i, const double *d, double *u,
                 double *work)
{
    const crease_smooth_list *sum = list_of(f);
    if (is_loss(f)) crs_predictor_apply(f->data, b, i, 1, d, u, work);
    if (is_form(f)) crs_quadratic_apply(f, b, i, d, u);
    for (int t = 0; sum && t < sum->count; t++) {
        move(&sum->term[t], b, i, d, u, work);
        u += size_of(&sum->term[t], b);
    }
}

static double value(const crease_smooth *f, const place *at, const double *u)
{
    const crease_smooth_list *sum = list_of(f);
    double total = 0;
    if (is_loss(f)) return crs_predictor_value_at(f, u);
    if (is_form(f)) return crs_quadratic_value_at(f, at->b, at->x, u);
    if (!sum) return f->ops->value(f, at->b, at->x, at->work);
    for (int t = 0; t < sum->count; t++) {
        total += value(&sum->term[t], at, u);
        u += size_of(&sum->term[t], at->b);
    }
    return total;
}

/* g += grad_i f */
static void gradient(const crease_smooth *f, const place *at, const double *u, int i, double *g)
{
    const crease_smooth_list *sum = list_of(f);
    if (!f->ops->touches(f, i)) return;
    if (is_loss(f)) {
        const ptrdiff_t m = size_of(f, at->b);
        crs_predictor_slope_at(f, u, at->work);
        crs_predictor_adjoint(f->data, at->b, i, at->work, g, at->work + m);
    } else if (is_form(f)) {
        crs_quadratic_grad_at(f, at->b, u, i, g);
    } else if (!sum) {
        f->ops->grad(f, at->b, at->x, i, g, at->work);
    }
    for (int t = 0; sum && t < sum->count; t++) {
        gradient(&sum->term[t], at, u, i, g);
        u += size_of(&sum->term[t], at->b);
    }
}

ptrdiff_t crs_images_size(const crease_problem *p)
{
    const crease_blocks b = crs_blocks(p);
    return p->f.ops ? size_of(&p->f, &b) : 0;
}

void crs_images_move(const crease_problem *p, int i, const double *d, double *u, double *work)
{
    const crease_blocks b = crs_blocks(p);
    if (p->f.ops) move(&p->f, &b, i, d, u, work);
}

void crs_images(const crease_problem *p, const double *const *x, double *u, double *work)
{
    fill(crs_images_size(p), 0, u);
    for (int i = 0; i < p->count; i++) crs_images_move(p, i, x[i], u, work);
}

double crs_images_f(const crease_problem *p, const double *const *x, const double *u, double *work)
{
    const crease_blocks b = crs_blocks(p);
    const place at = { &b, x, work };
    return p->f.ops ? value(&p->f, &at, u) : 0;
}

void crs_images_grad(const crease_problem *p, const double *const *x, const double *u, int i,
                     double *g, double *work)
{
    const crease_blocks b = crs_blocks(p);
    const place at = { &b, x, work };
    fill(crease_size(&p->space[i]), 0, g);
    if (p->f.ops) gradient(&p->f, &at, u, i, g);
}
