/* SPDX-License-Identifier: MIT
 * mask: (A x)_j = x_j where keep_j = 1, and 0 where keep_j = 0
 *
 * An orthogonal projection: |A|_2 = 1 unless nothing is kept, lambda_min(A A') = 0 unless
 * everything is. Entries masked out are not read: a NaN that stands for a missing entry does not
 * reach y. */
#include "map/map.h"

static bool check(const crease_map *A, const crease_space *dom, const crease_space *ran,
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
    .check = check,
    .apply = pass,
    .adjoint = pass,
    .norm = crs_diagonal_norm,
    .sigma_min = crs_diagonal_sigma_min,
    .identity = crs_diagonal_identity,
};

crease_map crease_mask(const double *keep)
{
    return (crease_map){ .ops = &crs_mask_ops, .data = keep };
}
