/* SPDX-License-Identifier: MIT
 * part: the arrays of a result, however they are stored: a few entries at a time, in order, from
 * all of them or from sparse_entries.npy, a row for each that is not 0 (its place in row order,
 * counted from 0, and its value); the low-rank part from the factors and the core of a Tucker model
 */
#include "io/result/result.h"

static const char *const pairs_file = "sparse_entries.npy";

static bool name_path(const char *folder, const char *name, crs_part *p, crease_error *e)
{
    const int n = snprintf(p->path, sizeof p->path, "%s/%s", folder, name);
    return (n > 0 && n < (int)sizeof p->path) ||
           crs_fail(e, CREASE_BAD_ARGUMENT, "%.100s/%s: the path is too long", folder, name);
}

/* Those that come next, of which there are `left` */
static bool read_pairs(crs_part *p, crease_error *e)
{
    p->used = 0;
    p->held = p->left < CRS_PART_PAIRS ? p->left : CRS_PART_PAIRS;
    return crs_npy_stream_next(&p->file, 2 * p->held, p->some, e);
}

static bool next_pair(crs_part *p, crease_error *e)
{
    const double before = p->pair[0];
    if (p->left == 0) return p->left = -1, p->pair[0] = INFINITY, true;
    if (p->used == p->held && !read_pairs(p, e)) return false;
    copy(2, p->some + 2 * p->used++, p->pair);
    p->left--;
    const double at = p->pair[0];
    return (at > before && at < (double)p->size && at == floor(at)) ||
           crs_fail(e, CREASE_BAD_DATA,
                    "%.200s: a place of an entry is %g; they ascend from 0 on, whole numbers below "
                    "%td",
                    p->path, at, p->size);
}

static bool begin_pairs(crs_part *p, crease_error *e)
{
    p->left = p->file.header.shape.dim[0];
    p->used = p->held = 0;
    p->pair[0] = -1;
    return next_pair(p, e);
}

bool crs_part_open(const char *folder, const char *name, const crease_space *s, crs_part *p,
                   crease_error *e)
{
    *p = (crs_part){ .size = crease_size(s) };
    if (!name_path(folder, name, p, e)) return false;
    if (strcmp(name, "sparse.npy") == 0 && !crs_is_there(p->path)) {
        if (!name_path(folder, pairs_file, p, e)) return false;
        p->pairs = crs_is_there(p->path);
        if (!p->pairs && !name_path(folder, name, p, e)) return false;
    }
    if (!crs_npy_stream_open(p->path, &p->file, e)) return false;
    const crease_space *is = &p->file.header.shape;
    if (p->pairs ? is->order != 2 || is->dim[1] != 2 : !crs_space_refines(is, s))
        return crs_fail(e, CREASE_BAD_SHAPE, "%.200s is not of the shape of the data", p->path);
    return !p->pairs || begin_pairs(p, e);
}

bool crs_part_next(crs_part *p, ptrdiff_t count, double *out, crease_error *e)
{
    const ptrdiff_t end = p->at + count;
    if (!p->pairs) {
        p->at = end;
        return crs_npy_stream_next(&p->file, count, out, e);
    }
    fill(count, 0, out);
    while (p->pair[0] < (double)end) {
        out[(ptrdiff_t)p->pair[0] - p->at] = p->pair[1];
        if (!next_pair(p, e)) return false;
    }
    p->at = end;
    return true;
}

/* The first pair whose place is not before the entry, by halves: places ascend. */
static bool seek_pair(crs_part *p, ptrdiff_t entry, crease_error *e)
{
    const ptrdiff_t all = p->file.header.shape.dim[0];
    ptrdiff_t low = 0, high = entry > 0 ? all : 0;
    while (low < high) {
        const ptrdiff_t middle = low + (high - low) / 2;
        if (!crs_npy_stream_seek(&p->file, 2 * middle, e) ||
            !crs_npy_stream_next(&p->file, 2, p->pair, e))
            return false;
        if (p->pair[0] < (double)entry)
            low = middle + 1;
        else
            high = middle;
    }
    p->left = all - low;
    p->used = p->held = 0;
    p->pair[0] = -1;
    return crs_npy_stream_seek(&p->file, 2 * low, e) && next_pair(p, e);
}

bool crs_part_at(crs_part *p, ptrdiff_t entry, crease_error *e)
{
    if (p->at == entry) return true;
    p->at = entry;
    return p->pairs ? seek_pair(p, entry, e) : crs_npy_stream_seek(&p->file, entry, e);
}

ptrdiff_t crs_part_all_pairs(const crs_part *p)
{
    return p->pairs ? p->file.header.shape.dim[0] : 0;
}

ptrdiff_t crs_part_pairs(const crs_part *p)
{
    if (!p->pairs || p->pair[0] == INFINITY) return crs_part_all_pairs(p);
    return crs_part_all_pairs(p) - p->left - 1;
}

void crs_part_close(crs_part *p) { crs_npy_stream_close(&p->file); }

/* t x_m X for X of rows x columns, t's mode m of length columns with `after` entries below it */
static void mode_product(const double *t, ptrdiff_t before, ptrdiff_t after, const double *X,
                         const ptrdiff_t size[2], double *out)
{
    const ptrdiff_t rows = size[0], columns = size[1];
    fill(before * rows * after, 0, out);
    for (ptrdiff_t b = 0; b < before; b++)
        for (ptrdiff_t i = 0; i < rows; i++)
            for (ptrdiff_t c = 0; c < columns; c++)
                for (ptrdiff_t k = 0; k < after; k++)
                    out[(b * rows + i) * after + k] +=
                        X[i * columns + c] * t[(b * columns + c) * after + k];
}

/* From the last mode to the first. */
double *crs_tucker_expand(const crease_space *rows, const crease_space *ranks, int modes,
                          const double *const *factor, const double *core, crease_error *e)
{
    crease_space s = *ranks;
    double *t = crs_doubles(crease_size(&s), "the low-rank part", e);
    if (t) copy(crease_size(&s), core, t);
    for (int m = modes - 1; t && m >= 0; m--) {
        ptrdiff_t before = 1, after = 1;
        for (int k = 0; k < m; k++) before *= s.dim[k];
        for (int k = m + 1; k < s.order; k++) after *= s.dim[k];
        const ptrdiff_t size[2] = { rows->dim[m], s.dim[m] };
        double *next = crs_doubles(before * size[0] * after, "the low-rank part", e);
        if (next) mode_product(t, before, after, factor[m], size, next);
        crs_free(t);
        t = next;
        s.dim[m] = size[0];
    }
    return t;
}
