/* SPDX-License-Identifier: MIT
 * problem_map_list: linear maps of a problem file: a number (times the identity), a matrix inline
 * or in a file, or {"name": ...} with a name of the catalogue; sums and compositions of maps */
#include "io/problem/problem_maps.h"

static const struct {
    const char *name;
    crs_map_reader *read;
} readers[] = {
    { "zero", crs_zero_map_at },
    { "identity", crs_identity_at },
    { "diagonal", crs_diagonal_at },
    { "dense", crs_dense_at },
    { "csr", crs_csr_at },
    { "mask", crs_mask_at },
    { "selection", crs_selection_at },
    { "finite-difference", crs_difference_at },
    { "sum", crs_map_sum_at },
    { "composition", crs_composition_at },
};

static const char *name_at(int k) { return readers[k].name; }

bool crs_map_at(crs_reader *r, const crs_node *at, const crease_space *dom, crease_map *out,
                crease_space *range)
{
    crs_node named;
    double scale = NAN;
    *range = (crease_space){ .order = 0 };
    if (json_is_number(at->value)) {
        *out = crease_identity(crs_number_at(r, at, &scale) ? scale : NAN);
        *range = *dom;
        return true;
    }
    if (json_is_array(at->value) || json_is_string(at->value))
        return crs_matrix_at(r, at, dom, out, range);
    if (!json_is_object(at->value))
        return crs_fail_at(r, at, "this is %s; give a number, a matrix, a file or {\"name\": ...}",
                           crs_kind_of(at->value));
    if (!crs_only(r, at, "a map", &named)) return false;
    const int count = (int)(sizeof readers / sizeof *readers);
    const int k = crs_find("map", named.key, count, name_at, r->e);
    return k < 0 ? crs_blame(r, at) : readers[k].read(r, &named, dom, out, range);
}

/* rows, cols, start (rows + 1 numbers), col and value (one an entry), or a file. */
bool crs_csr_at(crs_reader *r, const crs_node *at, const crease_space *dom, crease_map *out,
                crease_space *range)
{
    static const char *const keys[] = { "rows", "cols", "start", "col", "value" };
    crs_node here[5];
    crs_array value;
    ptrdiff_t starts, columns;
    if (json_is_string(at->value)) return crs_matrix_at(r, at, dom, out, range);
    crease_csr_matrix *a = crs_keep_new(r, 1, sizeof *a);
    if (!a || !crs_has_keys(r, at, 5, keys)) return false;
    for (int k = 0; k < 5; k++)
        if (!crs_need(r, at, keys[k], &here[k])) return false;
    if (!crs_whole_at(r, &here[0], 1, 0x1p53, &a->rows) ||
        !crs_whole_at(r, &here[1], 1, 0x1p53, &a->cols) ||
        !crs_indices_at(r, &here[2], 0x1p53, &starts, &a->start) ||
        !crs_indices_at(r, &here[3], (double)(a->cols - 1), &columns, &a->col) ||
        !crs_array_at(r, &here[4], false, &value))
        return false;
    a->value = value.data;
    if (starts != a->rows + 1)
        return crs_fail_at(r, &here[2],
                           "there are %td starts for %td rows; give one more than rows", starts,
                           a->rows);
    if (a->start[a->rows] != columns || columns != crease_size(&value.shape))
        return crs_fail_at(r, at,
                           "start ends at %td, col has %td and value %td numbers; make them "
                           "agree",
                           a->start[a->rows], columns, crease_size(&value.shape));
    *out = crease_csr(a);
    *range = crease_vector(a->rows);
    return true;
}

bool crs_map_sum_at(crs_reader *r, const crs_node *at, const crease_space *dom, crease_map *out,
                    crease_space *range)
{
    static const char *const keys[] = { "maps", "scale" };
    crs_node maps, scale;
    crease_map_list *l = crs_keep_new(r, 1, sizeof *l);
    if (!l || !crs_has_keys(r, at, 2, keys) || !crs_need(r, at, "maps", &maps)) return false;
    const size_t n = json_array_size(maps.value);
    if (n < 1) return crs_fail_at(r, &maps, "give a list of at least one map");
    crease_map *map = crs_keep_new(r, (ptrdiff_t)n, sizeof *map);
    if (!map) return false;
    for (size_t k = 0; k < n; k++) {
        const crs_node here = crs_element(&maps, k);
        crease_space own;
        if (!crs_map_at(r, &here, dom, &map[k], &own)) return false;
        if (range->order == 0) *range = own;
        if (!crs_same_rows(r, &here, &own, range)) return false;
    }
    *l = (crease_map_list){ .count = (int)n, .map = map };
    const crease_space one_each = crease_vector((ptrdiff_t)n);
    if (crs_member(at, "scale", &scale) && !crs_filled_at(r, &scale, &one_each, false, &l->scale))
        return false;
    *out = crease_map_sum(l);
    return true;
}

bool crs_composition_at(crs_reader *r, const crs_node *at, const crease_space *dom, crease_map *out,
                        crease_space *range)
{
    static const char *const keys[] = { "outer", "inner", "between" };
    crs_node outer, inner, shape;
    crease_space own;
    crease_map_pair *p = crs_keep_new(r, 1, sizeof *p);
    crease_map *map = crs_keep_new(r, 2, sizeof *map);
    crease_space *between = crs_keep_new(r, 1, sizeof *between);
    if (!p || !map || !between || !crs_has_keys(r, at, 3, keys) ||
        !crs_need(r, at, "outer", &outer) || !crs_need(r, at, "inner", &inner) ||
        !crs_map_at(r, &inner, dom, &map[1], &own))
        return false;
    *between = own;
    if (crs_member(at, "between", &shape) && !crs_shape_at(r, &shape, between)) return false;
    if (between->order == 0)
        return crs_fail_at(r, at, "the inner map does not tell its range; add \"between\": shape");
    if (!crs_same_rows(r, &inner, &own, between)) return false;
    if (!crease_map_check(&map[1], dom, between, r->e)) return crs_blame(r, &inner);
    if (!crs_map_at(r, &outer, between, &map[0], range)) return false;
    *p = (crease_map_pair){ &map[0], &map[1], between };
    *out = crease_composition(p);
    return true;
}
