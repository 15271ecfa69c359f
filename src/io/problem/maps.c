/* SPDX-License-Identifier: MIT
 * maps: linear maps of a problem file: a number (times the identity), a matrix inline or in a file,
 * or {"name": ...} with a name of the catalogue; sums and compositions of maps; and the affine
 * sum_k A_k x_k - rhs: {"block": map, ...} with a right-hand side */
#include <crease/catalogue.h>

#include "io/problem/problem.h"

typedef bool map_reader(crs_reader *r, const crs_node *at, const crease_space *dom, crease_map *out,
                        crease_space *range);

/* Does a map with a range of its own fit the range that was settled on? */
static bool same_rows(const crs_reader *r, const crs_node *at, const crease_space *own,
                      const crease_space *range)
{
    return own->order == 0 || crease_size(own) == crease_size(range) ||
           crs_fail_at(r, at, "the map has %td rows where %td are wanted; make them agree",
                       crease_size(own), crease_size(range));
}

static bool read_zero(crs_reader *r, const crs_node *at, const crease_space *dom, crease_map *out,
                      crease_space *range)
{
    (void)dom, (void)range;
    *out = crease_zero_map();
    return crs_has_keys(r, at, 0, NULL);
}

static bool read_identity(crs_reader *r, const crs_node *at, const crease_space *dom,
                          crease_map *out, crease_space *range)
{
    static const char *const keys[] = { "scale" };
    crs_node here;
    double scale = 1;
    if (!crs_has_keys(r, at, 1, keys)) return false;
    if (crs_member(at, "scale", &here) && !crs_number_at(r, &here, &scale)) return false;
    *out = crease_identity(scale);
    *range = *dom;
    return true;
}

static bool read_diagonal(crs_reader *r, const crs_node *at, const crease_space *dom,
                          crease_map *out, crease_space *range)
{
    const double *d = NULL;
    if (!crs_filled_at(r, at, dom, false, &d)) return false;
    *out = crease_diagonal(d);
    *range = *dom;
    return true;
}

static bool read_mask(crs_reader *r, const crs_node *at, const crease_space *dom, crease_map *out,
                      crease_space *range)
{
    const double *keep = NULL;
    if (!crs_filled_at(r, at, dom, false, &keep)) return false;
    *out = crease_mask(keep);
    *range = *dom;
    return true;
}

static bool read_selection(crs_reader *r, const crs_node *at, const crease_space *dom,
                           crease_map *out, crease_space *range)
{
    crease_index_list *l = crs_keep_new(r, 1, sizeof *l);
    if (!l || !crs_indices_at(r, at, (double)(crease_size(dom) - 1), &l->count, &l->index))
        return false;
    *out = crease_selection(l);
    *range = crease_vector(l->count);
    return true;
}

static bool read_difference(crs_reader *r, const crs_node *at, const crease_space *dom,
                            crease_map *out, crease_space *range)
{
    static const char *const keys[] = { "axis" };
    crs_node here;
    ptrdiff_t axis = 0;
    if (!crs_has_keys(r, at, 1, keys)) return false;
    if (crs_member(at, "axis", &here) && !crs_whole_at(r, &here, 0, dom->order - 1, &axis))
        return false;
    if (dom->dim[axis] < 2)
        return crs_fail_at(r, at, "axis %td has one entry and so no differences; choose another",
                           axis);
    *out = crease_finite_difference((int)axis);
    *range = *dom;
    range->dim[axis]--;
    return true;
}

/* m x size(dom); a vector is its one row, or its one column when the block has one entry. */
static bool read_dense(crs_reader *r, const crs_node *at, const crease_space *dom, crease_map *out,
                       crease_space *range)
{
    crs_array a;
    char text[120];
    const ptrdiff_t n = crease_size(dom);
    if (!crs_array_at(r, at, false, &a)) return false;
    const ptrdiff_t all = crease_size(&a.shape);
    const bool row = a.shape.order == 1 && n > 1;
    const ptrdiff_t columns = a.shape.order == 2 ? a.shape.dim[1] : row ? a.shape.dim[0] : 1;
    if (a.shape.order > 2 || columns != n)
        return crs_fail_at(r, at,
                           "the matrix is %s but the block has %td entr%s; give it as many "
                           "columns",
                           crs_shape_text(&a.shape, text, sizeof text), n, n == 1 ? "y" : "ies");
    *out = crease_dense(a.data);
    *range = crease_vector(all / n);
    return true;
}

static bool read_mtx(crs_reader *r, const crs_node *at, const crease_space *dom, crease_map *out,
                     crease_space *range)
{
    crs_mtx m;
    const char *path = crs_path_at(r, at);
    FILE *f = path ? crs_open(path, r->e) : NULL;
    if (!f) return false;
    const bool read = crs_mtx_read(f, path, &m, r->e);
    fclose(f);
    if (!read) return crs_blame(r, at);
    const bool value = crs_keep(r, m.value); /* each is kept or freed, whatever becomes of others */
    const bool start = !m.sparse || crs_keep(r, m.start), col = !m.sparse || crs_keep(r, m.col);
    if (!value || !start || !col) return false;
    if (m.cols != crease_size(dom))
        return crs_fail_at(r, at,
                           "the matrix has %td columns but the block %td entries; make them "
                           "agree",
                           m.cols, crease_size(dom));
    crease_csr_matrix *a = crs_keep_new(r, 1, sizeof *a);
    if (!a) return false;
    *a = (crease_csr_matrix){ m.rows, m.cols, m.start, m.col, m.value };
    *out = m.sparse ? crease_csr(a) : crease_dense(m.value);
    *range = crease_vector(m.rows);
    return true;
}

static bool read_matrix(crs_reader *r, const crs_node *at, const crease_space *dom, crease_map *out,
                        crease_space *range)
{
    const char *name = json_string_value(at->value);
    return (name && crs_ends_in(name, ".mtx") ? read_mtx : read_dense)(r, at, dom, out, range);
}

/* rows, cols, start (rows + 1 numbers), col and value (one per entry), or a file. */
static bool read_csr(crs_reader *r, const crs_node *at, const crease_space *dom, crease_map *out,
                     crease_space *range)
{
    static const char *const keys[] = { "rows", "cols", "start", "col", "value" };
    crs_node here[5];
    crs_array value;
    ptrdiff_t starts, columns;
    if (json_is_string(at->value)) return read_matrix(r, at, dom, out, range);
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

static bool read_sum(crs_reader *r, const crs_node *at, const crease_space *dom, crease_map *out,
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
        if (!same_rows(r, &here, &own, range)) return false;
    }
    *l = (crease_map_list){ .count = (int)n, .map = map };
    const crease_space one_each = crease_vector((ptrdiff_t)n);
    if (crs_member(at, "scale", &scale) && !crs_filled_at(r, &scale, &one_each, false, &l->scale))
        return false;
    *out = crease_map_sum(l);
    return true;
}

static bool read_composition(crs_reader *r, const crs_node *at, const crease_space *dom,
                             crease_map *out, crease_space *range)
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
    if (!same_rows(r, &inner, &own, between)) return false;
    if (!crease_map_check(&map[1], dom, between, r->e)) return crs_blame(r, &inner);
    if (!crs_map_at(r, &outer, between, &map[0], range)) return false;
    *p = (crease_map_pair){ &map[0], &map[1], between };
    *out = crease_composition(p);
    return true;
}

static const char *name_at(int k) { return crease_map_at(k)->name; }

/* A map that is its parameters alone, and keeps the shape. */
static bool read_numbers(crs_reader *r, const crs_node *at, const crease_space *dom,
                         crease_map *out, crease_space *range)
{
    const crease_map_ops *ops =
        crease_map_at(crs_find("map", at->key, crease_map_count(), name_at, NULL));
    const char *keys[CREASE_PARS];
    crs_node here;
    int n = 0;
    for (; ops->params && ops->params[n].name; n++) keys[n] = ops->params[n].name;
    if (!crs_has_keys(r, at, n, keys)) return false;
    *out = (crease_map){ .ops = ops };
    *range = *dom;
    for (int k = 0; k < n; k++)
        if (!crs_need(r, at, keys[k], &here) || !crs_number_at(r, &here, &out->par[k]))
            return false;
    return true;
}

/* The maps that are more than that. */
static const struct {
    const char *name;
    map_reader *read;
} readers[] = {
    { "zero", read_zero },
    { "identity", read_identity },
    { "diagonal", read_diagonal },
    { "dense", read_dense },
    { "csr", read_csr },
    { "mask", read_mask },
    { "selection", read_selection },
    { "finite-difference", read_difference },
    { "sum", read_sum },
    { "composition", read_composition },
};

static map_reader *reader_of(const crease_map_ops *ops)
{
    for (size_t k = 0; k < sizeof readers / sizeof *readers; k++)
        if (strcmp(readers[k].name, ops->name) == 0) return readers[k].read;
    return ops->params ? read_numbers : NULL;
}

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
        return read_matrix(r, at, dom, out, range);
    if (!json_is_object(at->value))
        return crs_fail_at(r, at, "this is %s; give a number, a matrix, a file or {\"name\": ...}",
                           crs_kind_of(at->value));
    if (!crs_only(r, at, "a map", &named)) return false;
    const int k = crs_find("map", named.key, crease_map_count(), name_at, r->e);
    if (k < 0) return crs_blame(r, at);
    map_reader *read = reader_of(crease_map_at(k));
    if (!read)
        return crs_fail_at(r, at, "'%s' is made of functions in C; a file has none", name_at(k));
    return read(r, &named, dom, out, range);
}

bool crs_block_named(const crs_reader *r, const crs_node *at, const char *name,
                     const crs_block_list *blocks, int *i)
{
    for (*i = 0; *i < blocks->count; ++*i)
        if (strcmp(blocks->name[*i], name) == 0) return true;
    const int near = crs_nearest_in(name, blocks->count, blocks->name);
    return near >= 0 ? crs_fail_at(r, at, "no block is called '%.48s'; did you mean '%s'?", name,
                                   blocks->name[near])
                     : crs_fail_at(r, at, "no block is called '%.48s'; the first is '%s'", name,
                                   blocks->name[0]);
}

bool crs_block_at(const crs_reader *r, const crs_node *at, const crs_block_list *blocks, int *i)
{
    const char *name;
    return crs_text_at(r, at, &name) && crs_block_named(r, at, name, blocks, i);
}

static bool read_maps(crs_reader *r, const crs_node *at, const crs_block_list *blocks,
                      crs_sum_of_maps *out, crease_space *own)
{
    const char *key;
    json_t *value;
    json_object_foreach(at->value, key, value)
    {
        const crs_node here = { at, key, 0, value };
        const int k = out->count;
        if (!crs_block_named(r, at, key, blocks, &out->block[k]) ||
            !crs_map_at(r, &here, &blocks->space[out->block[k]], &out->map[k], &own[k]))
            return false;
        if (out->range.order == 0) out->range = own[k];
        out->count++;
    }
    return true;
}

/* Once the range is known, every map must agree with it. */
static bool check_maps(const crs_reader *r, const crs_node *at, const crs_block_list *blocks,
                       const crs_sum_of_maps *sum, const crease_space *own)
{
    for (int k = 0; k < sum->count; k++) {
        const int i = sum->block[k];
        const crs_node here = { at, blocks->name[i], 0, NULL };
        char text[120];
        if (!same_rows(r, &here, &own[k], &sum->range)) return false;
        if (crease_map_check(&sum->map[k], &blocks->space[i], &sum->range, r->e)) continue;
        crs_shape_text(&sum->range, text, sizeof text);
        crease_error inner = *r->e;
        crs_fail(r->e, inner.code, "into %s: %.240s", text, inner.text);
        return crs_blame(r, &here);
    }
    return true;
}

/* One number for all, or the array that was read. */
static bool take_rhs(crs_reader *r, const crs_node *at, const crs_array *given,
                     crs_sum_of_maps *out)
{
    if (!given->data) return crs_filled_at(r, at, &out->range, false, &out->rhs);
    out->rhs = given->data;
    return crease_size(&given->shape) == crease_size(&out->range) ||
           crs_fail_at(r, at, "there are %td numbers for %td rows; make them agree",
                       crease_size(&given->shape), crease_size(&out->range));
}

bool crs_sum_at(crs_reader *r, const crs_node *maps, const crs_node *rhs,
                const crs_block_list *blocks, crs_sum_of_maps *out)
{
    const ptrdiff_t n = (ptrdiff_t)json_object_size(maps->value);
    crs_array given = { .data = NULL };
    if (n < 1)
        return crs_fail_at(r, maps, "give at least one map, as {\"%s\": 1}", blocks->name[0]);
    out->count = 0;
    out->block = crs_keep_new(r, n, sizeof *out->block);
    out->map = crs_keep_new(r, n, sizeof *out->map);
    crease_space *own = crs_keep_new(r, n, sizeof *own);
    if (!out->block || !out->map || !own) return false;
    if (rhs && !json_is_number(rhs->value) && !crs_array_at(r, rhs, false, &given)) return false;
    if (given.data && out->range.order == 0) out->range = given.shape;
    if (!read_maps(r, maps, blocks, out, own)) return false;
    if (out->range.order == 0)
        return crs_fail_at(r, maps,
                           "the maps do not tell how many rows there are; give the rhs as "
                           "a list");
    return check_maps(r, maps, blocks, out, own) && (!rhs || take_rhs(r, rhs, &given, out));
}
