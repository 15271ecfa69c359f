/* SPDX-License-Identifier: MIT
 * map: the convenient calls: check everything, use memory of their own */
#include "map/map.h"

bool crease_map_check(const crease_map *A, const crease_space *dom, const crease_space *ran,
                      crease_error *e)
{
    return crease_space_check(dom, e) && crease_space_check(ran, e) &&
           crease_param_check(A->ops->name, A->ops->params, A->par, e) &&
           (!A->ops->check || A->ops->check(A, dom, ran, e));
}

ptrdiff_t crease_map_scratch(const crease_map *A, const crease_space *dom, const crease_space *ran)
{
    return A->ops->scratch ? A->ops->scratch(A, dom, ran) : 0;
}

static double *prepare(const crease_map *A, const crease_space *dom, const crease_space *ran,
                       crease_error *e)
{
    if (!crease_map_check(A, dom, ran, e)) return NULL;
    return crs_doubles(crease_map_scratch(A, dom, ran), "a linear map", e);
}

bool crease_apply(const crease_map *A, const crease_space *dom, const crease_space *ran,
                  const double *x, double *y, crease_error *e)
{
    double *work = prepare(A, dom, ran, e);
    if (!work) return false;
    fill(crease_size(ran), 0, y);
    A->ops->apply(A, dom, ran, 1, x, y, work);
    crs_free(work);
    return true;
}

bool crease_adjoint(const crease_map *A, const crease_space *dom, const crease_space *ran,
                    const double *y, double *x, crease_error *e)
{
    double *work = prepare(A, dom, ran, e);
    if (!work) return false;
    fill(crease_size(dom), 0, x);
    A->ops->adjoint(A, dom, ran, 1, y, x, work);
    crs_free(work);
    return true;
}

bool crease_map_norm(const crease_map *A, const crease_space *dom, const crease_space *ran,
                     double *bound, crease_error *e)
{
    return crease_map_check(A, dom, ran, e) && A->ops->norm(A, dom, ran, bound, e);
}

bool crease_map_sigma_min(const crease_map *A, const crease_space *dom, const crease_space *ran,
                          double *bound, crease_error *e)
{
    return crease_map_check(A, dom, ran, e) && A->ops->sigma_min(A, dom, ran, bound, e);
}

bool crease_map_is_identity(const crease_map *A, const crease_space *dom, const crease_space *ran,
                            double *c)
{
    return A->ops->identity && crease_map_check(A, dom, ran, NULL) &&
           A->ops->identity(A, dom, ran, c);
}
