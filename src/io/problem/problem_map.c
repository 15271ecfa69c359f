/* SPDX-License-Identifier: MIT
 * problem_map: the linear maps of a problem file that are made from numbers */
#include "io/formats/io.h"
#include "io/problem/problem_maps.h"

bool crs_zero_map_at(crs_reader *r, const crs_node *at, const crease_space *dom, crease_map *out,
                     crease_space *range)
{
    (void)dom, (void)range;
    *out = crease_zero_map();
    return crs_has_keys(r, at, 0, NULL);
}

bool crs_identity_at(crs_reader *r, const crs_node *at, const crease_space *dom, crease_map *out,
                     crease_space *range)
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

bool crs_diagonal_at(crs_reader *r, const crs_node *at, const crease_space *dom, crease_map *out,
                     crease_space *range)
{
    const double *d = NULL;
    if (!crs_filled_at(r, at, dom, false, &d)) return false;
    *out = crease_diagonal(d);
    *range = *dom;
    return true;
}

bool crs_mask_at(crs_reader *r, const crs_node *at, const crease_space *dom, crease_map *out,
                 crease_space *range)
{
    const double *keep = NULL;
    if (!crs_filled_at(r, at, dom, false, &keep)) return false;
    *out = crease_mask(keep);
    *range = *dom;
    return true;
}

bool crs_selection_at(crs_reader *r, const crs_node *at, const crease_space *dom, crease_map *out,
                      crease_space *range)
{
    crease_index_list *l = crs_keep_new(r, 1, sizeof *l);
    if (!l || !crs_indices_at(r, at, (double)(crease_size(dom) - 1), &l->count, &l->index))
        return false;
    *out = crease_selection(l);
    *range = crease_vector(l->count);
    return true;
}

bool crs_difference_at(crs_reader *r, const crs_node *at, const crease_space *dom, crease_map *out,
                       crease_space *range)
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
bool crs_dense_at(crs_reader *r, const crs_node *at, const crease_space *dom, crease_map *out,
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

bool crs_matrix_at(crs_reader *r, const crs_node *at, const crease_space *dom, crease_map *out,
                   crease_space *range)
{
    const char *name = json_string_value(at->value);
    return (name && crs_ends_in(name, ".mtx") ? read_mtx : crs_dense_at)(r, at, dom, out, range);
}
