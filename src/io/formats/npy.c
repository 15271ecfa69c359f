/* SPDX-License-Identifier: MIT
 * npy: reads NumPy's .npy format, versions 1 to 3, any real item type, byte order and array order
 *
 *     6 bytes magic, 2 version, 2 or 4 header length (little-endian), header, items */
#define _POSIX_C_SOURCE 200809L
#include <sys/stat.h>

#include "io/formats/npy.h"

enum { HEADER_MOST = 65536, CHUNK = 8192 };

typedef struct {
    FILE *f;
    const char *name;
    size_t at; /* bytes consumed */
    crease_error *e;
} source;

/* Exactly n bytes; `what` they are stands in the sentence. */
static bool get(source *in, void *to, size_t n, const char *what)
{
    const size_t from = in->at, got = fread(to, 1, n, in->f);
    in->at += got;
    if (got == n) return true;
    if (ferror(in->f)) return crs_fail_read(in->name, in->at, in->e);
    return crs_fail(in->e, CREASE_BAD_DATA,
                    "%.200s is truncated: it ends at byte %zu but %s takes bytes %zu to %zu; copy "
                    "or write the file again",
                    in->name, in->at, what, from, from + n);
}

static bool header_length(source *in, size_t *length)
{
    static const unsigned char magic[6] = { 0x93, 'N', 'U', 'M', 'P', 'Y' };
    unsigned char b[8];
    if (!get(in, b, sizeof b, "the .npy magic string and version")) return false;
    if (memcmp(b, magic, sizeof magic) != 0)
        return crs_fail(in->e, CREASE_BAD_DATA,
                        "%.200s is not a .npy file: its first 6 bytes are not the magic string; "
                        "write it with numpy.save",
                        in->name);
    if (b[6] < 1 || b[6] > 3)
        return crs_fail(in->e, CREASE_BAD_DATA,
                        "%.200s is of .npy version %d.%d (byte 6); versions 1 to 3 are read",
                        in->name, b[6], b[7]);
    const size_t width = b[6] == 1 ? 2 : 4;
    if (!get(in, b, width, "the length of the .npy header")) return false;
    *length = (size_t)b[0] | (size_t)b[1] << 8;
    if (width == 4) *length |= (size_t)b[2] << 16 | (size_t)b[3] << 24;
    if (*length <= HEADER_MOST) return true;
    return crs_fail(in->e, CREASE_BAD_DATA,
                    "%.200s: the .npy header claims %zu bytes (byte 8); at most %d are read",
                    in->name, *length, HEADER_MOST);
}

static bool read_header(source *in, crs_npy_header *h)
{
    size_t n = 0;
    if (!header_length(in, &n)) return false;
    const size_t base = in->at;
    char *text = crs_alloc(n, 1);
    if (!text)
        return crs_fail(in->e, CREASE_NO_MEMORY, "out of memory: a .npy header of %zu bytes", n);
    const bool done = get(in, text, n, "the .npy header") &&
                      crs_npy_header_parse(text, n, base, in->name, h, in->e);
    crs_free(text);
    return done;
}

static bool read_items(source *in, const crs_npy_type *t, ptrdiff_t count, crs_array *out)
{
    unsigned char raw[CHUNK];
    ptrdiff_t room = 0;
    bool rounded = false;
    for (ptrdiff_t done = 0; done < count;) {
        const ptrdiff_t left = count - done, most = CHUNK / t->bytes;
        const ptrdiff_t now = left < most ? left : most;
        if (!get(in, raw, (size_t)(now * t->bytes), "a part of the items")) return false;
        if (!crs_grow(&out->data, &room, done + now, count, in->e)) return false;
        crs_npy_items(t, now, raw, out->data + done, &rounded);
        done += now;
    }
    if (rounded)
        snprintf(out->notice, sizeof out->notice,
                 "%.100s: integers beyond 2^53 were rounded to the nearest double", in->name);
    return true;
}

/* The entries of a column-major array in row-major order, `to` from `from`. */
static void reorder(const crease_space *s, const double *from, double *to)
{
    ptrdiff_t index[CREASE_MAX_ORDER] = { 0 }, stride[CREASE_MAX_ORDER] = { 1 }, at = 0;
    const ptrdiff_t count = crease_size(s);
    for (int n = 1; n < s->order; n++) stride[n] = stride[n - 1] * s->dim[n - 1];
    for (ptrdiff_t k = 0; k < count; k++) {
        to[k] = from[at];
        int n = s->order - 1;
        for (; n > 0 && index[n] + 1 == s->dim[n]; n--) {
            at -= index[n] * stride[n];
            index[n] = 0;
        }
        index[n]++;
        at += stride[n];
    }
}

static bool to_row_major(crs_array *a, crease_error *e)
{
    double *ordered = crs_doubles(crease_size(&a->shape), "an array in column order", e);
    if (!ordered) return false;
    reorder(&a->shape, a->data, ordered);
    crs_free(a->data);
    a->data = ordered;
    return true;
}

bool crs_read_npy(FILE *f, const char *name, crs_array *out, crease_error *e)
{
    source in = { f, name, 0, e };
    crs_npy_header h;
    *out = (crs_array){ .data = NULL };
    if (!read_header(&in, &h)) return false;
    out->shape = h.shape;
    if (!read_items(&in, &h.type, crease_size(&h.shape), out) ||
        (h.fortran && h.shape.order > 1 && !to_row_major(out, e))) {
        crs_array_free(out);
        return false;
    }
    if (!out->notice[0] && fgetc(f) != EOF)
        snprintf(out->notice, sizeof out->notice,
                 "%.100s: the bytes after the array, from byte %zu on, were ignored", name, in.at);
    return true;
}

bool crs_npy_shape(const char *path, crease_space *s)
{
    crs_npy_header h;
    struct stat kind;
    if (stat(path, &kind) != 0 || !S_ISREG(kind.st_mode)) return false; /* a pipe is read once */
    FILE *f = fopen(path, "rb");
    if (!f) return false;
    source in = { f, path, 0, NULL };
    const bool done = read_header(&in, &h);
    fclose(f);
    if (done) *s = h.shape;
    return done;
}

bool crs_npy_stream_open(const char *path, crs_npy_stream *s, crease_error *e)
{
    *s = (crs_npy_stream){ .path = path, .f = crs_open(path, e) };
    source in = { s->f, path, 0, e };
    if (!s->f) return false;
    if (!read_header(&in, &s->header)) return crs_npy_stream_close(s), false;
    s->at = in.at;
    if (!s->header.fortran || s->header.shape.order < 2) return true;
    crs_npy_stream_close(s);
    return crs_fail(e, CREASE_BAD_DATA, "%.200s is in column order; write it in row order", path);
}

bool crs_npy_stream_next(crs_npy_stream *s, ptrdiff_t count, double *out, crease_error *e)
{
    unsigned char raw[CHUNK];
    source in = { s->f, s->path, s->at, e };
    const crs_npy_type *t = &s->header.type;
    bool rounded;
    for (ptrdiff_t done = 0; done < count;) {
        const ptrdiff_t left = count - done, most = CHUNK / t->bytes;
        const ptrdiff_t now = left < most ? left : most;
        if (!get(&in, raw, (size_t)(now * t->bytes), "a part of the items")) return false;
        crs_npy_items(t, now, raw, out + done, &rounded);
        done += now;
    }
    s->at = in.at;
    return true;
}

void crs_npy_stream_close(crs_npy_stream *s)
{
    if (s->f) fclose(s->f);
    s->f = NULL;
}
