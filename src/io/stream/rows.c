/* SPDX-License-Identifier: MIT
 * rows: files whose rows belong together, a matrix and vectors beside it, as one table, read a few
 * rows at a time; and that table as a source of slabs */
#include "core/parallel.h"
#include "io/stream/stream.h"

enum { CHUNK = 1 << 17 }; /* entries that are read at once */

struct crs_joined {
    int files;
    crs_row_reader *reader[CRS_JOINED];
    crs_entries_hash hash[CRS_JOINED];
    bool hashes;
    ptrdiff_t hashed;      /* rows in the hashes */
    ptrdiff_t n, p, width; /* p of the first file */
    ptrdiff_t chunk;       /* rows */
    double *part;
};

void crs_joined_close(crs_joined *r)
{
    if (!r) return;
    for (int k = 0; k < r->files; k++) crs_row_reader_close(r->reader[k]);
    crs_free(r->part);
    crs_free(r);
}

/* n numbers, in a row or a column */
static bool is_vector(const crease_space *s, ptrdiff_t n)
{
    return crease_size(s) == n &&
           (s->order == 1 || (s->order == 2 && (s->dim[0] == 1 || s->dim[1] == 1)));
}

static bool check_shapes(crs_joined *r, const crs_joining *j, crease_error *e)
{
    const crease_space *x = crs_row_reader_shape(r->reader[0]);
    if (x->order > 2)
        return crs_fail(e, CREASE_BAD_SHAPE,
                        "%.150s has %d dimensions; X is a matrix, a row for each entry of y",
                        j->path[0], x->order);
    r->n = x->dim[0];
    r->p = x->order == 2 ? x->dim[1] : 1;
    r->width = r->p + r->files - 1;
    r->chunk = more(1, CHUNK / r->width);
    for (int k = 1; k < r->files; k++) {
        const crease_space *s = crs_row_reader_shape(r->reader[k]);
        if (!is_vector(s, r->n))
            return crs_fail(e, CREASE_BAD_SHAPE,
                            "%.120s has %td rows but %.120s has %td numbers; give one number per "
                            "row",
                            j->path[0], r->n, j->path[k], crease_size(s));
    }
    return true;
}

crs_joined *crs_joined_open(const crs_joining *j, crease_error *e)
{
    crs_joined *r = crs_alloc(1, sizeof *r);
    if (!r) return crs_fail(e, CREASE_NO_MEMORY, "out of memory: reading rows"), NULL;
    bool done = true;
    r->hashes = j->hashed;
    for (; done && r->files < j->files; r->files += done) {
        const crs_asked plain = { .watch = j->asked.watch };
        r->reader[r->files] =
            crs_row_reader_open(j->path[r->files], r->files == 0 ? &j->asked : &plain, e);
        done = r->reader[r->files];
    }
    done = done && check_shapes(r, j, e);
    if (done) r->part = crs_doubles(r->chunk * r->p, "a few rows", e);
    for (int k = 0; done && k < r->files; k++)
        crs_array_hash_begin(&r->hash[k], crs_row_reader_shape(r->reader[k]), false);
    if (r->part) return r;
    crs_joined_close(r);
    return NULL;
}

crease_space crs_joined_shape(const crs_joined *r) { return crease_matrix(r->n, r->width); }

const crease_space *crs_joined_part(const crs_joined *r, int file)
{
    return crs_row_reader_shape(r->reader[file]);
}

static bool read_chunk(crs_joined *r, ptrdiff_t first, ptrdiff_t rows, double *out, crease_error *e)
{
    for (int k = 0; k < r->files; k++) {
        const ptrdiff_t own = k == 0 ? r->p : 1, at = k == 0 ? 0 : r->p + k - 1;
        if (!crs_row_reader_read(r->reader[k], first, rows, r->part, e)) return false;
        if (r->hashes && r->hashed == first) crs_array_hash_add(&r->hash[k], rows * own, r->part);
        for (ptrdiff_t i = 0; i < rows; i++) copy(own, r->part + i * own, out + i * r->width + at);
    }
    if (r->hashed == first) r->hashed += rows;
    return true;
}

bool crs_joined_read(crs_joined *r, ptrdiff_t first, ptrdiff_t rows, double *out, crease_error *e)
{
    for (ptrdiff_t i = 0; i < rows; i += r->chunk)
        if (!read_chunk(r, first + i, fewer(r->chunk, rows - i), out + i * r->width, e))
            return false;
    return true;
}

bool crs_joined_rest(crs_joined *r, crease_error *e)
{
    double *out = crs_doubles(r->chunk * r->width, "a few rows", e);
    bool done = out;
    while (done && r->hashed < r->n)
        done = read_chunk(r, r->hashed, fewer(r->chunk, r->n - r->hashed), out, e);
    crs_free(out);
    return done;
}

void crs_joined_hash(crs_joined *r, int file, char hash[CRS_HASH])
{
    crs_hash_slabs(&r->hash[file].all, r->hash[file].several, hash);
}

static bool load(void *self, const crs_slab *slab, double *out, crease_error *e)
{
    return crs_joined_read(self, slab->from[0], slab->shape.dim[0], out, e);
}

static void close_joined(void *self) { crs_joined_close(self); }

static crs_source *read_all(crs_joined *r, const crease_space *shape, crease_error *e)
{
    double *t = crs_doubles(crease_size(shape), "the rows", e);
    if (t) crs_large_pages(t, (size_t)crease_size(shape) * sizeof *t);
    const bool done = t && crs_joined_read(r, 0, shape->dim[0], t, e);
    crs_joined_close(r);
    if (done) return crs_held_open(shape, t, false, e);
    crs_free(t);
    return NULL;
}

crs_source *crs_joined_source(const crs_joining *j, const crs_stream_settings *s, crease_error *e)
{
    crs_joined *r = crs_joined_open(j, e);
    if (!r) return NULL;
    const crease_space shape = crs_joined_shape(r);
    const double all = 8 * (double)crease_size(&shape);
    if (s->parts <= 1 && all <= s->bytes) return read_all(r, &shape, e);
    const ptrdiff_t parts = s->parts > 1 ? s->parts : 1, part = s->parts > 1 ? s->part : 0;
    crs_ring_settings ring = { .cut = crs_partition_of(&shape),
                               .bytes = s->bytes > 0 ? s->bytes : crs_stream_enough(&shape, false),
                               .load = load,
                               .close = close_joined,
                               .self = r };
    ring.first = ring.cut.count * part / parts;
    ring.count = ring.cut.count * (part + 1) / parts - ring.first;
    return crs_ring_open(&ring, e);
}
