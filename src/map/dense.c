/* SPDX-License-Identifier: MIT
 * dense: A x for a row-major matrix A with size(ran) rows and size(dom) columns
 *
 * Both bounds come from the eigenvalues of the smaller Gram matrix (dense/dense.h). With an output
 * that is split over ranks a has the rows of this one, and A'y is a sum over ranks. */
#include "dense/dense.h"
#include "map/map.h"

static bool check(const crease_map *A, const crease_space *dom, const crease_space *ran,
                  crease_error *e)
{
    const ptrdiff_t m = crease_size(ran), n = crease_size(dom);
    ptrdiff_t entries, bytes;
    if (!crs_map_rows(A, dom, ran, e)) return false;
    if (!crs_mul_size(m, n, &entries) || !crs_mul_size(entries, (ptrdiff_t)sizeof(double), &bytes))
        return crs_fail(e, CREASE_BAD_SHAPE,
                        "dense: a %td x %td matrix is larger than memory can address; use a sparse "
                        "or callback map",
                        m, n);
    return crs_map_numbers(A, entries, A->data, e);
}

static void apply(const crease_map *A, const crease_space *dom, const crease_space *ran, double a,
                  const double *x, double *y, double *work)
{
    (void)work;
    crs_gemv(false, crease_size(ran), crease_size(dom), a, A->data, x, 1, y);
}

static void adjoint(const crease_map *A, const crease_space *dom, const crease_space *ran, double a,
                    const double *y, double *x, double *work)
{
    double *to = crs_rows_begin(dom, ran, x, work);
    crs_gemv(true, crease_size(ran), crease_size(dom), a, A->data, y, 1, to);
    crs_rows_end(dom, ran, x, to);
}

static bool norm(const crease_map *A, const crease_space *dom, const crease_space *ran,
                 double *bound, crease_error *e)
{
    return crs_norm_bound_of_rows(ran, crease_size(dom), A->data, bound, e);
}

static bool sigma_min(const crease_map *A, const crease_space *dom, const crease_space *ran,
                      double *bound, crease_error *e)
{
    *bound = 0;
    return ran->comm || crs_sigma_min_bound(crease_size(ran), crease_size(dom), A->data, bound, e);
}

static bool identity(const crease_map *A, const crease_space *dom, const crease_space *ran,
                     double *c)
{
    const double *a = A->data;
    const ptrdiff_t n = crease_size(dom);
    *c = a[0];
    if (ran->comm || crease_size(ran) != n) return false;
    for (ptrdiff_t i = 0; i < n; i++)
        for (ptrdiff_t j = 0; j < n; j++)
            if (a[i * n + j] != (i == j ? *c : 0)) return false;
    return true;
}

static bool gram(const crease_map *A, const crease_space *dom, const crease_space *ran,
                 crease_gram *g, crease_error *e)
{
    if (ran->comm) return crs_gram_unknown(A, e);
    return crs_gram_of_matrix(crease_size(ran), crease_size(dom), A->data, g, e);
}

const crease_map_ops crs_dense_ops = {
    .name = "dense",
    .formula = "(A x)_i = sum_j a_ij x_j",
    .vector = "a",
    .check = check,
    .scratch = crs_rows_scratch,
    .apply = apply,
    .adjoint = adjoint,
    .norm = norm,
    .sigma_min = sigma_min,
    .identity = identity,
    .gram = gram,
};

crease_map crease_dense(const double *a)
{
    return (crease_map){ .ops = &crs_dense_ops, .data = a };
}
