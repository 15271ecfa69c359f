/* SPDX-License-Identifier: MIT
 * low-rank: A x = U (V'x), U with m rows, V with n, r columns each
 *
 * With U = P diag(s) W', |A|_2 = |diag(s) W'V'|_2, the norm of a matrix with min(m,r) rows. A A' is
 * singular when r < m. */
#include <float.h>

#include "dense/dense.h"
#include "map/directed.h"
#include "map/map.h"

static bool check(const crease_map *A, const crease_space *dom, const crease_space *ran,
                  crease_error *e)
{
    const crease_factored_matrix *a = A->data;
    ptrdiff_t left, right, bytes;
    if (!crs_map_whole(A, dom, ran, e)) return false;
    if (!a) return crs_fail(e, CREASE_BAD_ARGUMENT, "low-rank has no factors (NULL); give two");
    if (a->rows != crease_size(ran) || a->cols != crease_size(dom))
        return crs_fail(e, CREASE_BAD_SHAPE,
                        "low-rank: U has %td rows and V %td, but there are %td entries out and %td "
                        "in; make them agree",
                        a->rows, a->cols, crease_size(ran), crease_size(dom));
    if (a->rank < 1)
        return crs_fail(e, CREASE_BAD_SHAPE, "low-rank: the factors have %td columns; give one",
                        a->rank);
    if (!crs_mul_size(a->rows, a->rank, &left) || !crs_mul_size(a->cols, a->rank, &right) ||
        !crs_mul_size(left > right ? left : right, (ptrdiff_t)sizeof(double), &bytes))
        return crs_fail(e, CREASE_BAD_SHAPE,
                        "low-rank: factors of %td columns are larger than memory can address",
                        a->rank);
    return crs_map_numbers(A, left, a->u, e) && crs_map_numbers(A, right, a->v, e);
}

static ptrdiff_t scratch(const crease_map *A, const crease_space *dom, const crease_space *ran)
{
    const crease_factored_matrix *a = A->data;
    (void)dom, (void)ran;
    return a->rank;
}

static void apply(const crease_map *A, const crease_space *dom, const crease_space *ran, double s,
                  const double *x, double *y, double *work)
{
    const crease_factored_matrix *a = A->data;
    (void)dom, (void)ran;
    crs_gemv(true, a->cols, a->rank, 1, a->v, x, 0, work);
    crs_gemv(false, a->rows, a->rank, s, a->u, work, 1, y);
}

static void adjoint(const crease_map *A, const crease_space *dom, const crease_space *ran, double s,
                    const double *y, double *x, double *work)
{
    const crease_factored_matrix *a = A->data;
    (void)dom, (void)ran;
    crs_gemv(true, a->rows, a->rank, 1, a->u, y, 0, work);
    crs_gemv(false, a->cols, a->rank, s, a->v, work, 1, x);
}

/* >= | |U| |V'| |_2 */
static double mass_of(const crease_factored_matrix *a)
{
    return product_up(crs_norm(a->rows * a->rank, a->u), crs_norm(a->cols * a->rank, a->v)) *
           (1 + 0x1p-20);
}

static double steps_of(const crease_factored_matrix *a)
{
    return (double)(a->rows + a->cols + a->rank) + 6;
}

/* c (k x n) = diag(s) W'V', k = min(m,r) */
static bool compress(const crease_factored_matrix *a, double *c, double *work)
{
    crs_thin f;
    if (!crs_thin_svd(a->rows, a->rank, a->u, work, &f)) return false;
    for (ptrdiff_t i = 0; i < f.k; i++)
        for (ptrdiff_t j = 0; j < a->rank; j++) f.vt[i * a->rank + j] *= f.s[i];
    crs_gemm(false, true, f.k, a->cols, a->rank, 1, f.vt, a->v, 0, c);
    return true;
}

/* The decomposition of U and the product are off by some roundings a step. */
static bool norm(const crease_map *A, const crease_space *dom, const crease_space *ran,
                 double *bound, crease_error *e)
{
    const crease_factored_matrix *a = A->data;
    const ptrdiff_t k = crs_short_side(a->rows, a->rank);
    const double mass = mass_of(a), off = product_up(8 * steps_of(a) * DBL_EPSILON, mass);
    ptrdiff_t size, total;
    (void)dom, (void)ran;
    *bound = mass;
    if (mass == 0 || !crs_svd_fits(a->rows, a->rank) || !crs_mul_size(k, a->cols, &size) ||
        !crs_add_size(size, crs_thin_scratch(a->rows, a->rank), &total))
        return true;
    double *c = crs_doubles(total, "the norm of a product of factors", e);
    if (!c) return false;
    double exact;
    const bool found = compress(a, c, c + size);
    const bool done = !found || crs_norm_bound(k, a->cols, c, &exact, e);
    crs_free(c);
    if (done && found) *bound = smaller(mass, sum_up(exact, off));
    return done;
}

static bool sigma_min(const crease_map *A, const crease_space *dom, const crease_space *ran,
                      double *bound, crease_error *e)
{
    const crease_factored_matrix *a = A->data;
    *bound = 0;
    return a->rank < a->rows || crs_map_better_sigma_min(A, dom, ran, 0, bound, e);
}

static bool rounding(const crease_map *A, const crease_space *dom, const crease_space *ran,
                     crease_rounding *r, crease_error *e)
{
    (void)dom, (void)ran, (void)e;
    *r = (crease_rounding){ mass_of(A->data), steps_of(A->data) };
    return true;
}

/* A'A = C'C with C = diag(s) W'V' */
static bool gram(const crease_map *A, const crease_space *dom, const crease_space *ran,
                 crease_gram *g, crease_error *e)
{
    const crease_factored_matrix *a = A->data;
    const ptrdiff_t k = crs_short_side(a->rows, a->rank);
    ptrdiff_t size, total;
    (void)dom, (void)ran;
    if (!crs_svd_fits(a->rows, a->rank) || !crs_mul_size(k, a->cols, &size) ||
        !crs_add_size(size, crs_thin_scratch(a->rows, a->rank), &total))
        return crs_fail(e, CREASE_UNSUPPORTED, "low-rank: the factors are too large to decompose");
    double *c = crs_doubles(total, "the singular values of a product of factors", e);
    if (!c) return false;
    const bool done = (compress(a, c, c + size) ||
                       crs_fail(e, CREASE_NUMERICAL_FAILURE,
                                "low-rank: the singular values of U were not found; scale it")) &&
                      crs_gram_of_matrix(k, a->cols, c, g, e);
    crs_free(c);
    return done;
}

const crease_map_ops crs_low_rank_ops = {
    .name = "low-rank",
    .formula = "A x = U (V'x)",
    .check = check,
    .scratch = scratch,
    .apply = apply,
    .adjoint = adjoint,
    .norm = norm,
    .sigma_min = sigma_min,
    .rounding = rounding,
    .gram = gram,
};

crease_map crease_low_rank(const crease_factored_matrix *a)
{
    return (crease_map){ .ops = &crs_low_rank_ops, .data = a };
}
