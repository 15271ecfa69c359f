/* SPDX-License-Identifier: MIT
 * groups: is this a partition of the entries? */
#include "reg/reg.h"

static bool starts_ascend(const crease_groups *a, ptrdiff_t size, crease_error *e)
{
    if (a->start[0] != 0)
        return crs_fail(e, CREASE_BAD_ARGUMENT, "groups: start 1 is %td; it must be 0",
                        a->start[0]);
    for (ptrdiff_t k = 0; k < a->count; k++)
        if (a->start[k + 1] <= a->start[k])
            return crs_fail(e, CREASE_BAD_ARGUMENT,
                            "groups: start %td is %td but start %td is %td; they must ascend, for "
                            "no group is empty",
                            k + 1, a->start[k], k + 2, a->start[k + 1]);
    if (a->start[a->count] != size)
        return crs_fail(e, CREASE_BAD_SHAPE,
                        "groups: the last start is %td but there are %td entries; let the groups "
                        "cover all of them",
                        a->start[a->count], size);
    return true;
}

static bool mark_all(const ptrdiff_t *index, ptrdiff_t size, char *seen, crease_error *e)
{
    for (ptrdiff_t k = 0; k < size; k++) {
        const ptrdiff_t j = index[k];
        if (j < 0 || j >= size)
            return crs_fail(e, CREASE_BAD_ARGUMENT,
                            "groups: index %td is %td; give entries from 0 to %td", k + 1, j,
                            size - 1);
        if (seen[j])
            return crs_fail(e, CREASE_BAD_ARGUMENT,
                            "groups: index %td names entry %td again; give every entry once", k + 1,
                            j);
        seen[j] = 1;
    }
    return true;
}

static bool index_permutes(const ptrdiff_t *index, ptrdiff_t size, crease_error *e)
{
    char *seen = crs_alloc((size_t)size, 1);
    if (!seen)
        return crs_fail(e, CREASE_NO_MEMORY,
                        "out of memory: checking groups needs %td bytes; use a smaller problem",
                        size);
    const bool fine = mark_all(index, size, seen, e);
    crs_free(seen);
    return fine;
}

bool crs_check_groups(const crease_reg *r, const crease_space *s, crease_error *e)
{
    const crease_groups *a = r->groups;
    const ptrdiff_t size = crease_size(s);
    if (s->comm)
        return crs_fail(e, CREASE_UNSUPPORTED,
                        "group-%s on a vector split over ranks is not supported; keep the vector "
                        "on one rank",
                        r->penalty->name);
    if (!a || !a->start || a->count < 1)
        return crs_fail(e, CREASE_BAD_ARGUMENT, "group-%s has no groups; give at least one",
                        r->penalty->name);
    return starts_ascend(a, size, e) && crs_check_penalty(r, a->count, e) &&
           (!a->index || index_permutes(a->index, size, e));
}
