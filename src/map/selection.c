/* SPDX-License-Identifier: MIT
 * selection: (A x)_k = x_{index[k]}, indices from 0, in any order, repeated or not
 *
 * A'A is diagonal and counts how often an entry is taken: |A|_2 = sqrt(largest count). A A' = I
 * without repetition and is singular with it. Entries not selected are not read. */
#include "map/directed.h"
#include "map/map.h"

static bool check(const crease_map *A, const crease_space *dom, const crease_space *ran,
                  crease_error *e)
{
    const crease_index_list *l = A->data;
    const ptrdiff_t n = crease_size(dom);
    if (!crs_map_whole(A, dom, ran, e)) return false;
    if (!l || !l->index)
        return crs_fail(e, CREASE_BAD_ARGUMENT, "selection has no indices (NULL); give a list");
    if (l->count != crease_size(ran))
        return crs_fail(e, CREASE_BAD_SHAPE,
                        "selection: the list has %td indices but the output %td entries; give one "
                        "index an entry",
                        l->count, crease_size(ran));
    for (ptrdiff_t k = 0; k < l->count; k++)
        if (l->index[k] < 0 || l->index[k] >= n)
            return crs_fail(e, CREASE_BAD_DATA,
                            "selection: index %td is %td; give indices from 0 to %td", k + 1,
                            l->index[k], n - 1);
    return true;
}

static void apply(const crease_map *A, const crease_space *dom, const crease_space *ran, double a,
                  const double *x, double *y, double *work)
{
    const crease_index_list *l = A->data;
    (void)dom, (void)ran, (void)work;
    for (ptrdiff_t k = 0; k < l->count; k++) y[k] += a * x[l->index[k]];
}

static void adjoint(const crease_map *A, const crease_space *dom, const crease_space *ran, double a,
                    const double *y, double *x, double *work)
{
    const crease_index_list *l = A->data;
    (void)dom, (void)ran, (void)work;
    for (ptrdiff_t k = 0; k < l->count; k++) x[l->index[k]] += a * y[k];
}

static bool largest_count(const crease_map *A, ptrdiff_t n, double *most, crease_error *e)
{
    const crease_index_list *l = A->data;
    double *count = crs_doubles(n, "counting the indices of a selection", e);
    if (!count) return false;
    *most = 0;
    for (ptrdiff_t k = 0; k < l->count; k++) *most = larger(*most, ++count[l->index[k]]);
    crs_free(count);
    return true;
}

static bool norm(const crease_map *A, const crease_space *dom, const crease_space *ran,
                 double *bound, crease_error *e)
{
    double most;
    (void)ran;
    if (!largest_count(A, crease_size(dom), &most, e)) return false;
    *bound = sqrt_up(most);
    return true;
}

static bool sigma_min(const crease_map *A, const crease_space *dom, const crease_space *ran,
                      double *bound, crease_error *e)
{
    double most;
    (void)ran;
    if (!largest_count(A, crease_size(dom), &most, e)) return false;
    *bound = most == 1;
    return true;
}

static bool identity(const crease_map *A, const crease_space *dom, const crease_space *ran,
                     double *c)
{
    const crease_index_list *l = A->data;
    (void)ran;
    *c = 1;
    if (l->count != crease_size(dom)) return false;
    for (ptrdiff_t k = 0; k < l->count; k++)
        if (l->index[k] != k) return false;
    return true;
}

static bool gram(const crease_map *A, const crease_space *dom, const crease_space *ran,
                 crease_gram *g, crease_error *e)
{
    const crease_index_list *l = A->data;
    (void)ran;
    if (!crs_gram_new(g, CREASE_BASIS_ENTRIES, crease_size(dom), e)) return false;
    for (ptrdiff_t k = 0; k < l->count; k++) g->w[l->index[k]]++;
    return true;
}

static ptrdiff_t entries(const crease_map *A, const crease_space *dom, const crease_space *ran,
                         ptrdiff_t *row, ptrdiff_t *col, double *value)
{
    const crease_index_list *l = A->data;
    (void)dom, (void)ran;
    for (ptrdiff_t k = 0; row && k < l->count; k++) row[k] = k, col[k] = l->index[k], value[k] = 1;
    return l->count;
}

const crease_map_ops crs_selection_ops = {
    .name = "selection",
    .formula = "(A x)_k = x_{index[k]}",
    .check = check,
    .apply = apply,
    .adjoint = adjoint,
    .norm = norm,
    .sigma_min = sigma_min,
    .identity = identity,
    .gram = gram,
    .entries = entries,
};

crease_map crease_selection(const crease_index_list *l)
{
    return (crease_map){ .ops = &crs_selection_ops, .data = l };
}
