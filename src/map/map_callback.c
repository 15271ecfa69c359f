/* SPDX-License-Identifier: MIT
 * callback: A x by the caller's functions
 *
 * Declared bounds are trusted. Without them a small map is written out as a matrix, the
 * functions being linear and as accurate as a dense product. */
#include <float.h>

#include "map/map.h"

static bool check_bounds(const crease_callback_map *c, ptrdiff_t m, ptrdiff_t n, crease_error *e)
{
    const double norm = c->norm_bound, least = c->sigma_min_bound;
    if (!(norm >= 0 && norm < INFINITY))
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "callback: norm_bound is %g; give a finite bound > 0, or 0 for unknown",
                        norm);
    if (!(least >= 0 && least < INFINITY))
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "callback: sigma_min_bound is %g; give a finite bound > 0, or 0 for "
                        "unknown",
                        least);
    if (least > 0 && m > n)
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "callback: sigma_min_bound is %g, but with %td entries out and %td in A A' "
                        "is singular; give 0",
                        least, m, n);
    if (norm > 0 && least > norm * norm * (1 + 4 * DBL_EPSILON))
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "callback: sigma_min_bound %g exceeds the square of norm_bound %g; one of "
                        "them is wrong",
                        least, norm);
    return true;
}

static bool check(const crease_map *A, const crease_space *dom, const crease_space *ran,
                  crease_error *e)
{
    const crease_callback_map *c = A->data;
    if (!crs_map_whole(A, dom, ran, e)) return false;
    if (!c || !c->apply || !c->adjoint)
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "callback has no %s (NULL); give both apply and adjoint",
                        !c          ? "functions"
                        : !c->apply ? "apply"
                                    : "adjoint");
    return check_bounds(c, crease_size(ran), crease_size(dom), e);
}

static void apply(const crease_map *A, const crease_space *dom, const crease_space *ran, double a,
                  const double *x, double *y, double *work)
{
    const crease_callback_map *c = A->data;
    (void)dom, (void)ran, (void)work;
    c->apply(c->user, a, x, y);
}

static void adjoint(const crease_map *A, const crease_space *dom, const crease_space *ran, double a,
                    const double *y, double *x, double *work)
{
    const crease_callback_map *c = A->data;
    (void)dom, (void)ran, (void)work;
    c->adjoint(c->user, a, y, x);
}

static bool norm(const crease_map *A, const crease_space *dom, const crease_space *ran,
                 double *bound, crease_error *e)
{
    const crease_callback_map *c = A->data;
    *bound = c->norm_bound;
    if (c->norm_bound > 0) return true;
    if (!is_small(dom, ran))
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "callback: a map of %td entries to %td is too large to find its norm; set "
                        "norm_bound to an upper bound of it",
                        crease_size(dom), crease_size(ran));
    return crs_map_better_norm(A, dom, ran, INFINITY, bound, e);
}

static bool sigma_min(const crease_map *A, const crease_space *dom, const crease_space *ran,
                      double *bound, crease_error *e)
{
    const crease_callback_map *c = A->data;
    *bound = c->sigma_min_bound;
    return c->sigma_min_bound > 0 || crs_map_better_sigma_min(A, dom, ran, 0, bound, e);
}

const crease_map_ops crs_map_callback_ops = {
    .name = "callback",
    .formula = "A x by the caller's functions",
    .opaque = true,
    .check = check,
    .apply = apply,
    .adjoint = adjoint,
    .norm = norm,
    .sigma_min = sigma_min,
};

crease_map crease_map_callback(const crease_callback_map *c)
{
    return (crease_map){ .ops = &crs_map_callback_ops, .data = c };
}
