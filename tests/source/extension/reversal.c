/* SPDX-License-Identifier: MIT
 * reversal: (A x)_j = c x_{n-1-j}
 *
 * |A|_2 = |c| and lambda_min(A A') = c^2. */
#include "map/directed.h"
#include "map/map.h"

static bool check(const crease_map *A, const crease_space *dom, const crease_space *ran,
                  crease_error *e)
{
    return crs_map_whole(A, dom, ran, e) && crs_map_square(A, dom, ran, e);
}

static void multiply(const crease_map *A, const crease_space *dom, const crease_space *ran,
                     double a, const double *x, double *y, double *work)
{
    const ptrdiff_t n = crease_size(dom);
    (void)ran, (void)work;
    for (ptrdiff_t j = 0; j < n; j++) y[j] += a * A->par[0] * x[n - 1 - j];
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
    *bound = product_down(A->par[0], A->par[0]);
    return true;
}

static const crease_param params[] = {
    { "c", -INFINITY, INFINITY, CREASE_OPEN_LOW | CREASE_OPEN_HIGH, "factor" }, { 0 }
};

const crease_map_ops crs_reversal_ops = {
    .name = "reversal",
    .formula = "(A x)_j = c x_{n-1-j}",
    .params = params,
    .check = check,
    .apply = multiply,
    .adjoint = multiply,
    .norm = norm,
    .sigma_min = sigma_min,
};

crease_map crease_reversal(double c)
{
    return (crease_map){ .ops = &crs_reversal_ops, .par = { c } };
}
