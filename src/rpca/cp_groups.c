/* SPDX-License-Identifier: MIT
 * cp_groups: the fibres of a tensor along an axis, or its slices across it, as groups of entries
 *
 * With the axis at index k the tensor is left x I_k x right: entry (l, i, r) has the offset
 * (l I_k + i) right + r. Its fibre is (l, r), its slice is i. */
#include "rpca/rpca.h"
#include "tensor/tensor.h"

static void fibres(const crease_space *s, int k, ptrdiff_t *start, ptrdiff_t *index)
{
    const ptrdiff_t left = crs_left(s, k), length = s->dim[k], right = crs_right(s, k);
    for (ptrdiff_t g = 0, at = 0; g < left * right; g++) {
        start[g] = at;
        for (ptrdiff_t i = 0; i < length; i++)
            index[at++] = (g / right * length + i) * right + g % right;
    }
    start[left * right] = left * length * right;
}

static void slices(const crease_space *s, int k, ptrdiff_t *start, ptrdiff_t *index)
{
    const ptrdiff_t left = crs_left(s, k), length = s->dim[k], right = crs_right(s, k);
    for (ptrdiff_t i = 0, at = 0; i < length; i++) {
        start[i] = at;
        for (ptrdiff_t g = 0; g < left * right; g++)
            index[at++] = (g / right * length + i) * right + g % right;
    }
    start[length] = left * length * right;
}

bool crs_cp_take_groups(crease_cp_rpca *m, crease_error *e)
{
    const crease_space *s = &m->s.shape;
    const ptrdiff_t n = crease_size(s), length = s->dim[m->s.axis];
    const bool along = m->s.groups == CREASE_GROUPS_FIBRES;
    const ptrdiff_t count = along ? n / length : length;
    if (m->s.groups == CREASE_GROUPS_GIVEN) return true;
    m->group_start = crs_alloc((size_t)count + 1, sizeof *m->group_start);
    m->group_index = crs_alloc((size_t)n, sizeof *m->group_index);
    if (!m->group_start || !m->group_index)
        return crs_fail(e, CREASE_NO_MEMORY, "out of memory: %td groups of entries", count);
    (along ? fibres : slices)(s, m->s.axis, m->group_start, m->group_index);
    m->groups = (crease_groups){ count, m->group_start, m->group_index };
    m->penalty.groups = &m->groups;
    return crease_reg_check(&m->penalty, s, e);
}
