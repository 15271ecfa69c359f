/* SPDX-License-Identifier: MIT
 * rounding: how far a computed A x may be from A x
 *
 * A product with A is a straight line of additions and multiplications. Every path from an entry
 * of x to an entry of y that meets at most s roundings changes its term by a factor within
 * (1 +- u)^s, so |error| <= s 2u (|A| |x|) entrywise while s u < 1/2, with |A| the map built from
 * the absolute values of all numbers, u = 2^-53. Higham, Accuracy and Stability of Numerical
 * Algorithms, 2002, section 3.1. */
#include "map/directed.h"
#include "map/map.h"

static bool of_sum(const crease_map *A, const crease_space *dom, const crease_space *ran,
                   crs_rounding *r, crease_error *e)
{
    const crease_map_list *l = A->data;
    *r = (crs_rounding){ 0, 0 };
    for (int k = 0; k < l->count; k++) {
        crs_rounding term;
        if (!crs_map_rounding(&l->map[k], dom, ran, &term, e)) return false;
        r->mass = sum_up(r->mass, product_up(l->scale ? fabs(l->scale[k]) : 1, term.mass));
        r->steps += term.steps + 1;
    }
    return true;
}

static bool of_composition(const crease_map *A, const crease_space *dom, const crease_space *ran,
                           crs_rounding *r, crease_error *e)
{
    const crease_map_pair *p = A->data;
    crs_rounding in, out;
    if (!crs_map_rounding(p->inner, dom, p->between, &in, e)) return false;
    if (!crs_map_rounding(p->outer, p->between, ran, &out, e)) return false;
    *r = (crs_rounding){ product_up(in.mass, out.mass), in.steps + out.steps };
    return true;
}

bool crs_map_rounding(const crease_map *A, const crease_space *dom, const crease_space *ran,
                      crs_rounding *r, crease_error *e)
{
    const double m = (double)crease_size(ran), n = (double)crease_size(dom);
    if (A->ops == &crs_map_sum_ops) return of_sum(A, dom, ran, r, e);
    if (A->ops == &crs_composition_ops) return of_composition(A, dom, ran, r, e);
    if (A->ops == &crs_csr_ops) {
        const crease_csr_matrix *a = A->data;
        r->steps = (double)a->start[a->rows] + 3;
        return crs_csr_mass(a, &r->mass, e);
    }
    /* | |A| |_2 <= |A|_F <= sqrt(rank) |A|_2 */
    double norm;
    if (!A->ops->norm(A, dom, ran, &norm, e)) return false;
    *r = (crs_rounding){ product_up(norm, sqrt_up(smaller(m, n))), larger(m, n) + 3 };
    return true;
}
