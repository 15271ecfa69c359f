/* SPDX-License-Identifier: MIT
 * sum: A = sum_k s_k A_k
 *
 * |A|_2 <= sum_k |s_k| |A_k|_2; nothing is known of lambda_min(A A') from the terms. Both are
 * computed from the matrix of A when that is small. */
#include "map/directed.h"
#include "map/map.h"

static double scale_at(const crease_map_list *l, int k) { return l->scale ? l->scale[k] : 1; }

static bool check(const crease_map *A, const crease_space *dom, const crease_space *ran,
                  crease_error *e)
{
    const crease_map_list *l = A->data;
    if (!crs_map_whole(A, dom, ran, e)) return false;
    if (!l || !l->map || l->count < 1)
        return crs_fail(e, CREASE_BAD_ARGUMENT, "sum has no maps; give at least one");
    if (l->scale && !crs_map_numbers(A, l->count, l->scale, e)) return false;
    for (int k = 0; k < l->count; k++)
        if (!crease_map_check(&l->map[k], dom, ran, e)) return false;
    return true;
}

static ptrdiff_t scratch(const crease_map *A, const crease_space *dom, const crease_space *ran)
{
    const crease_map_list *l = A->data;
    ptrdiff_t most = 0;
    for (int k = 0; k < l->count; k++) {
        const ptrdiff_t n = crease_map_scratch(&l->map[k], dom, ran);
        if (n < 0) return n;
        if (n > most) most = n;
    }
    return most;
}

static void apply(const crease_map *A, const crease_space *dom, const crease_space *ran, double a,
                  const double *x, double *y, double *work)
{
    const crease_map_list *l = A->data;
    for (int k = 0; k < l->count; k++)
        l->map[k].ops->apply(&l->map[k], dom, ran, a * scale_at(l, k), x, y, work);
}

static void adjoint(const crease_map *A, const crease_space *dom, const crease_space *ran, double a,
                    const double *y, double *x, double *work)
{
    const crease_map_list *l = A->data;
    for (int k = 0; k < l->count; k++)
        l->map[k].ops->adjoint(&l->map[k], dom, ran, a * scale_at(l, k), y, x, work);
}

static bool norm(const crease_map *A, const crease_space *dom, const crease_space *ran,
                 double *bound, crease_error *e)
{
    const crease_map_list *l = A->data;
    double sum = 0, term;
    for (int k = 0; k < l->count; k++) {
        if (!l->map[k].ops->norm(&l->map[k], dom, ran, &term, e)) return false;
        sum = sum_up(sum, product_up(fabs(scale_at(l, k)), term));
    }
    return crs_map_better_norm(A, dom, ran, sum, bound, e);
}

static bool sigma_min(const crease_map *A, const crease_space *dom, const crease_space *ran,
                      double *bound, crease_error *e)
{
    return crs_map_better_sigma_min(A, dom, ran, 0, bound, e);
}

static bool identity(const crease_map *A, const crease_space *dom, const crease_space *ran,
                     double *c)
{
    const crease_map_list *l = A->data;
    *c = 0;
    for (int k = 0; k < l->count; k++) {
        const crease_map *term = &l->map[k];
        double d, scaled;
        if (!term->ops->identity || !term->ops->identity(term, dom, ran, &d)) return false;
        if (!exact_product(scale_at(l, k), d, &scaled) || !exact_sum(*c, scaled, c)) return false;
    }
    return true;
}

static bool rounding(const crease_map *A, const crease_space *dom, const crease_space *ran,
                     crease_rounding *r, crease_error *e)
{
    const crease_map_list *l = A->data;
    *r = (crease_rounding){ 0, 0 };
    for (int k = 0; k < l->count; k++) {
        crease_rounding term;
        if (!crs_map_rounding(&l->map[k], dom, ran, &term, e)) return false;
        r->mass = sum_up(r->mass, product_up(fabs(scale_at(l, k)), term.mass));
        r->steps += term.steps + 1;
    }
    return true;
}

/* Those of the terms, one after the other, where they are few: one place may have several. */
static ptrdiff_t entries(const crease_map *A, const crease_space *dom, const crease_space *ran,
                         ptrdiff_t *row, ptrdiff_t *col, double *value)
{
    const crease_map_list *l = A->data;
    ptrdiff_t used = 0;
    for (int k = 0; k < l->count; k++) {
        const ptrdiff_t count =
            row ? crs_map_entries(&l->map[k], dom, ran, row + used, col + used, value + used)
                : crs_map_entries(&l->map[k], dom, ran, NULL, NULL, NULL);
        if (count < 0) return count;
        for (ptrdiff_t j = used; row && j < used + count; j++) value[j] *= scale_at(l, k);
        used += count;
    }
    return 10 * (double)used > (double)crease_size(ran) * (double)crease_size(dom) ? -1 : used;
}

const crease_map_ops crs_map_sum_ops = {
    .name = "sum",
    .formula = "A x = sum_k s_k A_k x",
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

crease_map crease_map_sum(const crease_map_list *l)
{
    return (crease_map){ .ops = &crs_map_sum_ops, .data = l };
}
