/* SPDX-License-Identifier: MIT
 * maps: linear maps of a problem file: a number (times the identity), a matrix inline or in a file,
 * or {"name": ...} with a name of the catalogue; sums and compositions of maps */
#include <crease/catalogue.h>

#include "io/problem/problem.h"

typedef bool map_reader(crs_reader *r, const crs_node *at, const crease_space *dom, crease_map *out,
                        crease_space *range);

bool crs_same_rows(const crs_reader *r, const crs_node *at, const crease_space *own,
                   const crease_space *range)
{
    return own->order == 0 || crease_size(own) == crease_size(range) ||
           crs_fail_at(r, at, "the map has %td rows where %td are wanted; make them agree",
                       crease_size(own), crease_size(range));
}

static void free_cosine(void *c) { crease_cosine_free(c); }
static void free_kernel(void *k) { crease_kernel_release(k), crs_free(k); }

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
    const bool read = crs_mtx_read(f, path, NULL, &m, r->e);
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
        if (!crs_same_rows(r, &here, &own, range)) return false;
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
    if (!crs_same_rows(r, &inner, &own, between)) return false;
    if (!crease_map_check(&map[1], dom, between, r->e)) return crs_blame(r, &inner);
    if (!crs_map_at(r, &outer, between, &map[0], range)) return false;
    *p = (crease_map_pair){ &map[0], &map[1], between };
    *out = crease_composition(p);
    return true;
}

static bool read_gradient(crs_reader *r, const crs_node *at, const crease_space *dom,
                          crease_map *out, crease_space *range)
{
    const ptrdiff_t n = crease_size(dom);
    ptrdiff_t rows = 0;
    if (!crs_has_keys(r, at, 0, NULL)) return false;
    for (int i = 0; i < dom->order; i++)
        if (!crs_add_size(rows, n / dom->dim[i] * (dom->dim[i] - 1), &rows))
            return crs_fail_at(r, at, "there are more differences than memory can address");
    if (rows == 0)
        return crs_fail_at(r, at, "the block has one entry and so no differences; take it out");
    *out = crease_gradient();
    *range = crease_vector(rows);
    return true;
}

/* The matrix under a key; a vector is one column. */
static bool matrix_under(crs_reader *r, const crs_node *at, const char *key, crs_array *out,
                         ptrdiff_t *columns)
{
    crs_node here;
    char text[120];
    if (!crs_need(r, at, key, &here) || !crs_array_at(r, &here, false, out)) return false;
    if (out->shape.order > 2)
        return crs_fail_at(r, &here, "this is %s; give a matrix",
                           crs_shape_text(&out->shape, text, sizeof text));
    *columns = out->shape.order == 2 ? out->shape.dim[1] : 1;
    return true;
}

/* The matrix; NULL for an identity, which is not multiplied by. */
static const double *unless_identity(const crs_array *a)
{
    const ptrdiff_t n = a->shape.dim[0];
    if (crease_size(&a->shape) != n * n) return a->data;
    for (ptrdiff_t k = 0; k < n * n; k++)
        if (a->data[k] != (k / n == k % n)) return a->data;
    return NULL;
}

static bool read_kronecker(crs_reader *r, const crs_node *at, const crease_space *dom,
                           crease_map *out, crease_space *range)
{
    static const char *const keys[] = { "left", "right" };
    crs_array left, right;
    crease_matrix_pair *p = crs_keep_new(r, 1, sizeof *p);
    if (!p || !crs_has_keys(r, at, 2, keys) || !matrix_under(r, at, "left", &left, &p->left_cols) ||
        !matrix_under(r, at, "right", &right, &p->right_cols))
        return false;
    p->left = unless_identity(&left), p->left_rows = left.shape.dim[0];
    p->right = unless_identity(&right), p->right_rows = right.shape.dim[0];
    if (crease_size(dom) / p->left_cols != p->right_cols || crease_size(dom) % p->left_cols != 0)
        return crs_fail_at(r, at,
                           "left X right' needs X of %td x %td, but the block has %td entries; "
                           "make them agree",
                           p->left_cols, p->right_cols, crease_size(dom));
    *out = crease_kronecker(p);
    *range = crease_matrix(p->left_rows, p->right_rows);
    return crease_space_check(range, r->e) || crs_blame(r, at);
}

static bool read_low_rank(crs_reader *r, const crs_node *at, const crease_space *dom,
                          crease_map *out, crease_space *range)
{
    static const char *const keys[] = { "u", "v" };
    crs_array u, v;
    ptrdiff_t rank = 0;
    crease_factored_matrix *a = crs_keep_new(r, 1, sizeof *a);
    if (!a || !crs_has_keys(r, at, 2, keys) || !matrix_under(r, at, "u", &u, &a->rank) ||
        !matrix_under(r, at, "v", &v, &rank))
        return false;
    *a = (crease_factored_matrix){ u.shape.dim[0], v.shape.dim[0], a->rank, u.data, v.data };
    if (rank != a->rank || a->cols != crease_size(dom))
        return crs_fail_at(r, at,
                           "u has %td columns and v %td x %td, but the block has %td entries; give "
                           "v as many rows, and u and v equally many columns",
                           a->rank, a->cols, rank, crease_size(dom));
    *out = crease_low_rank(a);
    *range = crease_vector(a->rows);
    return true;
}

static bool read_scaled(crs_reader *r, const crs_node *at, const crease_space *dom, crease_map *out,
                        crease_space *range)
{
    static const char *const keys[] = { "scale", "map" };
    crs_node here, inner;
    double scale;
    crease_map *map = crs_keep_new(r, 1, sizeof *map);
    if (!map || !crs_has_keys(r, at, 2, keys) || !crs_need(r, at, "scale", &here) ||
        !crs_number_at(r, &here, &scale) || !crs_need(r, at, "map", &inner) ||
        !crs_map_at(r, &inner, dom, map, range))
        return false;
    *out = crease_map_scaled(scale, map);
    return true;
}

static bool read_transposed(crs_reader *r, const crs_node *at, const crease_space *dom,
                            crease_map *out, crease_space *range)
{
    static const char *const keys[] = { "map", "shape" };
    crs_node inner, shape;
    crease_space own, whole;
    crease_map *map = crs_keep_new(r, 1, sizeof *map);
    if (!map || !crs_has_keys(r, at, 2, keys) || !crs_need(r, at, "map", &inner) ||
        !crs_need(r, at, "shape", &shape) || !crs_shape_at(r, &shape, &whole) ||
        !crs_map_at(r, &inner, &whole, map, &own) || !crs_same_rows(r, &inner, &own, dom))
        return false;
    if (!crease_map_check(map, &whole, dom, r->e)) return crs_blame(r, &inner);
    *out = crease_transposed(map);
    *range = whole;
    return true;
}

/* A list of maps, and room for their spaces. */
static bool parts_at(crs_reader *r, const crs_node *at, crs_node *maps, crease_map_parts *p,
                     crease_map **map, crease_space **space)
{
    if (!crs_need(r, at, "maps", maps)) return false;
    const size_t n = json_array_size(maps->value);
    if (n < 1) return crs_fail_at(r, maps, "give a list of at least one map");
    *map = crs_keep_new(r, (ptrdiff_t)n, sizeof **map);
    *space = crs_keep_new(r, (ptrdiff_t)n, sizeof **space);
    *p = (crease_map_parts){ (int)n, *map, *space };
    return *map && *space;
}

static bool read_stack(crs_reader *r, const crs_node *at, const crease_space *dom, crease_map *out,
                       crease_space *range)
{
    static const char *const keys[] = { "maps" };
    crs_node maps;
    crease_map *map = NULL;
    crease_space *space = NULL;
    ptrdiff_t rows = 0;
    crease_map_parts *p = crs_keep_new(r, 1, sizeof *p);
    if (!p || !crs_has_keys(r, at, 1, keys) || !parts_at(r, at, &maps, p, &map, &space))
        return false;
    for (int k = 0; k < p->count; k++) {
        const crs_node here = crs_element(&maps, (size_t)k);
        if (!crs_map_at(r, &here, dom, &map[k], &space[k])) return false;
        if (space[k].order == 0)
            return crs_fail_at(r, &here, "the map does not tell its rows; give a matrix");
        if (!crease_map_check(&map[k], dom, &space[k], r->e)) return crs_blame(r, &here);
        if (!crs_add_size(rows, crease_size(&space[k]), &rows))
            return crs_fail_at(r, at, "there are more rows than memory can address");
    }
    *out = crease_stack(p);
    *range = crease_vector(rows);
    return true;
}

static bool read_side_by_side(crs_reader *r, const crs_node *at, const crease_space *dom,
                              crease_map *out, crease_space *range)
{
    static const char *const keys[] = { "maps", "shapes" };
    crs_node maps, shapes;
    crease_map *map = NULL;
    crease_space *space = NULL, own;
    ptrdiff_t entries = 0;
    crease_map_parts *p = crs_keep_new(r, 1, sizeof *p);
    if (!p || !crs_has_keys(r, at, 2, keys) || !parts_at(r, at, &maps, p, &map, &space) ||
        !crs_need(r, at, "shapes", &shapes))
        return false;
    if (json_array_size(shapes.value) != (size_t)p->count)
        return crs_fail_at(r, &shapes, "give a list of %d shapes, one a map", p->count);
    for (int k = 0; k < p->count; k++) {
        const crs_node here = crs_element(&maps, (size_t)k);
        const crs_node shape = crs_element(&shapes, (size_t)k);
        if (!crs_shape_at(r, &shape, &space[k]) || !crs_map_at(r, &here, &space[k], &map[k], &own))
            return false;
        if (range->order == 0) *range = own;
        if (!crs_same_rows(r, &here, &own, range)) return false;
        if (!crs_add_size(entries, crease_size(&space[k]), &entries)) entries = -1;
    }
    if (entries != crease_size(dom))
        return crs_fail_at(r, &shapes, "they have %td entries together and the block %td", entries,
                           crease_size(dom));
    *out = crease_side_by_side(p);
    return true;
}

static bool read_dct(crs_reader *r, const crs_node *at, const crease_space *dom, crease_map *out,
                     crease_space *range)
{
    if (!crs_has_keys(r, at, 0, NULL)) return false;
    crease_cosine *c = crease_cosine_new(dom, r->e);
    if (!c) return crs_blame(r, at);
    if (!crs_keep_until(r, c, free_cosine)) return false;
    *out = crease_dct(c);
    *range = *dom;
    return true;
}

/* The origin in the kernel: given along every axis, or its middle; of a circular one its start. */
static bool read_origin(crs_reader *r, const crs_node *at, crease_kernel *k)
{
    crs_node origin;
    for (int i = 0; i < k->shape.order; i++)
        k->origin[i] = k->circular ? 0 : (k->shape.dim[i] - 1) / 2;
    if (!crs_member(at, "origin", &origin)) return true;
    if (json_array_size(origin.value) != (size_t)k->shape.order)
        return crs_fail_at(r, &origin, "give a list of %d indices, one along each axis",
                           k->shape.order);
    for (int i = 0; i < k->shape.order; i++) {
        const crs_node here = crs_element(&origin, (size_t)i);
        if (!crs_whole_at(r, &here, 0, (double)(k->shape.dim[i] - 1), &k->origin[i])) return false;
    }
    return true;
}

static bool read_convolution(crs_reader *r, const crs_node *at, const crease_space *dom,
                             crease_map *out, crease_space *range)
{
    static const char *const keys[] = { "kernel", "origin" };
    crs_node here;
    crs_array h;
    crease_kernel *k = crs_alloc(1, sizeof *k);
    if (!crs_keep_until(r, k, free_kernel)) return false;
    if (!crs_has_keys(r, at, 2, keys) || !crs_need(r, at, "kernel", &here) ||
        !crs_array_at(r, &here, false, &h))
        return false;
    k->signal = *dom, k->shape = h.shape, k->h = h.data;
    k->circular = strcmp(at->key, "circular-convolution") == 0;
    if (!read_origin(r, at, k)) return false;
    if (!crease_kernel_prepare(k, r->e)) return crs_blame(r, at);
    *out = crease_convolution(k);
    *range = *dom;
    return true;
}

/* {"callback": {"name": "A0", "shape": [3, 4], "norm": 2}}: functions that the job was given. */
static bool read_callback(crs_reader *r, const crs_node *at, const crease_space *dom,
                          crease_map *out, crease_space *range)
{
    static const char *const keys[] = { "name", "shape", "norm" };
    crs_node here;
    const char *name;
    crease_callback_map *c = crs_keep_new(r, 1, sizeof *c);
    if (!c || !crs_has_keys(r, at, 3, keys) || !crs_need(r, at, "name", &here) ||
        !crs_text_at(r, &here, &name))
        return false;
    const crs_memory_function *f = crs_memory_function_of(name);
    if (!f || !f->map)
        return crs_fail_at(r, &here,
                           "'%.60s' is no map of the job; a file has none: build it in C or in "
                           "Python",
                           name);
    *c = *f->map;
    if (crs_member(at, "norm", &here) && !crs_number_at(r, &here, &c->norm_bound)) return false;
    if (!crs_need(r, at, "shape", &here) || !crs_shape_at(r, &here, range)) return false;
    (void)dom;
    *out = crease_map_callback(c);
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
    { "scaled", read_scaled },
    { "transposed", read_transposed },
    { "stack", read_stack },
    { "side-by-side", read_side_by_side },
    { "gradient", read_gradient },
    { "kronecker", read_kronecker },
    { "low-rank", read_low_rank },
    { "dct", read_dct },
    { "circular-convolution", read_convolution },
    { "convolution", read_convolution },
    { "callback", read_callback },
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
