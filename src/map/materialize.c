/* SPDX-License-Identifier: MIT
 * materialize: the matrix of a map, from its products with unit vectors
 *
 * By columns A e_j when A is tall, by rows A' e_i when it is wide: min(m,n) products. */
#include "map/map.h"

enum { SIDE = 500, ENTRIES = 1000000 };

bool crs_map_small(const crease_space *dom, const crease_space *ran)
{
    const ptrdiff_t m = crease_size(ran), n = crease_size(dom);
    return (m <= SIDE || n <= SIDE) && m <= ENTRIES / n;
}

/* A unit vector of the smaller space and a column, then what A needs; -1 when that overflows. */
ptrdiff_t crs_map_materialize_scratch(const crease_map *A, const crease_space *dom,
                                      const crease_space *ran)
{
    ptrdiff_t total;
    if (!crs_add_size(crease_size(dom), crease_size(ran), &total)) return -1;
    return crs_add_size(total, crease_map_scratch(A, dom, ran), &total) ? total : -1;
}

void crs_map_materialize(const crease_map *A, const crease_space *dom, const crease_space *ran,
                         double *out, double *work)
{
    const ptrdiff_t m = crease_size(ran), n = crease_size(dom), units = m < n ? m : n;
    double *unit = work, *column = unit + units, *rest = column + (m < n ? n : m);
    fill(m * n, 0, out);
    fill(units, 0, unit);
    for (ptrdiff_t k = 0; k < units; k++) {
        unit[k] = 1;
        if (m < n) {
            A->ops->adjoint(A, dom, ran, 1, unit, out + k * n, rest);
        } else {
            fill(m, 0, column);
            A->ops->apply(A, dom, ran, 1, unit, column, rest);
            for (ptrdiff_t i = 0; i < m; i++) out[i * n + k] = column[i];
        }
        unit[k] = 0;
    }
}
