/* SPDX-License-Identifier: MIT
 * zero: A x = 0, between any two spaces
 *
 * |A|_2 = 0 and lambda_min(A A') = 0. x is not read: a NaN in it does not reach y. */
#include "map/map.h"

static void leave_alone(const crease_map *A, const crease_space *dom, const crease_space *ran,
                        double a, const double *x, double *y, double *work)
{
    (void)A, (void)dom, (void)ran, (void)a, (void)x, (void)y, (void)work;
}

static bool zero_bound(const crease_map *A, const crease_space *dom, const crease_space *ran,
                       double *bound, crease_error *e)
{
    (void)A, (void)dom, (void)ran, (void)e;
    *bound = 0;
    return true;
}

static bool identity(const crease_map *A, const crease_space *dom, const crease_space *ran,
                     double *c)
{
    (void)A;
    *c = 0;
    return !dom->comm && !ran->comm && crease_space_equal(dom, ran);
}

static bool gram(const crease_map *A, const crease_space *dom, const crease_space *ran,
                 crease_gram *g, crease_error *e)
{
    (void)A, (void)ran;
    return crs_gram_new(g, CREASE_BASIS_ENTRIES, crease_size(dom), e);
}

static ptrdiff_t entries(const crease_map *A, const crease_space *dom, const crease_space *ran,
                         ptrdiff_t *row, ptrdiff_t *col, double *value)
{
    (void)A, (void)dom, (void)ran, (void)row, (void)col, (void)value;
    return 0;
}

const crease_map_ops crs_zero_map_ops = {
    .name = "zero",
    .formula = "A x = 0",
    .apply = leave_alone,
    .adjoint = leave_alone,
    .norm = zero_bound,
    .sigma_min = zero_bound,
    .identity = identity,
    .gram = gram,
    .entries = entries,
};

crease_map crease_zero_map(void) { return (crease_map){ .ops = &crs_zero_map_ops }; }
