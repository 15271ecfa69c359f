/* SPDX-License-Identifier: MIT
 * scaled: A x = c B x, c of any sign
 *
 * |A|_2 = |c| |B|_2, lambda_min(A A') = c^2 lambda_min(B B'), A'A = c^2 B'B. */
#include "map/directed.h"
#include "map/map.h"

static bool check(const crease_map *A, const crease_space *dom, const crease_space *ran,
                  crease_error *e)
{
    if (!crs_map_whole(A, dom, ran, e)) return false;
    if (!A->data) return crs_fail(e, CREASE_BAD_ARGUMENT, "scaled has no map (NULL); give one");
    return crease_map_check(A->data, dom, ran, e);
}

static ptrdiff_t scratch(const crease_map *A, const crease_space *dom, const crease_space *ran)
{
    return crease_map_scratch(A->data, dom, ran);
}

static void apply(const crease_map *A, const crease_space *dom, const crease_space *ran, double a,
                  const double *x, double *y, double *work)
{
    const crease_map *B = A->data;
    B->ops->apply(B, dom, ran, a * A->par[0], x, y, work);
}

static void adjoint(const crease_map *A, const crease_space *dom, const crease_space *ran, double a,
                    const double *y, double *x, double *work)
{
    const crease_map *B = A->data;
    B->ops->adjoint(B, dom, ran, a * A->par[0], y, x, work);
}

static bool norm(const crease_map *A, const crease_space *dom, const crease_space *ran,
                 double *bound, crease_error *e)
{
    const crease_map *B = A->data;
    if (!B->ops->norm(B, dom, ran, bound, e)) return false;
    *bound = product_up(fabs(A->par[0]), *bound);
    return true;
}

static bool sigma_min(const crease_map *A, const crease_space *dom, const crease_space *ran,
                      double *bound, crease_error *e)
{
    const crease_map *B = A->data;
    const double c = fabs(A->par[0]);
    if (!B->ops->sigma_min(B, dom, ran, bound, e)) return false;
    *bound = product_down(c, product_down(c, *bound));
    return true;
}

static bool identity(const crease_map *A, const crease_space *dom, const crease_space *ran,
                     double *c)
{
    const crease_map *B = A->data;
    double inner;
    return B->ops->identity && B->ops->identity(B, dom, ran, &inner) &&
           exact_product(A->par[0], inner, c);
}

static bool rounding(const crease_map *A, const crease_space *dom, const crease_space *ran,
                     crease_rounding *r, crease_error *e)
{
    if (!crs_map_rounding(A->data, dom, ran, r, e)) return false;
    *r = (crease_rounding){ product_up(fabs(A->par[0]), r->mass), r->steps + 1 };
    return true;
}

static bool gram(const crease_map *A, const crease_space *dom, const crease_space *ran,
                 crease_gram *g, crease_error *e)
{
    if (!crs_map_gram(A->data, dom, ran, g, e)) return false;
    for (ptrdiff_t k = 0; k < g->count; k++) g->w[k] *= square(A->par[0]);
    return true;
}

static const crease_param params[] = {
    { "scale", -INFINITY, INFINITY, CREASE_OPEN_LOW | CREASE_OPEN_HIGH, "c" }, { 0 }
};

static ptrdiff_t entries(const crease_map *A, const crease_space *dom, const crease_space *ran,
                         ptrdiff_t *row, ptrdiff_t *col, double *value)
{
    const ptrdiff_t count = crs_map_entries(A->data, dom, ran, row, col, value);
    for (ptrdiff_t k = 0; row && k < count; k++) value[k] *= A->par[0];
    return count;
}

const crease_map_ops crs_map_scaled_ops = {
    .name = "scaled",
    .formula = "A x = c B x",
    .params = params,
    .check = check,
    .scratch = scratch,
    .apply = apply,
    .adjoint = adjoint,
    .norm = norm,
    .sigma_min = sigma_min,
    .identity = identity,
    .rounding = rounding,
    .gram = gram,
    .entries = entries,
};

crease_map crease_map_scaled(double c, const crease_map *A)
{
    return (crease_map){ .ops = &crs_map_scaled_ops, .par = { c }, .data = A };
}

const crease_map *crs_map_unscaled(const crease_map *A, double *c)
{
    *c = 1;
    for (; A->ops == &crs_map_scaled_ops; A = A->data) *c *= A->par[0];
    return A;
}
