/* SPDX-License-Identifier: MIT
 * stack: A x = (A_1 x, A_2 x, ...), one over another; and side-by-side, A x = sum_k A_k x_k, x
 * being x_1, x_2, ... one after the other
 *
 * The one is the transpose of the other, of transposed parts. |A|_2^2 <= sum_k |A_k|_2^2; of A A'
 * for side-by-side, lambda_min >= sum_k lambda_min(A_k A_k'). For a stack A'A = sum_k A_k'A_k. */
#include "map/directed.h"
#include "map/map.h"

/* The spaces of part k: `stacked` ones share the domain, others the range. */
typedef struct {
    const crease_map *map;
    const crease_space *dom, *ran;
    ptrdiff_t at; /* where it begins in the vector of all parts */
} part;

static bool is_stacked(const crease_map *A) { return A->ops == &crs_stack_ops; }

static part first(const crease_map *A, const crease_space *dom, const crease_space *ran)
{
    const crease_map_parts *p = A->data;
    return is_stacked(A) ? (part){ p->map, dom, p->space, 0 } : (part){ p->map, p->space, ran, 0 };
}

static void to_next(const crease_map *A, part *p)
{
    const crease_space **own = is_stacked(A) ? &p->ran : &p->dom;
    p->at += crease_size(*own);
    ++*own, ++p->map;
}

static bool check_total(const crease_map *A, ptrdiff_t whole, crease_error *e)
{
    const crease_map_parts *p = A->data;
    const bool stacked = is_stacked(A);
    ptrdiff_t total = 0;
    for (int k = 0; k < p->count; k++)
        if (!crease_space_check(&p->space[k], e)) return false;
    for (int k = 0; k < p->count; k++)
        if (!crs_add_size(total, crease_size(&p->space[k]), &total))
            return crs_fail(e, CREASE_BAD_SHAPE, "%s: the parts are larger than memory can address",
                            A->ops->name);
    if (total == whole) return true;
    return crs_fail(e, CREASE_BAD_SHAPE,
                    "%s: the parts have %td entries %s together where there are %td; make them "
                    "agree",
                    A->ops->name, total, stacked ? "out" : "in", whole);
}

static bool check(const crease_map *A, const crease_space *dom, const crease_space *ran,
                  crease_error *e)
{
    const crease_map_parts *p = A->data;
    if (!crs_map_whole(A, dom, ran, e)) return false;
    if (!p || !p->map || !p->space || p->count < 1)
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "%s has no parts; give at least one map, and a space for each",
                        A->ops->name);
    if (!check_total(A, crease_size(is_stacked(A) ? ran : dom), e)) return false;
    part at = first(A, dom, ran);
    for (int k = 0; k < p->count; k++, to_next(A, &at))
        if (!crease_map_check(at.map, at.dom, at.ran, e)) return false;
    return true;
}

static ptrdiff_t scratch(const crease_map *A, const crease_space *dom, const crease_space *ran)
{
    const crease_map_parts *p = A->data;
    ptrdiff_t most = 0;
    part at = first(A, dom, ran);
    for (int k = 0; k < p->count; k++, to_next(A, &at)) {
        const ptrdiff_t n = crease_map_scratch(at.map, at.dom, at.ran);
        if (n < 0) return n;
        if (n > most) most = n;
    }
    return most;
}

static void apply(const crease_map *A, const crease_space *dom, const crease_space *ran, double a,
                  const double *x, double *y, double *work)
{
    const crease_map_parts *p = A->data;
    const bool stacked = is_stacked(A);
    part at = first(A, dom, ran);
    for (int k = 0; k < p->count; k++, to_next(A, &at))
        at.map->ops->apply(at.map, at.dom, at.ran, a, stacked ? x : x + at.at,
                           stacked ? y + at.at : y, work);
}

static void adjoint(const crease_map *A, const crease_space *dom, const crease_space *ran, double a,
                    const double *y, double *x, double *work)
{
    const crease_map_parts *p = A->data;
    const bool stacked = is_stacked(A);
    part at = first(A, dom, ran);
    for (int k = 0; k < p->count; k++, to_next(A, &at))
        at.map->ops->adjoint(at.map, at.dom, at.ran, a, stacked ? y + at.at : y,
                             stacked ? x : x + at.at, work);
}

/* sqrt(sum_k t_k^2) from above, relative to the largest, so that no square overflows. */
static double root_up(double so_far, double t)
{
    const double most = larger(so_far, t), least = smaller(so_far, t);
    if (most == 0 || !(most < INFINITY)) return most;
    const double ratio = next_up(least / most);
    return product_up(most, sqrt_up(next_up(1 + next_up(ratio * ratio))));
}

static bool norm(const crease_map *A, const crease_space *dom, const crease_space *ran,
                 double *bound, crease_error *e)
{
    const crease_map_parts *p = A->data;
    double all = 0, own;
    part at = first(A, dom, ran);
    for (int k = 0; k < p->count; k++, to_next(A, &at)) {
        if (!at.map->ops->norm(at.map, at.dom, at.ran, &own, e)) return false;
        all = own == 0 ? all : all == 0 ? own : root_up(all, own);
    }
    return crs_map_better_norm(A, dom, ran, all, bound, e);
}

static bool sigma_min(const crease_map *A, const crease_space *dom, const crease_space *ran,
                      double *bound, crease_error *e)
{
    const crease_map_parts *p = A->data;
    double all = 0, own;
    part at = first(A, dom, ran);
    for (int k = 0; !is_stacked(A) && k < p->count; k++, to_next(A, &at)) {
        if (!at.map->ops->sigma_min(at.map, at.dom, at.ran, &own, e)) return false;
        all = all == 0 ? own : own == 0 ? all : next_down(all + own);
    }
    if (is_stacked(A) && p->count == 1) return p->map->ops->sigma_min(p->map, dom, ran, bound, e);
    return crs_map_better_sigma_min(A, dom, ran, all, bound, e);
}

static bool rounding(const crease_map *A, const crease_space *dom, const crease_space *ran,
                     crease_rounding *r, crease_error *e)
{
    const crease_map_parts *p = A->data;
    part at = first(A, dom, ran);
    *r = (crease_rounding){ 0, 0 };
    for (int k = 0; k < p->count; k++, to_next(A, &at)) {
        crease_rounding own;
        if (!crs_map_rounding(at.map, at.dom, at.ran, &own, e)) return false;
        r->mass = root_up(r->mass, own.mass);
        r->steps = larger(r->steps, own.steps + (double)p->count);
    }
    return true;
}

static bool gram(const crease_map *A, const crease_space *dom, const crease_space *ran,
                 crease_gram *g, crease_error *e)
{
    const crease_map_parts *p = A->data;
    part at = first(A, dom, ran);
    for (int k = 0; k < p->count; k++, to_next(A, &at)) {
        crease_gram own = { .w = NULL };
        bool done = crs_map_gram(at.map, at.dom, at.ran, k ? &own : g, e);
        if (done && k && (own.basis != g->basis || own.basis >= CREASE_BASIS_PAIR))
            done = crs_fail(e, CREASE_UNSUPPORTED, "stack: the parts have different bases");
        for (ptrdiff_t j = 0; done && k && j < g->count; j++) g->w[j] += own.w[j];
        crs_gram_free(&own);
        if (!done) return false;
    }
    return true;
}

static ptrdiff_t entries(const crease_map *A, const crease_space *dom, const crease_space *ran,
                         ptrdiff_t *row, ptrdiff_t *col, double *value)
{
    const crease_map_parts *p = A->data;
    const bool stacked = is_stacked(A);
    ptrdiff_t used = 0;
    part at = first(A, dom, ran);
    for (int k = 0; k < p->count; k++, to_next(A, &at)) {
        const ptrdiff_t count =
            row ? crs_map_entries(at.map, at.dom, at.ran, row + used, col + used, value + used)
                : crs_map_entries(at.map, at.dom, at.ran, NULL, NULL, NULL);
        if (count < 0) return count;
        for (ptrdiff_t j = used; row && j < used + count; j++) (stacked ? row : col)[j] += at.at;
        used += count;
    }
    return used;
}

const crease_map_ops crs_stack_ops = {
    .name = "stack",
    .formula = "A x = (A_1 x, A_2 x, ...)",
    .check = check,
    .scratch = scratch,
    .apply = apply,
    .adjoint = adjoint,
    .norm = norm,
    .sigma_min = sigma_min,
    .rounding = rounding,
    .gram = gram,
    .entries = entries,
};

const crease_map_ops crs_side_by_side_ops = {
    .name = "side-by-side",
    .formula = "A (x_1, x_2, ...) = A_1 x_1 + A_2 x_2 + ...",
    .check = check,
    .scratch = scratch,
    .apply = apply,
    .adjoint = adjoint,
    .norm = norm,
    .sigma_min = sigma_min,
    .rounding = rounding,
    .entries = entries,
};

crease_map crease_stack(const crease_map_parts *p)
{
    return (crease_map){ .ops = &crs_stack_ops, .data = p };
}

crease_map crease_side_by_side(const crease_map_parts *p)
{
    return (crease_map){ .ops = &crs_side_by_side_ops, .data = p };
}
