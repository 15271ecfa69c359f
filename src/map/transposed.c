/* SPDX-License-Identifier: MIT
 * transposed: A x = B'x, B from the range of A to its domain
 *
 * |A|_2 = |B|_2. A A' = B'B has the eigenvalues of B B' when B is square, and further ones
 * otherwise, of which B knows nothing; they come from the matrix when it is small. */
#include "map/map.h"

static bool check(const crease_map *A, const crease_space *dom, const crease_space *ran,
                  crease_error *e)
{
    if (!crs_map_whole(A, dom, ran, e)) return false;
    if (!A->data) return crs_fail(e, CREASE_BAD_ARGUMENT, "transposed has no map (NULL); give one");
    return crease_map_check(A->data, ran, dom, e);
}

static ptrdiff_t scratch(const crease_map *A, const crease_space *dom, const crease_space *ran)
{
    return crease_map_scratch(A->data, ran, dom);
}

static void apply(const crease_map *A, const crease_space *dom, const crease_space *ran, double a,
                  const double *x, double *y, double *work)
{
    const crease_map *B = A->data;
    B->ops->adjoint(B, ran, dom, a, x, y, work);
}

static void adjoint(const crease_map *A, const crease_space *dom, const crease_space *ran, double a,
                    const double *y, double *x, double *work)
{
    const crease_map *B = A->data;
    B->ops->apply(B, ran, dom, a, y, x, work);
}

static bool norm(const crease_map *A, const crease_space *dom, const crease_space *ran,
                 double *bound, crease_error *e)
{
    const crease_map *B = A->data;
    return B->ops->norm(B, ran, dom, bound, e);
}

static bool sigma_min(const crease_map *A, const crease_space *dom, const crease_space *ran,
                      double *bound, crease_error *e)
{
    const crease_map *B = A->data;
    if (crease_size(dom) == crease_size(ran)) return B->ops->sigma_min(B, ran, dom, bound, e);
    return crs_map_better_sigma_min(A, dom, ran, 0, bound, e);
}

static bool identity(const crease_map *A, const crease_space *dom, const crease_space *ran,
                     double *c)
{
    const crease_map *B = A->data;
    return B->ops->identity && B->ops->identity(B, ran, dom, c);
}

static bool rounding(const crease_map *A, const crease_space *dom, const crease_space *ran,
                     crease_rounding *r, crease_error *e)
{
    return crs_map_rounding(A->data, ran, dom, r, e);
}

static ptrdiff_t entries(const crease_map *A, const crease_space *dom, const crease_space *ran,
                         ptrdiff_t *row, ptrdiff_t *col, double *value)
{
    return crs_map_entries(A->data, ran, dom, col, row, value);
}

/* B B' is known from B'B where they are the same: B of a square shape and diagonal, diagonal in
 * exponentials, or c times an orthogonal map. */
static bool gram(const crease_map *A, const crease_space *dom, const crease_space *ran,
                 crease_gram *g, crease_error *e)
{
    const crease_map *B = A->data;
    if (crease_size(dom) != crease_size(ran)) return crs_gram_unknown(A, e);
    if (!crs_map_gram(B, ran, dom, g, e)) return false;
    bool same = B->ops->diagonal || g->basis == CREASE_BASIS_FOURIER;
    if (!same && g->basis == CREASE_BASIS_ENTRIES) {
        same = true;
        for (ptrdiff_t k = 1; k < g->count; k++) same = same && g->w[k] == g->w[0];
    }
    return same || crs_gram_unknown(A, e);
}

const crease_map_ops crs_transposed_ops = {
    .name = "transposed",
    .formula = "A x = B'x",
    .check = check,
    .scratch = scratch,
    .apply = apply,
    .adjoint = adjoint,
    .norm = norm,
    .sigma_min = sigma_min,
    .identity = identity,
    .rounding = rounding,
    .entries = entries,
    .gram = gram,
};

crease_map crease_transposed(const crease_map *A)
{
    return (crease_map){ .ops = &crs_transposed_ops, .data = A };
}
