/* SPDX-License-Identifier: MIT
 * check: what several maps ask of their spaces and data */
#include "map/map.h"

bool crs_map_square(const crease_map *A, const crease_space *dom, const crease_space *ran,
                    crease_error *e)
{
    if (!crease_space_equal(dom, ran))
        return crs_fail(e, CREASE_BAD_SHAPE,
                        "%s keeps the shape, but its input has %td entries in %d dimension%s and "
                        "its output %td in %d; give both the same shape",
                        A->ops->name, crease_size(dom), dom->order, dom->order == 1 ? "" : "s",
                        crease_size(ran), ran->order);
    if (!dom->comm != !ran->comm)
        return crs_fail(e, CREASE_BAD_SHAPE,
                        "%s has its %s split over ranks and its %s not; split both or neither",
                        A->ops->name, dom->comm ? "input" : "output",
                        dom->comm ? "output" : "input");
    return true;
}

bool crs_map_whole(const crease_map *A, const crease_space *dom, const crease_space *ran,
                   crease_error *e)
{
    if (!dom->comm && !ran->comm) return true;
    return crs_fail(e, CREASE_UNSUPPORTED,
                    "%s needs whole vectors but its %s is split over ranks; keep it on one process "
                    "or use a zero, identity, diagonal or mask map",
                    A->ops->name, dom->comm ? "input" : "output");
}

bool crs_map_numbers(const crease_map *A, ptrdiff_t n, const double *v, crease_error *e)
{
    if (!v)
        return crs_fail(e, CREASE_BAD_ARGUMENT, "%s has no data (NULL); give %td numbers",
                        A->ops->name, n);
    for (ptrdiff_t j = 0; j < n; j++)
        if (!isfinite(v[j]))
            return crs_fail(e, CREASE_BAD_DATA, "%s: number %td of %td is %g; give finite numbers",
                            A->ops->name, j + 1, n, v[j]);
    return true;
}
