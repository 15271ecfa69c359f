/* SPDX-License-Identifier: MIT
 * diagonal: (A x)_j = d_j x_j; and mask, (A x)_j = x_j where keep_j = 1, and 0 where keep_j = 0
 *
 * |A|_2 = max_j |d_j| and lambda_min(A A') = min_j d_j^2, over all ranks. A mask is an orthogonal
 * projection. Entries masked out are not read: a NaN that stands for a missing entry does not reach
 * y. */
#include "map/directed.h"
#include "map/map.h"

static bool check(const crease_map *A, const crease_space *dom, const crease_space *ran,
                  crease_error *e)
{
    return crs_map_square(A, dom, ran, e) && crs_map_numbers(A, crease_size(dom), A->data, e);
}

static void multiply(const crease_map *A, const crease_space *dom, const crease_space *ran,
                     double a, const double *x, double *y, double *work)
{
    const double *d = A->data;
    (void)ran, (void)work;
    for (ptrdiff_t j = 0, n = crease_size(dom); j < n; j++) y[j] += a * d[j] * x[j];
}

static bool diagonal_norm(const crease_map *A, const crease_space *dom, const crease_space *ran,
                          double *bound, crease_error *e)
{
    const double *d = A->data;
    double most = 0;
    (void)ran, (void)e;
    for (ptrdiff_t j = 0, n = crease_size(dom); j < n; j++) most = larger(most, fabs(d[j]));
    *bound = crease_max(dom, most);
    return true;
}

static bool diagonal_sigma_min(const crease_map *A, const crease_space *dom,
                               const crease_space *ran, double *bound, crease_error *e)
{
    const double *d = A->data;
    double least = INFINITY;
    (void)ran, (void)e;
    for (ptrdiff_t j = 0, n = crease_size(dom); j < n; j++) least = smaller(least, fabs(d[j]));
    least = -crease_max(dom, -least);
    *bound = product_down(least, least);
    return true;
}

static bool diagonal_identity(const crease_map *A, const crease_space *dom, const crease_space *ran,
                              double *c)
{
    const double *d = A->data;
    double low = d[0], high = d[0];
    (void)ran;
    for (ptrdiff_t j = 1, n = crease_size(dom); j < n; j++)
        low = smaller(low, d[j]), high = larger(high, d[j]);
    low = -crease_max(dom, -low);
    high = crease_max(dom, high);
    *c = high;
    return low == high;
}

static bool gram(const crease_map *A, const crease_space *dom, const crease_space *ran,
                 crease_gram *g, crease_error *e)
{
    const double *d = A->data;
    (void)ran;
    if (!crs_gram_new(g, CREASE_BASIS_ENTRIES, crease_size(dom), e)) return false;
    for (ptrdiff_t j = 0; j < g->count; j++) g->w[j] = square(d[j]);
    return true;
}

static ptrdiff_t entries(const crease_map *A, const crease_space *dom, const crease_space *ran,
                         ptrdiff_t *row, ptrdiff_t *col, double *value)
{
    const double *d = A->data;
    const ptrdiff_t n = crease_size(dom);
    (void)ran;
    for (ptrdiff_t j = 0; row && j < n; j++) row[j] = col[j] = j, value[j] = d[j];
    return n;
}

const crease_map_ops crs_diagonal_ops = {
    .name = "diagonal",
    .formula = "(A x)_j = d_j x_j",
    .vector = "d",
    .diagonal = true,
    .check = check,
    .apply = multiply,
    .adjoint = multiply,
    .norm = diagonal_norm,
    .sigma_min = diagonal_sigma_min,
    .identity = diagonal_identity,
    .gram = gram,
    .entries = entries,
};

crease_map crease_diagonal(const double *d)
{
    return (crease_map){ .ops = &crs_diagonal_ops, .data = d };
}

static bool check_mask(const crease_map *A, const crease_space *dom, const crease_space *ran,
                       crease_error *e)
{
    const double *keep = A->data;
    const ptrdiff_t n = crease_size(dom);
    if (!crs_map_square(A, dom, ran, e) || !crs_map_numbers(A, n, keep, e)) return false;
    for (ptrdiff_t j = 0; j < n; j++)
        if (keep[j] != 0 && keep[j] != 1)
            return crs_fail(e, CREASE_BAD_DATA,
                            "mask: number %td of %td is %g; give 0 or 1, or use a diagonal map",
                            j + 1, n, keep[j]);
    return true;
}

static void pass(const crease_map *A, const crease_space *dom, const crease_space *ran, double a,
                 const double *x, double *y, double *work)
{
    const double *keep = A->data;
    (void)ran, (void)work;
    for (ptrdiff_t j = 0, n = crease_size(dom); j < n; j++)
        if (keep[j] != 0) y[j] += a * x[j];
}

const crease_map_ops crs_mask_ops = {
    .name = "mask",
    .formula = "(A x)_j = x_j if keep_j = 1, else 0",
    .vector = "keep",
    .diagonal = true,
    .check = check_mask,
    .apply = pass,
    .adjoint = pass,
    .norm = diagonal_norm,
    .sigma_min = diagonal_sigma_min,
    .identity = diagonal_identity,
    .gram = gram,
    .entries = entries,
};

crease_map crease_mask(const double *keep)
{
    return (crease_map){ .ops = &crs_mask_ops, .data = keep };
}
