/* SPDX-License-Identifier: MIT
 * npy: NumPy's .npy format: versions 1 to 3, any real item type, byte order and array order are
 * read; version 1, little-endian doubles in C order are written
 *
 *     6 bytes magic, 2 version, 2 or 4 header length (little-endian), header, items
 *
 * The header is a Python dictionary with exactly the keys descr, fortran_order and shape, in any
 * order. */
#define _POSIX_C_SOURCE 200809L
#include <sys/stat.h>

#include "io/formats/io.h"

enum { HEADER_MOST = 65536, CHUNK = 8192 };

static bool size_fits(char kind, int bytes)
{
    const bool whole = bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8;
    return kind == 'f'   ? bytes == 4 || bytes == 8
           : kind == 'b' ? bytes == 1
                         : (kind == 'i' || kind == 'u') && whole;
}

/* "<f8" to a type; false when it is not one that is read here. */
static bool parse_type(const char *descr, crs_npy_type *t)
{
    if (strlen(descr) != 3 || !strchr("<>=|", descr[0])) return false;
    *t = (crs_npy_type){ descr[1], descr[2] - '0', descr[0] == '>' };
    return size_fits(t->kind, t->bytes) && (descr[0] != '|' || t->bytes == 1);
}

static uint64_t bits_of(const crs_npy_type *t, const unsigned char *p)
{
    uint64_t bits = 0;
    for (int k = 0; k < t->bytes; k++) bits = bits << 8 | p[t->big ? k : t->bytes - 1 - k];
    return bits;
}

static double from_float(uint64_t bits, int bytes)
{
    const uint32_t half = (uint32_t)bits;
    float single;
    double whole;
    memcpy(&single, &half, sizeof single);
    memcpy(&whole, &bits, sizeof whole);
    return bytes == 4 ? (double)single : whole;
}

/* Two's complement of any width, through its magnitude. */
static double from_integer(uint64_t bits, int bytes, bool is_signed, bool *rounded)
{
    const uint64_t sign = UINT64_C(1) << (8 * bytes - 1), all = sign | (sign - 1);
    const bool negative = is_signed && (bits & sign);
    const uint64_t magnitude = negative ? (~bits & all) + 1 : bits;
    const double value = (double)magnitude; /* exact unless above 2^53 */
    *rounded = *rounded || (value < 0x1p64 && (uint64_t)value != magnitude) || value >= 0x1p64;
    return negative ? -value : value;
}

/* The number stored at p. *rounded becomes true when a double cannot hold it. */
static double item(const crs_npy_type *t, const unsigned char *p, bool *rounded)
{
    const uint64_t bits = bits_of(t, p);
    if (t->kind == 'f') return from_float(bits, t->bytes);
    if (t->kind == 'b') return bits != 0;
    return from_integer(bits, t->bytes, t->kind == 'i', rounded);
}

/* Is an item the bytes of a double here? */
static bool is_native(const crs_npy_type *t)
{
    const uint16_t one = 1;
    unsigned char first;
    memcpy(&first, &one, 1);
    return t->kind == 'f' && t->bytes == (int)sizeof(double) && t->big == (first == 0);
}

/* Those one after the other at p. */
static void items(const crs_npy_type *t, ptrdiff_t count, const unsigned char *p, double *out,
                  bool *rounded)
{
    if (is_native(t))
        memcpy(out, p, (size_t)count * sizeof *out);
    else
        for (ptrdiff_t k = 0; k < count; k++) out[k] = item(t, p + k * t->bytes, rounded);
}

typedef struct {
    const char *start, *at, *end;
    size_t base; /* the byte of the file at `start` */
    const char *name;
    crease_error *e;
} cursor;

static bool bad(const cursor *c, const char *what)
{
    return crs_fail(c->e, CREASE_BAD_DATA,
                    "%.200s: the .npy header is malformed at byte %zu: %s; write the file again "
                    "with numpy.save",
                    c->name, c->base + (size_t)(c->at - c->start), what);
}

static char peek(cursor *c)
{
    while (c->at < c->end && (*c->at == ' ' || *c->at == '\n' || *c->at == '\t')) c->at++;
    return c->at < c->end ? *c->at : '\0';
}

static bool take(cursor *c, char wanted)
{
    if (peek(c) != wanted) return false;
    c->at++;
    return true;
}

static bool text(cursor *c, char *out, size_t size)
{
    const char quote = peek(c);
    size_t n = 0;
    if (quote != '\'' && quote != '"') return bad(c, "a text in quotes is missing");
    const char *from = ++c->at;
    while (from + n < c->end && from[n] != quote) n++;
    if (from + n == c->end) return bad(c, "a quote is not closed");
    if (n >= size || memchr(from, '\0', n)) return bad(c, "a text is too long");
    memcpy(out, from, n);
    out[n] = '\0';
    c->at = from + n + 1;
    return true;
}

static bool dtype(cursor *c, crs_npy_type *t)
{
    char descr[32] = "structured";
    if (peek(c) != '[' && !text(c, descr, sizeof descr)) return false;
    if (parse_type(descr, t)) return true;
    return crs_fail(c->e, CREASE_BAD_DATA,
                    "%.200s: the type of the items is '%s'; give real numbers of type f4, f8, i1 "
                    "to i8, u1 to u8 or b1, for example by a.astype('f8')",
                    c->name, descr);
}

static bool truth(cursor *c, bool *value)
{
    static const char *const word[] = { "False", "True" };
    peek(c);
    for (int k = 0; k < 2; k++) {
        const size_t n = strlen(word[k]);
        if ((size_t)(c->end - c->at) < n || memcmp(c->at, word[k], n) != 0) continue;
        c->at += n;
        *value = k == 1;
        return true;
    }
    return bad(c, "fortran_order is neither True nor False");
}

static bool dimension(cursor *c, ptrdiff_t *value)
{
    if (!(peek(c) >= '0' && peek(c) <= '9')) return bad(c, "a dimension is not a whole number");
    for (*value = 0; c->at < c->end && *c->at >= '0' && *c->at <= '9'; c->at++) {
        const ptrdiff_t digit = *c->at - '0';
        if (!crs_mul_size(*value, 10, value) || !crs_add_size(*value, digit, value))
            return bad(c, "a dimension is too large");
    }
    return true;
}

static bool shape(cursor *c, crease_space *s)
{
    *s = (crease_space){ .order = 0 };
    if (!take(c, '(')) return bad(c, "the shape is not a tuple");
    while (!take(c, ')')) {
        if (s->order == CREASE_MAX_ORDER)
            return crs_fail(
                c->e, CREASE_BAD_DATA,
                "%.200s: the array has more than %d dimensions (byte %zu); make some of "
                "them one with numpy.reshape",
                c->name, CREASE_MAX_ORDER, c->base + (size_t)(c->at - c->start));
        if (!dimension(c, &s->dim[s->order])) return false;
        s->order++;
        if (peek(c) != ')' && !take(c, ',')) return bad(c, "the shape is not a tuple");
    }
    return true;
}

static bool entry(cursor *c, crs_npy_header *h, unsigned *seen)
{
    static const char *const keys[] = { "descr", "fortran_order", "shape" };
    char key[32];
    unsigned k = 0;
    if (!text(c, key, sizeof key)) return false;
    while (k < 3 && strcmp(key, keys[k]) != 0) k++;
    if (k == 3) return bad(c, "a key is not descr, fortran_order or shape");
    if (*seen & 1u << k) return bad(c, "a key appears twice");
    *seen |= 1u << k;
    if (!take(c, ':')) return bad(c, "a colon is missing");
    return k == 0 ? dtype(c, &h->type) : k == 1 ? truth(c, &h->fortran) : shape(c, &h->shape);
}

static bool usable(const cursor *c, const crease_space *s)
{
    crease_error why;
    if (s->order == 0)
        return crs_fail(c->e, CREASE_BAD_DATA,
                        "%.200s holds a single number without dimensions; give an array of 1 to 8 "
                        "dimensions",
                        c->name);
    for (int n = 0; n < s->order; n++)
        if (s->dim[n] == 0)
            return crs_fail(c->e, CREASE_BAD_DATA,
                            "%.200s holds an empty array (dimension %d is 0); give at least one "
                            "entry",
                            c->name, n + 1);
    return crease_space_check(s, &why) ||
           crs_fail(c->e, CREASE_BAD_DATA, "%.200s: %s", c->name, why.text);
}

/* The n characters of the dictionary; the first is byte `base` of the file. */
static bool parse_header(const char *from, size_t n, size_t base, const char *name,
                         crs_npy_header *h, crease_error *e)
{
    cursor c = { from, from, from + n, base, name, e };
    unsigned seen = 0;
    *h = (crs_npy_header){ .fortran = false };
    if (!take(&c, '{')) return bad(&c, "it does not begin with {");
    while (!take(&c, '}')) {
        if (!entry(&c, h, &seen)) return false;
        if (peek(&c) != '}' && !take(&c, ',')) return bad(&c, "a comma or } is missing");
    }
    peek(&c);
    if (c.at != c.end) return bad(&c, "something follows the closing }");
    if (seen != 7) return bad(&c, "one of descr, fortran_order and shape is missing");
    return usable(&c, &h->shape);
}

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
    const bool done =
        get(in, text, n, "the .npy header") && parse_header(text, n, base, in->name, h, in->e);
    crs_free(text);
    return done;
}

/* Has a plain file as many bytes as its header says? Of a pipe the end will tell. */
static bool is_whole(const source *in, const crs_npy_header *h)
{
    struct stat s;
    const double end = (double)in->at + (double)crease_size(&h->shape) * h->type.bytes;
    if (fstat(fileno(in->f), &s) != 0 || !S_ISREG(s.st_mode) || (double)s.st_size >= end)
        return true;
    return crs_fail(in->e, CREASE_BAD_DATA,
                    "%.200s is truncated: it ends at byte %lld but its items take bytes %zu to "
                    "%.0f; copy or write the file again",
                    in->name, (long long)s.st_size, in->at, end);
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
        items(t, now, raw, out->data + done, &rounded);
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

static bool read_npy(const crs_source *s, const crs_asked *asked, crs_array *out, crease_error *e)
{
    (void)asked; /* there are no names */
    source in = { s->f, s->name, 0, e };
    crs_npy_header h;
    *out = (crs_array){ .data = NULL };
    if (!read_header(&in, &h) || !is_whole(&in, &h)) return false;
    out->shape = h.shape;
    if (!read_items(&in, &h.type, crease_size(&h.shape), out) ||
        (h.fortran && h.shape.order > 1 && !to_row_major(out, e))) {
        crs_array_free(out);
        return false;
    }
    if (!out->notice[0] && fgetc(s->f) != EOF)
        snprintf(out->notice, sizeof out->notice,
                 "%.100s: the bytes after the array, from byte %zu on, were ignored", s->name,
                 in.at);
    return true;
}

bool crs_npy_shape(const char *path, crease_space *s)
{
    crs_npy_header h;
    FILE *f = crs_open(path, NULL);
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
    if (!read_header(&in, &s->header) || !is_whole(&in, &s->header))
        return crs_npy_stream_close(s), false;
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
        items(t, now, raw, out + done, &rounded);
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

/* The dictionary, padded so that the items begin at a multiple of 64 bytes. */
static size_t write_header(const crease_space *s, char *out, size_t size)
{
    size_t n = (size_t)snprintf(out + 10, size - 10,
                                "{'descr': '<f8', 'fortran_order': False, 'shape': (");
    for (int k = 0; k < s->order; k++)
        n += (size_t)snprintf(out + 10 + n, size - 10 - n, "%td,%s", s->dim[k],
                              k + 1 < s->order ? " " : "");
    n += (size_t)snprintf(out + 10 + n, size - 10 - n, "), }");
    const size_t whole = (10 + n + 1 + 63) / 64 * 64;
    memset(out + 10 + n, ' ', whole - 10 - n);
    out[whole - 1] = '\n';
    memcpy(out, "\x93NUMPY\x01\x00", 8);
    out[8] = (char)((whole - 10) & 0xff);
    out[9] = (char)((whole - 10) >> 8);
    return whole;
}

static bool put_items(FILE *f, ptrdiff_t count, const double *data)
{
    unsigned char raw[8192];
    const ptrdiff_t most = (ptrdiff_t)(sizeof raw / 8);
    for (ptrdiff_t done = 0; done < count;) {
        const ptrdiff_t now = count - done < most ? count - done : most;
        for (ptrdiff_t k = 0; k < now; k++) {
            uint64_t bits;
            memcpy(&bits, &data[done + k], sizeof bits);
            for (int b = 0; b < 8; b++) raw[8 * k + b] = (unsigned char)(bits >> (8 * b));
        }
        if (fwrite(raw, 8, (size_t)now, f) != (size_t)now) return false;
        done += now;
    }
    return true;
}

static bool put_pieces(FILE *f, ptrdiff_t count, const crs_pieces *p)
{
    for (ptrdiff_t done = 0; done < count; done += p->room) {
        const ptrdiff_t now = count - done < p->room ? count - done : p->room;
        p->items(p->self, done, now, p->buffer);
        if (!put_items(f, now, p->buffer)) return false;
    }
    return true;
}

static bool put_all(FILE *f, const void *what)
{
    const crs_npy *a = what;
    const ptrdiff_t count = crease_size(a->shape);
    char head[512];
    const size_t n = write_header(a->shape, head, sizeof head);
    return fwrite(head, 1, n, f) == n &&
           (a->pieces ? put_pieces(f, count, a->pieces) : put_items(f, count, a->data));
}

bool crs_write_npy(const char *path, const crs_npy *a, crs_stamp *stamp, crease_error *e)
{
    return crease_space_check(a->shape, e) && crs_write_whole(path, put_all, a, stamp, e);
}

static bool put_item(const char *path, int count, const crs_item *item, crease_error *e)
{
    (void)count; /* one */
    return crs_write_npy(path, &(crs_npy){ item->shape, item->data, item->pieces }, NULL, e);
}

static bool is_npy(const unsigned char *head, size_t n)
{
    return n >= 6 && memcmp(head, "\x93NUMPY", 6) == 0;
}

const crs_format crs_npy_format = {
    .name = "npy",
    .endings = ".npy",
    .text = "an array of NumPy",
    .begins = is_npy,
    .read = read_npy,
    .write = put_item,
};
