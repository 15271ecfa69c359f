/* SPDX-License-Identifier: MIT
 * file: the tensor of a file as a source. Entries that lie one after the other, as in .npy and in
 * contiguous HDF5, are read where they lie; chunked or packed HDF5 is read by a process that gives
 * slabs (child.h). Other formats, column order and packed files are read as a whole or not at all.
 *
 * Every part that is read is of the file that was opened: another size or time of its last change
 * is an error, not other numbers. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/parallel.h"
#include "io/stream/stream.h"

enum { PIECE = 1 << 22 }; /* bytes between two looks at the watch */

typedef struct {
    char *path, *name; /* "FILE:INNER" as given, and cut before the colon */
    crs_input input;
    crs_asked asked;
    crs_place place;
    crs_decode *feeds;
    crs_feed *feed; /* NULL: not started */
    int fd;
    struct stat begun;
    crease_watch watch;
} file;

static void close_file(void *self)
{
    file *f = self;
    crs_feed_close(f->feed);
    if (f->fd >= 0) close(f->fd);
    crs_free(f->path);
    crs_free(f->name);
    crs_free(f);
}

/* "slab 17 (rows 4352 to 4607) of big.h5: ..." */
static bool fail_slab(const file *f, const crs_slab *s, crease_code code, const char *why,
                      crease_error *e)
{
    return crs_fail(e, code, "slab %td (rows %td to %td) of %.150s: %.250s", s->index, s->from[0],
                    s->from[0] + s->shape.dim[0] - 1, f->input.name, why);
}

static bool same_time(const struct stat *a, const struct stat *b)
{
    return a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

static bool is_same(const file *f, const crs_slab *s, crease_error *e)
{
    struct stat now;
    char why[200];
    if (fstat(f->fd, &now) != 0) return fail_slab(f, s, CREASE_IO, strerror(errno), e);
    if (now.st_size == f->begun.st_size && same_time(&now, &f->begun)) return true;
    snprintf(why, sizeof why,
             "the file has changed while it was read, from %lld to %lld bytes; start again when it "
             "is complete",
             (long long)f->begun.st_size, (long long)now.st_size);
    return fail_slab(f, s, CREASE_IO, why, e);
}

/* n bytes from `at` on */
static bool read_bytes(const file *f, const crs_slab *s, long long at, size_t n, unsigned char *to,
                       crease_error *e)
{
    while (n > 0) {
        const ssize_t now = pread(f->fd, to, n < PIECE ? n : PIECE, (off_t)at);
        if (now < 0 && errno == EINTR) continue;
        if (now < 0) return fail_slab(f, s, CREASE_IO, strerror(errno), e);
        if (now == 0) return fail_slab(f, s, CREASE_IO, "the file ends before its last entry", e);
        if (crease_watch_why(&f->watch) == CREASE_STOPPED) return crs_cut(e, "reading the data");
        at += now;
        to += now;
        n -= (size_t)now;
    }
    return true;
}

/* Narrower numbers come to the end of their place, and are widened from its beginning on: none is
 * written over before it was read. */
static bool load_raw(const file *f, const crs_slab *s, double *out, crease_error *e)
{
    const crs_number *t = &f->place.type;
    const ptrdiff_t n = crease_size(&s->shape);
    unsigned char *to = (unsigned char *)out + n * ((ptrdiff_t)sizeof *out - t->bytes);
    const long long at = f->place.offset + (long long)s->first * t->bytes;
    bool rounded = false;
    if (!read_bytes(f, s, at, (size_t)(n * t->bytes), to, e)) return false;
    crs_numbers(t, n, to, out, &rounded);
    return true;
}

static bool load_fed(file *f, const crs_slab *s, double *out, crease_error *e)
{
    crease_error why;
    if (!f->feed) f->feed = crs_feed_open(f->feeds, &f->input, &f->asked, &why);
    if (f->feed && crs_feed_take(f->feed, s->index, crease_size(&s->shape), out, &why)) return true;
    crs_feed_close(f->feed);
    f->feed = NULL;
    if (why.code == CREASE_CUT) return crs_cut(e, "reading the data");
    return fail_slab(f, s, why.code, why.text, e);
}

static bool load(void *self, const crs_slab *s, double *out, crease_error *e)
{
    file *f = self;
    crease_error changed;
    if (!is_same(f, s, e)) return false;
    const bool done = f->feeds ? load_fed(f, s, out, e) : load_raw(f, s, out, e);
    if (is_same(f, s, &changed)) return done;
    if (e) *e = changed;
    return false;
}

static char *copy_of(const char *text)
{
    const size_t n = strlen(text) + 1;
    char *to = crs_alloc(n, 1);
    if (to) memcpy(to, text, n);
    return to;
}

static bool is_complete(const file *f, crease_error *e)
{
    const double end = (double)f->place.offset +
                       (double)crease_size(&f->place.shape) * (double)f->place.type.bytes;
    return f->feeds || (double)f->begun.st_size >= end ||
           crs_fail(e, CREASE_BAD_DATA,
                    "%.200s is truncated: it ends at byte %lld but its entries take bytes %lld to "
                    "%.0f; copy or write the file again",
                    f->input.name, (long long)f->begun.st_size, f->place.offset, end);
}

/* The file of a path whose place is known; NULL with a sentence. */
static file *open_file(const char *path, const crs_asked *asked, const crs_place *place,
                       crs_decode *feeds, crease_error *e)
{
    const char *inner = crs_inner_of(path);
    long long later;
    file *f = crs_alloc(1, sizeof *f);
    if (f) {
        *f = (file){ .path = copy_of(path), .name = copy_of(path), .place = *place, .fd = -1 };
        if (asked) f->asked = *asked;
        f->feeds = place->access == CRS_PLACE_FED ? feeds : NULL;
        crs_watch_begin(&f->watch, NULL);
        f->asked.watch = &f->watch;
    }
    if (!f || !f->path || !f->name) {
        if (f) close_file(f);
        return crs_fail(e, CREASE_NO_MEMORY, "out of memory: reading %.200s", path), NULL;
    }
    if (inner) f->name[inner - path] = '\0';
    f->input = (crs_input){ .name = f->name, .path = f->name };
    if (inner) f->input.inner = f->path + (inner - path) + 1;
    f->fd = crs_bundle_open(f->name, &later);
    f->place.offset += later;
    if (f->fd >= 0 && fstat(f->fd, &f->begun) == 0) {
        if (is_complete(f, e)) return f;
    } else
        crs_fail(e, CREASE_NO_INPUT, "%.200s cannot be opened: %s", f->name, strerror(errno));
    close_file(f);
    return NULL;
}

/* ---- all of it in memory ---- */

/* The entries of an array as a source, which owns them from now on, also after a failure. */
static crs_source *hold(crs_array *a, const crease_space *shape, bool missing, crease_error *e)
{
    const crease_space as = *shape; /* it may be the array's */
    double *t = NULL;
    if (crs_array_own(a, e)) t = a->data, a->data = NULL;
    crs_source *source = t ? crs_held_open(&as, t, missing, e) : NULL;
    if (!source) crs_array_free(a);
    return source;
}

static bool load_all(file *f, crs_array *out, crease_error *e)
{
    const crs_partition cut = crs_partition_of(&f->place.shape);
    const ptrdiff_t n = crease_size(&cut.shape);
    out->data = crs_doubles(n, "the tensor", e);
    if (!out->data) return false;
    crs_large_pages(out->data, (size_t)n * sizeof *out->data);
    for (ptrdiff_t k = 0; k < cut.count; k++) {
        const crs_slab s = crs_slab_at(&cut, k);
        if (!load(f, &s, out->data + s.first, e)) return false;
        crs_watch_part(f->watch.outer, (double)k + 1, (double)cut.count);
    }
    return true;
}

/* `about` has all but the entries; these come into memory. */
static crs_source *read_all(file *f, const crs_stream_settings *s, crs_array *about,
                            crease_error *e)
{
    crs_watch_begin(&f->watch, s->asked ? (crease_watch *)(uintptr_t)s->asked->watch : NULL);
    const crease_space shape = f->place.shape;
    const bool done = load_all(f, about, e);
    close_file(f);
    if (done) return hold(about, &shape, s->missing, e);
    crs_array_free(about);
    return NULL;
}

/* ---- some rows of a file ---- */

struct crs_row_reader {
    file *f;         /* NULL: everything is in memory, */
    crs_array whole; /* here */
    crease_space shape;
    double *slab; /* of a feed: slab `has` */
    ptrdiff_t has;
};

void crs_row_reader_close(crs_row_reader *r)
{
    if (!r) return;
    if (r->f) close_file(r->f);
    crs_array_free(&r->whole);
    crs_free(r->slab);
    crs_free(r);
}

const crease_space *crs_row_reader_shape(const crs_row_reader *r) { return &r->shape; }

crs_row_reader *crs_row_reader_open(const char *path, const crs_asked *asked, crease_error *e)
{
    crs_array about = { .data = NULL };
    crs_place place;
    const crs_format *format;
    if (!crs_read_place(path, asked, &place, &about, &format, e)) return NULL;
    crs_array_free(&about);
    crs_row_reader *r = crs_alloc(1, sizeof *r);
    if (!r) return crs_fail(e, CREASE_NO_MEMORY, "out of memory: reading %.200s", path), NULL;
    *r = (crs_row_reader){ .has = -1, .shape = place.shape };
    bool done;
    if (place.access == CRS_PLACE_WHOLE || place.reversed) {
        done = crs_read_asked(path, asked, &r->whole, e);
        r->shape = r->whole.shape;
        if (done && !r->whole.data)
            done = crs_fail(e, CREASE_UNSUPPORTED,
                            "%.200s is sparse and is not read in rows; leave out --memory", path);
    } else {
        r->f = open_file(path, asked, &place, format->feed, e);
        done = r->f;
    }
    if (done) return r;
    crs_row_reader_close(r);
    return NULL;
}

/* From slabs of a feed, the last of which stays. */
static bool read_fed(crs_row_reader *r, ptrdiff_t first, ptrdiff_t count, double *out,
                     crease_error *e)
{
    const crs_partition cut = crs_partition_of(&r->shape);
    if (!r->slab) r->slab = crs_doubles(crs_slab_most(&cut), "a slab", e);
    if (!r->slab) return false;
    while (count > 0) {
        const ptrdiff_t k = crs_slab_with(&cut, first);
        const crs_slab s = crs_slab_at(&cut, k);
        const ptrdiff_t from = first - s.first, now = fewer(count, crease_size(&s.shape) - from);
        if (r->has != k && !load(r->f, &s, r->slab, e)) return r->has = -1, false;
        r->has = k;
        copy(now, r->slab + from, out);
        first += now, out += now, count -= now;
    }
    return true;
}

bool crs_row_reader_read(crs_row_reader *r, ptrdiff_t first, ptrdiff_t rows, double *out,
                         crease_error *e)
{
    const bool row = r->shape.dim[0] == 1; /* of numbers */
    const ptrdiff_t width = row ? 1 : crease_size(&r->shape) / r->shape.dim[0];
    crs_slab s = { .first = first * width, .shape = crease_matrix(rows, width) };
    s.from[0] = first;
    if (!r->f) return copy(rows * width, r->whole.data + s.first, out), true;
    if (r->f->feeds) return read_fed(r, s.first, rows * width, out, e);
    const crs_partition cut = crs_partition_of(&r->shape);
    s.index = crs_slab_with(&cut, s.first);
    return load(r->f, &s, out, e);
}

/* ---- the door ---- */

static double bytes_of(const crease_space *shape, bool missing)
{
    return (double)crease_size(shape) * (missing ? 9 : 8);
}

static bool fail_whole(const char *path, const crease_space *shape, const crs_stream_settings *s,
                       crease_error *e)
{
    return crs_fail(e, CREASE_BAD_ARGUMENT,
                    "%.150s cannot be read in parts, and takes %.4g MB of memory as a whole where "
                    "%.4g are allowed; write it in row order first, by crease convert %.60s "
                    "NAME.npy, or allow more",
                    path, bytes_of(shape, s->missing) / 1e6, s->bytes / 1e6, path);
}

/* A format that has no parts. */
static crs_source *open_whole(const char *path, const crs_stream_settings *s, crs_array *about,
                              crease_error *e)
{
    crease_space shape = about->shape;
    if ((shape.order > 0 || crs_read_shape(path, s->asked, &shape)) &&
        bytes_of(&shape, s->missing) > s->bytes)
        return fail_whole(path, &shape, s, e), NULL;
    crs_array_free(about);
    if (!crs_read_asked(path, s->asked, about, e)) return NULL;
    const bool missing = s->missing || about->gaps;
    if (bytes_of(&about->shape, missing) <= s->bytes) return hold(about, &about->shape, missing, e);
    fail_whole(path, &about->shape, s, e);
    crs_array_free(about);
    return NULL;
}

/* The memory that slabs may take: what keeps all threads busy where it is left open. */
static double room_of(const crs_stream_settings *s, const crease_space *shape)
{
    return s->bytes > 0 ? s->bytes : crs_stream_enough(shape, s->missing);
}

static crs_source *open_ring(file *f, const crs_stream_settings *s, crease_error *e)
{
    crs_ring_settings r = { .cut = crs_partition_of(&f->place.shape),
                            .bytes = room_of(s, &f->place.shape),
                            .missing = s->missing,
                            .load = load,
                            .close = close_file,
                            .self = f,
                            .stop = &f->watch };
    const ptrdiff_t parts = s->parts > 1 ? s->parts : 1, part = s->parts > 1 ? s->part : 0;
    r.first = r.cut.count * part / parts;
    r.count = r.cut.count * (part + 1) / parts - r.first;
    return crs_ring_open(&r, e);
}

static crs_source *open_parts(const char *path, const crs_stream_settings *s,
                              const crs_place *place, crs_decode *feeds, crs_array *about,
                              crease_error *e)
{
    file *f = open_file(path, s->asked, place, feeds, e);
    crs_source *source = NULL;
    const double room = room_of(s, &place->shape);
    if (f && s->parts <= 1 && bytes_of(&place->shape, s->missing) <= room)
        return read_all(f, s, about, e);
    if (f) source = open_ring(f, s, e);
    if (!source) crs_array_free(about);
    return source;
}

crs_source *crs_stream_open(const char *path, const crs_stream_settings *s, crease_error *e)
{
    crs_array about;
    crs_place place;
    const crs_format *format;
    crs_source *source = NULL;
    if (s->about) *s->about = (crs_array){ .data = NULL };
    if (crs_read_place(path, s->asked, &place, &about, &format, e))
        source = place.access == CRS_PLACE_WHOLE || (place.reversed && !s->as_stored)
                     ? open_whole(path, s, &about, e)
                     : open_parts(path, s, &place, format->feed, &about, e);
    if (source && s->about)
        *s->about = about;
    else if (source)
        crs_array_free(&about);
    return source;
}

crease_source *crs_stream_hand(const char *path, const crs_stream_settings *s, crease_error *e)
{
    if (!path) return crs_fail(e, CREASE_BAD_ARGUMENT, "the path of the data is NULL"), NULL;
    if (!(s->bytes >= 0))
        return crs_fail(e, CREASE_BAD_ARGUMENT, "%g bytes of memory for slabs; give a number >= 0",
                        s->bytes),
               NULL;
    return crs_source_hand(crs_stream_open(path, s, e), e);
}
