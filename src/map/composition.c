/* SPDX-License-Identifier: MIT
 * composition: A x = B (C x), B outer, C inner
 *
 * |A|_2 <= |B|_2 |C|_2 and lambda_min(A A') >= lambda_min(B B') lambda_min(C C'), because
 * |C'B'y|^2 >= lambda_min(C C') |B'y|^2. Better bounds from the matrix of A when it is small. */
#include "map/directed.h"
#include "map/map.h"

static bool check(const crease_map *A, const crease_space *dom, const crease_space *ran,
                  crease_error *e)
{
    const crease_map_pair *p = A->data;
    if (!crs_map_whole(A, dom, ran, e)) return false;
    if (!p || !p->outer || !p->inner || !p->between)
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "composition lacks a part (NULL); give outer, inner and between");
    return crease_map_check(p->inner, dom, p->between, e) &&
           crease_map_check(p->outer, p->between, ran, e);
}

/* C x, then what the parts need, one after the other; -1 when that overflows. */
static ptrdiff_t scratch(const crease_map *A, const crease_space *dom, const crease_space *ran)
{
    const crease_map_pair *p = A->data;
    const ptrdiff_t in = crease_map_scratch(p->inner, dom, p->between);
    const ptrdiff_t out = crease_map_scratch(p->outer, p->between, ran);
    ptrdiff_t total;
    if (in < 0 || out < 0) return -1;
    return crs_add_size(crease_size(p->between), in > out ? in : out, &total) ? total : -1;
}

static void apply(const crease_map *A, const crease_space *dom, const crease_space *ran, double a,
                  const double *x, double *y, double *work)
{
    const crease_map_pair *p = A->data;
    const ptrdiff_t n = crease_size(p->between);
    fill(n, 0, work);
    p->inner->ops->apply(p->inner, dom, p->between, 1, x, work, work + n);
    p->outer->ops->apply(p->outer, p->between, ran, a, work, y, work + n);
}

static void adjoint(const crease_map *A, const crease_space *dom, const crease_space *ran, double a,
                    const double *y, double *x, double *work)
{
    const crease_map_pair *p = A->data;
    const ptrdiff_t n = crease_size(p->between);
    fill(n, 0, work);
    p->outer->ops->adjoint(p->outer, p->between, ran, 1, y, work, work + n);
    p->inner->ops->adjoint(p->inner, dom, p->between, a, work, x, work + n);
}

static bool norm(const crease_map *A, const crease_space *dom, const crease_space *ran,
                 double *bound, crease_error *e)
{
    const crease_map_pair *p = A->data;
    double in, out;
    return p->inner->ops->norm(p->inner, dom, p->between, &in, e) &&
           p->outer->ops->norm(p->outer, p->between, ran, &out, e) &&
           crs_map_better_norm(A, dom, ran, product_up(in, out), bound, e);
}

static bool sigma_min(const crease_map *A, const crease_space *dom, const crease_space *ran,
                      double *bound, crease_error *e)
{
    const crease_map_pair *p = A->data;
    double in, out;
    return p->inner->ops->sigma_min(p->inner, dom, p->between, &in, e) &&
           p->outer->ops->sigma_min(p->outer, p->between, ran, &out, e) &&
           crs_map_better_sigma_min(A, dom, ran, product_down(in, out), bound, e);
}

static bool identity(const crease_map *A, const crease_space *dom, const crease_space *ran,
                     double *c)
{
    const crease_map_pair *p = A->data;
    double in, out;
    return p->inner->ops->identity && p->outer->ops->identity &&
           p->inner->ops->identity(p->inner, dom, p->between, &in) &&
           p->outer->ops->identity(p->outer, p->between, ran, &out) && exact_product(in, out, c);
}

static bool rounding(const crease_map *A, const crease_space *dom, const crease_space *ran,
                     crease_rounding *r, crease_error *e)
{
    const crease_map_pair *p = A->data;
    crease_rounding in, out;
    if (!crs_map_rounding(p->inner, dom, p->between, &in, e)) return false;
    if (!crs_map_rounding(p->outer, p->between, ran, &out, e)) return false;
    *r = (crease_rounding){ product_up(in.mass, out.mass), in.steps + out.steps };
    return true;
}

/* B's, each in the column that C took it from, where C is a selection. */
static ptrdiff_t entries(const crease_map *A, const crease_space *dom, const crease_space *ran,
                         ptrdiff_t *row, ptrdiff_t *col, double *value)
{
    const crease_map_pair *p = A->data;
    (void)dom;
    if (p->inner->ops != &crs_selection_ops) return -1;
    const crease_index_list *l = p->inner->data;
    const ptrdiff_t count = crs_map_entries(p->outer, p->between, ran, row, col, value);
    for (ptrdiff_t k = 0; row && k < count; k++) col[k] = l->index[col[k]];
    return count;
}

const crease_map_ops crs_composition_ops = {
    .name = "composition",
    .formula = "A x = B (C x)",
    .check = check,
    .scratch = scratch,
    .apply = apply,
    .adjoint = adjoint,
    .norm = norm,
    .sigma_min = sigma_min,
    .identity = identity,
    .rounding = rounding,
    .entries = entries,
};

crease_map crease_composition(const crease_map_pair *p)
{
    return (crease_map){ .ops = &crs_composition_ops, .data = p };
}
