/* SPDX-License-Identifier: MIT
 * finite-difference: (A x)_k = x_{k+1} - x_k along one axis of length n >= 2
 *
 * A A' is, along the axis, the tridiagonal matrix (-1, 2, -1) with n - 1 rows, whose eigenvalues
 * are 4 sin^2(k pi / (2n)), k = 1, ..., n-1: |A|_2 = 2 cos(pi/(2n)) and
 * lambda_min(A A') = 4 sin^2(pi/(2n)). */
#include <float.h>

#include "map/map.h"

static int axis_of(const crease_map *A) { return (int)A->par[0]; }

static bool check(const crease_map *A, const crease_space *dom, const crease_space *ran,
                  crease_error *e)
{
    const int axis = axis_of(A);
    crease_space expected = *dom;
    if (!crs_map_whole(A, dom, ran, e)) return false;
    if (axis >= dom->order)
        return crs_fail(e, CREASE_BAD_SHAPE,
                        "finite-difference: axis %d of an input with %d dimension%s; give an axis "
                        "from 0 to %d",
                        axis, dom->order, dom->order == 1 ? "" : "s", dom->order - 1);
    if (dom->dim[axis] < 2)
        return crs_fail(e, CREASE_BAD_SHAPE,
                        "finite-difference: the input has length %td along axis %d; it must be "
                        "at least 2",
                        dom->dim[axis], axis);
    expected.dim[axis]--;
    if (!crease_space_equal(&expected, ran))
        return crs_fail(e, CREASE_BAD_SHAPE,
                        "finite-difference: the output needs the shape of the input with length "
                        "%td along axis %d; it has %td entries instead of %td, or other dimensions",
                        expected.dim[axis], axis, crease_size(ran), crease_size(&expected));
    return true;
}

/* x is seen as outer x length x inner; the axis is the one in the middle. */
typedef struct {
    ptrdiff_t outer, length, inner;
} view;

static view view_of(const crease_map *A, const crease_space *dom)
{
    const int axis = axis_of(A);
    view v = { 1, dom->dim[axis], 1 };
    for (int i = 0; i < axis; i++) v.outer *= dom->dim[i];
    for (int i = axis + 1; i < dom->order; i++) v.inner *= dom->dim[i];
    return v;
}

static void apply(const crease_map *A, const crease_space *dom, const crease_space *ran, double a,
                  const double *x, double *y, double *work)
{
    const view v = view_of(A, dom);
    const ptrdiff_t run = (v.length - 1) * v.inner;
    (void)ran, (void)work;
    for (ptrdiff_t o = 0; o < v.outer; o++, x += run + v.inner, y += run)
        for (ptrdiff_t j = 0; j < run; j++) y[j] += a * (x[j + v.inner] - x[j]);
}

static void adjoint(const crease_map *A, const crease_space *dom, const crease_space *ran, double a,
                    const double *y, double *x, double *work)
{
    const view v = view_of(A, dom);
    const ptrdiff_t run = (v.length - 1) * v.inner;
    (void)ran, (void)work;
    for (ptrdiff_t o = 0; o < v.outer; o++, x += run + v.inner, y += run) {
        axpy(run, -a, y, x);
        axpy(run, a, y, x + v.inner);
    }
}

static double angle(const crease_map *A, const crease_space *dom)
{
    return acos(-1) / (2 * (double)dom->dim[axis_of(A)]);
}

/* Both closed forms are computed to within 8 roundings of their value. */
static bool norm(const crease_map *A, const crease_space *dom, const crease_space *ran,
                 double *bound, crease_error *e)
{
    (void)ran, (void)e;
    *bound = 2 * cos(angle(A, dom)) * (1 + 8 * DBL_EPSILON);
    return true;
}

static bool sigma_min(const crease_map *A, const crease_space *dom, const crease_space *ran,
                      double *bound, crease_error *e)
{
    (void)ran, (void)e;
    *bound = 4 * square(sin(angle(A, dom))) * (1 - 8 * DBL_EPSILON);
    return true;
}

/* A'A is Neumann's Laplacian along the axis: cosines, 4 sin^2(pi k / (2n)). */
static bool gram(const crease_map *A, const crease_space *dom, const crease_space *ran,
                 crease_gram *g, crease_error *e)
{
    const view v = view_of(A, dom);
    (void)ran;
    if (!crs_gram_new(g, CREASE_BASIS_COSINE, crease_size(dom), e)) return false;
    for (ptrdiff_t j = 0; j < g->count; j++) {
        const double k = (double)(j / v.inner % v.length);
        g->w[j] = 4 * square(sin(k * angle(A, dom)));
    }
    return true;
}

static const crease_param params[] = {
    { "axis", 0, CREASE_MAX_ORDER - 1, CREASE_INTEGER, "the axis, from 0" }, { 0 }
};

static ptrdiff_t entries(const crease_map *A, const crease_space *dom, const crease_space *ran,
                         ptrdiff_t *row, ptrdiff_t *col, double *value)
{
    const view v = view_of(A, dom);
    const ptrdiff_t run = (v.length - 1) * v.inner;
    ptrdiff_t k = 0;
    (void)ran;
    for (ptrdiff_t o = 0; row && o < v.outer; o++)
        for (ptrdiff_t j = 0; j < run; j++, k += 2) {
            row[k] = row[k + 1] = o * run + j;
            col[k] = o * (run + v.inner) + j, col[k + 1] = col[k] + v.inner;
            value[k] = -1, value[k + 1] = 1;
        }
    return 2 * v.outer * run;
}

const crease_map_ops crs_finite_difference_ops = {
    .name = "finite-difference",
    .formula = "(A x)_k = x_{k+1} - x_k along an axis",
    .params = params,
    .check = check,
    .apply = apply,
    .adjoint = adjoint,
    .norm = norm,
    .sigma_min = sigma_min,
    .gram = gram,
    .entries = entries,
};

crease_map crease_finite_difference(int axis)
{
    return (crease_map){ .ops = &crs_finite_difference_ops, .par = { axis } };
}
