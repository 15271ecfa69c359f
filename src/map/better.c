/* SPDX-License-Identifier: MIT
 * better: bounds of a small map from its matrix M, which is A up to an error of norm at most d
 *
 * |A|_2 <= |M|_2 + d and sqrt(lambda_min(A A')) >= sqrt(lambda_min(M M')) - d (Weyl). */
#include <float.h>

#include "dense/dense.h"
#include "map/directed.h"
#include "map/map.h"

/* d; what a callback does inside is unknown, and taken to be as accurate as a dense product. */
static bool distance(const crease_map *A, const crease_space *dom, const crease_space *ran,
                     const double *matrix, double *d, crease_error *e)
{
    const double m = (double)crease_size(ran), n = (double)crease_size(dom);
    crs_rounding r = { 0, larger(m, n) + 3 };
    if (A->ops == &crs_map_callback_ops)
        r.mass = crs_norm(crease_size(ran) * crease_size(dom), matrix) * (1 + m * n * DBL_EPSILON);
    else if (!crs_map_rounding(A, dom, ran, &r, e))
        return false;
    *d = product_up(r.steps * DBL_EPSILON, r.mass);
    return true;
}

/* M in new memory, or NULL. */
static double *matrix_of(const crease_map *A, const crease_space *dom, const crease_space *ran,
                         double *d, crease_error *e)
{
    const ptrdiff_t entries = crease_size(ran) * crease_size(dom);
    ptrdiff_t total;
    if (!crs_add_size(entries, crs_map_materialize_scratch(A, dom, ran), &total)) total = -1;
    double *matrix = crs_doubles(total, "the matrix of a linear map", e);
    if (!matrix) return NULL;
    crs_map_materialize(A, dom, ran, matrix, matrix + entries);
    if (distance(A, dom, ran, matrix, d, e)) return matrix;
    crs_free(matrix);
    return NULL;
}

bool crs_map_better_norm(const crease_map *A, const crease_space *dom, const crease_space *ran,
                         double known, double *bound, crease_error *e)
{
    double d;
    *bound = known;
    if (known == 0 || !crs_map_small(dom, ran)) return true;
    double *matrix = matrix_of(A, dom, ran, &d, e);
    if (!matrix) return false;
    const bool ok = crs_norm_bound(crease_size(ran), crease_size(dom), matrix, bound, e);
    crs_free(matrix);
    *bound = smaller(known, sum_up(*bound, d));
    return ok;
}

bool crs_map_better_sigma_min(const crease_map *A, const crease_space *dom, const crease_space *ran,
                              double known, double *bound, crease_error *e)
{
    double d;
    *bound = known;
    if (crease_size(ran) > crease_size(dom) || !crs_map_small(dom, ran)) return true;
    double *matrix = matrix_of(A, dom, ran, &d, e);
    if (!matrix) return false;
    const bool ok = crs_sigma_min_bound(crease_size(ran), crease_size(dom), matrix, bound, e);
    crs_free(matrix);
    const double root = pos(next_down(sqrt_down(*bound)) - d);
    *bound = larger(known, product_down(root, root));
    return ok;
}
