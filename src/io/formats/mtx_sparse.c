/* SPDX-License-Identifier: MIT
 * mtx_sparse: entries in any order to compressed sparse rows, by counting */
#include "io/formats/mtx.h"

void crs_mtx_free(crs_mtx *m)
{
    crs_free(m->value);
    crs_free(m->start);
    crs_free(m->col);
    *m = (crs_mtx){ .value = NULL };
}

/* Puts one entry where its row goes on. */
static void put(crs_mtx *m, ptrdiff_t *next, ptrdiff_t i, ptrdiff_t j, double v)
{
    m->col[next[i]] = j;
    m->value[next[i]++] = v;
}

static void sort(ptrdiff_t count, const double *triple, bool mirrored, crs_mtx *m, ptrdiff_t *next)
{
    for (ptrdiff_t k = 0; k < count; k++) {
        const ptrdiff_t i = (ptrdiff_t)triple[3 * k], j = (ptrdiff_t)triple[3 * k + 1];
        m->start[i + 1]++;
        if (mirrored && i != j) m->start[j + 1]++;
    }
    for (ptrdiff_t i = 0; i < m->rows; i++) m->start[i + 1] += m->start[i], next[i] = m->start[i];
    for (ptrdiff_t k = 0; k < count; k++) {
        const ptrdiff_t i = (ptrdiff_t)triple[3 * k], j = (ptrdiff_t)triple[3 * k + 1];
        put(m, next, i, j, triple[3 * k + 2]);
        if (mirrored && i != j) put(m, next, j, i, triple[3 * k + 2]);
    }
}

bool crs_mtx_sort(ptrdiff_t count, const double *triple, bool mirrored, crs_mtx *out,
                  crease_error *e)
{
    const ptrdiff_t most = mirrored ? 2 * count : count;
    if (out->rows > 1000000 && out->rows / 64 > count) /* a few bytes must not claim it all */
        return crs_fail(e, CREASE_BAD_DATA,
                        "a sparse matrix has %td rows but only %td entries; leave empty rows out",
                        out->rows, count);
    out->start = crs_alloc((size_t)out->rows + 1, sizeof *out->start);
    out->col = crs_alloc((size_t)most, sizeof *out->col);
    out->value = crs_alloc((size_t)most, sizeof *out->value);
    ptrdiff_t *next = crs_alloc((size_t)out->rows, sizeof *next);
    const bool room = out->start && out->col && out->value && next;
    if (room) sort(count, triple, mirrored, out, next);
    crs_free(next);
    return room ||
           crs_fail(e, CREASE_NO_MEMORY, "out of memory: a sparse matrix of %td entries", most);
}

bool crs_mtx_expand(const char *name, crs_mtx *m, crease_error *e)
{
    static const ptrdiff_t most = 100000000;
    if (!m->sparse) return true;
    if (m->rows > most / m->cols)
        return crs_fail(e, CREASE_BAD_DATA,
                        "%.200s is a sparse %td x %td matrix, too large to write out; use it as a "
                        "linear map",
                        name, m->rows, m->cols);
    double *all = crs_doubles(m->rows * m->cols, "a matrix", e);
    if (!all) return false;
    for (ptrdiff_t i = 0; i < m->rows; i++)
        for (ptrdiff_t k = m->start[i]; k < m->start[i + 1]; k++)
            all[i * m->cols + m->col[k]] += m->value[k];
    const ptrdiff_t rows = m->rows, cols = m->cols;
    crs_mtx_free(m);
    *m = (crs_mtx){ .rows = rows, .cols = cols, .value = all };
    return true;
}
