/* SPDX-License-Identifier: MIT
 * local: vectors that are split over ranks, each rank mapping its own part by its own map: A is
 * diag(A_1, ..., A_P) over the ranks
 *
 * |A|_2 is the largest |A_k|_2 and lambda_min(A A') the least of the lambda_min(A_k A_k'). No
 * product crosses ranks. */
#include "map/map.h"

static crease_space alone(const crease_space *s)
{
    crease_space own = *s;
    own.comm = NULL;
    return own;
}

static bool check(const crease_map *A, const crease_space *dom, const crease_space *ran,
                  crease_error *e)
{
    const crease_space in = alone(dom), out = alone(ran);
    if (!A->data) return crs_fail(e, CREASE_BAD_ARGUMENT, "local has no map (NULL); give one");
    if (dom->comm != ran->comm)
        return crs_fail(e, CREASE_BAD_SHAPE,
                        "local has its input and its output on different ranks; split both alike, "
                        "or neither");
    return crease_map_check(A->data, &in, &out, e);
}

static ptrdiff_t scratch(const crease_map *A, const crease_space *dom, const crease_space *ran)
{
    const crease_space in = alone(dom), out = alone(ran);
    return crease_map_scratch(A->data, &in, &out);
}

static void apply(const crease_map *A, const crease_space *dom, const crease_space *ran, double a,
                  const double *x, double *y, double *work)
{
    const crease_space in = alone(dom), out = alone(ran);
    const crease_map *own = A->data;
    own->ops->apply(own, &in, &out, a, x, y, work);
}

static void adjoint(const crease_map *A, const crease_space *dom, const crease_space *ran, double a,
                    const double *y, double *x, double *work)
{
    const crease_space in = alone(dom), out = alone(ran);
    const crease_map *own = A->data;
    own->ops->adjoint(own, &in, &out, a, y, x, work);
}

static bool norm(const crease_map *A, const crease_space *dom, const crease_space *ran,
                 double *bound, crease_error *e)
{
    const crease_space in = alone(dom), out = alone(ran);
    const crease_map *own = A->data;
    double here = 0;
    if (!crs_together(dom->comm, own->ops->norm(own, &in, &out, &here, e), e)) return false;
    *bound = crease_max(dom, here);
    return true;
}

static bool sigma_min(const crease_map *A, const crease_space *dom, const crease_space *ran,
                      double *bound, crease_error *e)
{
    const crease_space in = alone(dom), out = alone(ran);
    const crease_map *own = A->data;
    double here = 0;
    if (!crs_together(dom->comm, own->ops->sigma_min(own, &in, &out, &here, e), e)) return false;
    *bound = -crease_max(dom, -here);
    return true;
}

static bool identity(const crease_map *A, const crease_space *dom, const crease_space *ran,
                     double *c)
{
    const crease_space in = alone(dom), out = alone(ran);
    const crease_map *own = A->data;
    double here = NAN;
    const bool found = own->ops->identity && own->ops->identity(own, &in, &out, &here);
    if (!crs_together(dom->comm, found, NULL)) return false;
    *c = crease_max(dom, here);
    return *c == -crease_max(dom, -here);
}

static bool rounding(const crease_map *A, const crease_space *dom, const crease_space *ran,
                     crease_rounding *r, crease_error *e)
{
    const crease_space in = alone(dom), out = alone(ran);
    if (!crs_together(dom->comm, crs_map_rounding(A->data, &in, &out, r, e), e)) return false;
    r->mass = crease_max(dom, r->mass);
    r->steps = crease_max(dom, r->steps);
    return true;
}

static const crease_map_ops ops = {
    .name = "local",
    .formula = "A x = A_k x on rank k",
    .check = check,
    .scratch = scratch,
    .apply = apply,
    .adjoint = adjoint,
    .norm = norm,
    .sigma_min = sigma_min,
    .identity = identity,
    .rounding = rounding,
};

crease_map crease_local(const crease_map *A) { return (crease_map){ .ops = &ops, .data = A }; }
