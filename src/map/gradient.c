/* SPDX-License-Identifier: MIT
 * gradient: the differences x_{k+1} - x_k along every axis, those of the first axis first
 *
 * A'A = sum_i I x ... x D_i'D_i x ... x I has the eigenvectors prod_i cos(pi (j_i + 1/2) k_i / n_i)
 * and the eigenvalues sum_i 4 sin^2(pi k_i / (2 n_i)), 0 <= k_i < n_i: Neumann's Laplacian. So
 * |A|_2^2 = sum_i 4 cos^2(pi / (2 n_i)). A A' is singular as soon as two axes have a difference,
 * because those around a square add up to 0, and with one axis lambda_min = 4 sin^2(pi/(2n)). */
#include <float.h>

#include "map/map.h"

static ptrdiff_t rows_along(const crease_space *dom, int axis)
{
    return crease_size(dom) / dom->dim[axis] * (dom->dim[axis] - 1);
}

static bool check(const crease_map *A, const crease_space *dom, const crease_space *ran,
                  crease_error *e)
{
    ptrdiff_t rows = 0;
    if (!crs_map_whole(A, dom, ran, e)) return false;
    for (int i = 0; i < dom->order; i++)
        if (!crs_add_size(rows, rows_along(dom, i), &rows))
            return crs_fail(e, CREASE_BAD_SHAPE,
                            "gradient: %td entries in %d dimensions have more differences than "
                            "memory can address",
                            crease_size(dom), dom->order);
    if (rows == 0)
        return crs_fail(e, CREASE_BAD_SHAPE,
                        "gradient: the input has length 1 along every axis and so no differences; "
                        "give an axis of at least 2");
    if (rows != crease_size(ran))
        return crs_fail(e, CREASE_BAD_SHAPE,
                        "gradient: the input has %td differences but the output %td entries; give "
                        "one an entry",
                        rows, crease_size(ran));
    return true;
}

/* x seen along an axis: outer x length x inner. */
typedef struct {
    ptrdiff_t outer, length, inner;
} view;

static view view_along(const crease_space *dom, int axis)
{
    view v = { 1, dom->dim[axis], 1 };
    for (int i = 0; i < axis; i++) v.outer *= dom->dim[i];
    for (int i = axis + 1; i < dom->order; i++) v.inner *= dom->dim[i];
    return v;
}

static void apply(const crease_map *A, const crease_space *dom, const crease_space *ran, double a,
                  const double *x, double *y, double *work)
{
    (void)A, (void)ran, (void)work;
    for (int i = 0; i < dom->order; i++) {
        const view v = view_along(dom, i);
        const ptrdiff_t run = (v.length - 1) * v.inner;
        const double *from = x;
        for (ptrdiff_t o = 0; o < v.outer; o++, from += run + v.inner, y += run)
            for (ptrdiff_t j = 0; j < run; j++) y[j] += a * (from[j + v.inner] - from[j]);
    }
}

static void adjoint(const crease_map *A, const crease_space *dom, const crease_space *ran, double a,
                    const double *y, double *x, double *work)
{
    (void)A, (void)ran, (void)work;
    for (int i = 0; i < dom->order; i++) {
        const view v = view_along(dom, i);
        const ptrdiff_t run = (v.length - 1) * v.inner;
        double *to = x;
        for (ptrdiff_t o = 0; o < v.outer; o++, to += run + v.inner, y += run) {
            axpy(run, -a, y, to);
            axpy(run, a, y, to + v.inner);
        }
    }
}

/* 4 sin^2(pi k / (2n)) to within 8 roundings */
static double eigenvalue(ptrdiff_t k, ptrdiff_t n)
{
    return 4 * square(sin(acos(-1) * (double)k / (2 * (double)n)));
}

static bool norm(const crease_map *A, const crease_space *dom, const crease_space *ran,
                 double *bound, crease_error *e)
{
    double sum = 0;
    (void)A, (void)ran, (void)e;
    for (int i = 0; i < dom->order; i++)
        if (dom->dim[i] > 1) sum += 4 * square(cos(acos(-1) / (2 * (double)dom->dim[i])));
    *bound = sqrt(sum) * (1 + 16 * DBL_EPSILON);
    return true;
}

static bool sigma_min(const crease_map *A, const crease_space *dom, const crease_space *ran,
                      double *bound, crease_error *e)
{
    ptrdiff_t axes = 0, n = 1;
    (void)A, (void)ran, (void)e;
    for (int i = 0; i < dom->order; i++)
        if (dom->dim[i] > 1) axes++, n = dom->dim[i];
    *bound = axes == 1 ? eigenvalue(1, n) * (1 - 8 * DBL_EPSILON) : 0;
    return true;
}

static bool gram(const crease_map *A, const crease_space *dom, const crease_space *ran,
                 crease_gram *g, crease_error *e)
{
    (void)A, (void)ran;
    if (!crs_gram_new(g, CREASE_BASIS_COSINE, crease_size(dom), e)) return false;
    for (int i = 0; i < dom->order; i++) {
        const view v = view_along(dom, i);
        for (ptrdiff_t k = 0; k < v.length; k++) {
            const double own = eigenvalue(k, v.length);
            for (ptrdiff_t o = 0; o < v.outer; o++) {
                double *w = g->w + (o * v.length + k) * v.inner;
                for (ptrdiff_t j = 0; j < v.inner; j++) w[j] += own;
            }
        }
    }
    return true;
}

static ptrdiff_t entries(const crease_map *A, const crease_space *dom, const crease_space *ran,
                         ptrdiff_t *row, ptrdiff_t *col, double *value)
{
    ptrdiff_t k = 0, used = 0;
    (void)A;
    for (int i = 0; row && i < dom->order; i++) {
        const view v = view_along(dom, i);
        for (ptrdiff_t j = 0, n = crease_size(dom); j < n; j++) {
            if (j / v.inner % v.length + 1 == v.length) continue;
            row[used] = k, col[used] = j, value[used++] = -1;
            row[used] = k++, col[used] = j + v.inner, value[used++] = 1;
        }
    }
    return 2 * crease_size(ran);
}

const crease_map_ops crs_gradient_ops = {
    .name = "gradient",
    .formula = "A x = (x_{k+1} - x_k along axis 0, along axis 1, ...)",
    .check = check,
    .apply = apply,
    .adjoint = adjoint,
    .norm = norm,
    .sigma_min = sigma_min,
    .gram = gram,
    .entries = entries,
};

crease_map crease_gradient(void) { return (crease_map){ .ops = &crs_gradient_ops }; }
