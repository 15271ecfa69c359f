/* SPDX-License-Identifier: MIT
 * identity: A x = c x, c of any sign
 *
 * |A|_2 = |c| and lambda_min(A A') = c^2. */
#include "map/directed.h"
#include "map/map.h"

static void scale(const crease_map *A, const crease_space *dom, const crease_space *ran, double a,
                  const double *x, double *y, double *work)
{
    (void)ran, (void)work;
    axpy(crease_size(dom), a * A->par[0], x, y);
}

static bool norm(const crease_map *A, const crease_space *dom, const crease_space *ran,
                 double *bound, crease_error *e)
{
    (void)dom, (void)ran, (void)e;
    *bound = fabs(A->par[0]);
    return true;
}

static bool sigma_min(const crease_map *A, const crease_space *dom, const crease_space *ran,
                      double *bound, crease_error *e)
{
    (void)dom, (void)ran, (void)e;
    *bound = product_down(fabs(A->par[0]), fabs(A->par[0]));
    return true;
}

static bool identity(const crease_map *A, const crease_space *dom, const crease_space *ran,
                     double *c)
{
    (void)dom, (void)ran;
    *c = A->par[0];
    return true;
}

static bool gram(const crease_map *A, const crease_space *dom, const crease_space *ran,
                 crease_gram *g, crease_error *e)
{
    (void)ran;
    if (!crs_gram_new(g, CREASE_BASIS_ENTRIES, crease_size(dom), e)) return false;
    fill(g->count, square(A->par[0]), g->w);
    return true;
}

static ptrdiff_t entries(const crease_map *A, const crease_space *dom, const crease_space *ran,
                         ptrdiff_t *row, ptrdiff_t *col, double *value)
{
    const ptrdiff_t n = crease_size(dom);
    (void)ran;
    for (ptrdiff_t j = 0; row && j < n; j++) row[j] = col[j] = j, value[j] = A->par[0];
    return n;
}

static const crease_param params[] = {
    { "scale", -INFINITY, INFINITY, CREASE_OPEN_LOW | CREASE_OPEN_HIGH, "c" }, { 0 }
};

const crease_map_ops crs_identity_ops = {
    .name = "identity",
    .formula = "A x = c x",
    .params = params,
    .check = crs_map_square,
    .apply = scale,
    .adjoint = scale,
    .norm = norm,
    .sigma_min = sigma_min,
    .identity = identity,
    .gram = gram,
    .entries = entries,
};

crease_map crease_identity(double c)
{
    return (crease_map){ .ops = &crs_identity_ops, .par = { c } };
}
