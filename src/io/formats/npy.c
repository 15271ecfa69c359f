/* SPDX-License-Identifier: MIT
 * npy: NumPy's .npy format: versions 1 to 3, any real item type, byte order and array order are
 * read, and of records the field that is named; version 1, little-endian numbers in C order are
 * written
 *
 *     6 bytes magic, 2 version, 2 or 4 header length (little-endian), header, items
 *
 * The header is a Python dictionary with exactly the keys descr, fortran_order and shape, in any
 * order. */
#define _POSIX_C_SOURCE 200809L /* fseeko */
#include <errno.h>
#include <sys/types.h>

#include "io/formats/io.h"

enum { HEADER_MOST = 65536, FIELDS = 64, RECORD_MOST = 8192 };

/* A field of a record; an array without fields is one without a name. */
typedef struct {
    char name[64], type[16];
    crs_number number; /* bytes 0: it holds something else */
    ptrdiff_t bytes, offset;
    crease_space sub; /* an array in every record; order 0: a number */
} field;

typedef struct {
    field field[FIELDS];
    int fields;
    ptrdiff_t record;
    bool fortran;
    crease_space shape;
} header;

static bool size_fits(char kind, int bytes)
{
    const bool whole = bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8;
    return kind == 'f'   ? bytes == 2 || bytes == 4 || bytes == 8
           : kind == 'b' ? bytes == 1
                         : (kind == 'i' || kind == 'u') && whole;
}

/* "<f8" to its bytes and, where it is a real number, to that; false: it is no type at all. */
static bool parse_type(const char *descr, field *f)
{
    static const char kinds[] = "fiubcSaUVmM";
    long n = 0;
    if (!descr[0] || !strchr("<>=|", descr[0]) || !descr[1] || !strchr(kinds, descr[1]))
        return false;
    for (const char *c = descr + 2; *c; c++) {
        if (*c < '0' || *c > '9' || c - descr > 8) return *c == '['; /* a unit of time */
        n = 10 * n + (*c - '0');
    }
    f->bytes = descr[1] == 'U' ? 4 * n : n;
    if (size_fits(descr[1], (int)n) && (descr[0] != '|' || n == 1))
        f->number = (crs_number){ descr[1], (int)n, descr[0] == '>' };
    return true;
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

static bool fail_type(const cursor *c, const char *descr)
{
    return crs_fail(c->e, CREASE_BAD_DATA,
                    "%.200s: the type of the items is '%s'; give real numbers of type f2, f4, f8, "
                    "i1 to i8, u1 to u8 or b1, for example by a.astype('f8')",
                    c->name, descr);
}

static bool shape(cursor *c, crease_space *s);

/* "<f8", after the name of a field. */
static bool type_of(cursor *c, header *h, field *f)
{
    char descr[32] = "nested";
    if (peek(c) != '[' && !text(c, descr, sizeof descr)) return false;
    if (!parse_type(descr, f)) return fail_type(c, descr);
    snprintf(f->type, sizeof f->type, "%.15s", descr);
    f->offset = h->record;
    return true;
}

/* ('a', '<f8') or ('a', '<f8', (2, 3)), whose name may be ('title', 'a') */
static bool one_field(cursor *c, header *h)
{
    ptrdiff_t count = 1;
    if (h->fields == FIELDS) return bad(c, "a record has more than 64 fields");
    field *f = &h->field[h->fields++];
    *f = (field){ .bytes = 0 };
    if (!take(c, '(')) return bad(c, "a field is not a tuple");
    const bool titled = take(c, '(');
    if (titled && (!text(c, f->name, sizeof f->name) || !take(c, ',')))
        return bad(c, "a name is wrong");
    if (!text(c, f->name, sizeof f->name) || (titled && !take(c, ')')) || !take(c, ','))
        return bad(c, "a field has no type");
    if (!type_of(c, h, f)) return false;
    if (take(c, ',') && peek(c) == '(' && !shape(c, &f->sub)) return false;
    if (!take(c, ')')) return bad(c, "a field does not end");
    for (int n = 0; n < f->sub.order; n++)
        if (!crs_mul_size(count, f->sub.dim[n], &count)) return bad(c, "a field is too large");
    if (count > RECORD_MOST || (h->record += count * f->bytes) > RECORD_MOST)
        return bad(c, "a record has more than 8192 bytes");
    return true;
}

static bool dtype(cursor *c, header *h)
{
    h->fields = 0;
    h->record = 0;
    if (peek(c) != '[') {
        field *f = &h->field[h->fields++];
        *f = (field){ .bytes = 0 };
        if (!type_of(c, h, f)) return false;
        h->record = f->bytes;
        return f->bytes <= RECORD_MOST || bad(c, "an item has more than 8192 bytes");
    }
    take(c, '[');
    while (!take(c, ']')) {
        if (!one_field(c, h)) return false;
        if (peek(c) != ']' && !take(c, ',')) return bad(c, "a comma or ] is missing");
    }
    return h->fields > 0 || bad(c, "a record has no field");
}

static bool entry(cursor *c, header *h, unsigned *seen)
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
    return k == 0 ? dtype(c, h) : k == 1 ? truth(c, &h->fortran) : shape(c, &h->shape);
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
static bool parse_header(const char *from, size_t n, size_t base, const char *name, header *h,
                         crease_error *e)
{
    cursor c = { from, from, from + n, base, name, e };
    unsigned seen = 0;
    h->fortran = false;
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

static bool header_length(crs_bytes *in, size_t *length)
{
    static const unsigned char magic[6] = { 0x93, 'N', 'U', 'M', 'P', 'Y' };
    unsigned char b[8];
    if (!crs_bytes_get(in, b, sizeof b, "the .npy magic string and version")) return false;
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
    if (!crs_bytes_get(in, b, width, "the length of the .npy header")) return false;
    *length = (size_t)b[0] | (size_t)b[1] << 8;
    if (width == 4) *length |= (size_t)b[2] << 16 | (size_t)b[3] << 24;
    if (*length <= HEADER_MOST) return true;
    return crs_fail(in->e, CREASE_BAD_DATA,
                    "%.200s: the .npy header claims %zu bytes (byte 8); at most %d are read",
                    in->name, *length, HEADER_MOST);
}

static bool read_header(crs_bytes *in, header *h)
{
    size_t n = 0;
    if (!header_length(in, &n)) return false;
    const size_t base = in->at;
    char *text = crs_alloc(n, 1);
    if (!text)
        return crs_fail(in->e, CREASE_NO_MEMORY, "out of memory: a .npy header of %zu bytes", n);
    const bool done = crs_bytes_get(in, text, n, "the .npy header") &&
                      parse_header(text, n, base, in->name, h, in->e);
    crs_free(text);
    return done;
}

/* The fields that hold real numbers, as "a, b or c". */
static void names_of(const header *h, char *out, size_t size)
{
    size_t used = 0;
    out[0] = '\0';
    for (int k = 0; k < h->fields && used < size; k++)
        if (h->field[k].number.bytes)
            used += (size_t)snprintf(out + used, size - used, "%s%s", used ? ", " : "",
                                     h->field[k].name);
}

/* The field that is asked for, or the only one with numbers. */
static const field *find(const header *h, const crs_bytes *in, const char *inner)
{
    const field *found = NULL;
    int numeric = 0;
    char all[200];
    for (int k = 0; k < h->fields; k++) {
        const field *f = &h->field[k];
        if (inner ? strcmp(f->name, inner) == 0 : f->number.bytes > 0) found = f, numeric++;
    }
    const cursor c = { .name = in->name, .e = in->e };
    if (found && !found->number.bytes) return fail_type(&c, found->type), NULL;
    if (numeric == 1) return found;
    if (h->fields == 1 && !inner) return fail_type(&c, h->field[0].type), NULL;
    if (h->fields == 1 && !h->field[0].name[0])
        return crs_fail(in->e, CREASE_BAD_ARGUMENT, "%.150s holds one array; leave :%.60s out",
                        in->name, inner),
               NULL;
    names_of(h, all, sizeof all);
    crs_fail(in->e, inner ? CREASE_NO_INPUT : CREASE_BAD_DATA,
             "%.150s %s%.60s%s; write FILE:FIELD with one of the fields %s", in->name,
             inner ? "has no field '" : "holds records", inner ? inner : "", inner ? "'" : "",
             all[0] ? all : "(none is a number)");
    return NULL;
}

/* Where its numbers are, and the shape they have: that of the array, then that of the field. */
static bool take_field(const header *h, const field *f, const crs_bytes *in, crs_npy_header *out)
{
    *out = (crs_npy_header){ .fortran = h->fortran && h->shape.order > 1, .shape = h->shape };
    out->record =
        (crs_record){ .type = f->number, .bytes = h->record, .offset = f->offset, .each = 1 };
    for (int n = 0; n < f->sub.order; n++) {
        if (out->shape.order == CREASE_MAX_ORDER)
            return crs_fail(in->e, CREASE_BAD_DATA, "%.200s: the array has more than %d dimensions",
                            in->name, CREASE_MAX_ORDER);
        out->shape.dim[out->shape.order++] = f->sub.dim[n];
        out->record.each *= f->sub.dim[n];
    }
    if (out->fortran && f->sub.order > 0)
        return crs_fail(in->e, CREASE_BAD_DATA,
                        "%.200s holds arrays in records in column order; write it in row order",
                        in->name);
    const cursor c = { .name = in->name, .e = in->e };
    return usable(&c, &out->shape);
}

static bool read_about(crs_bytes *in, const char *inner, crs_npy_header *out)
{
    header h;
    const field *f = read_header(in, &h) ? find(&h, in, inner) : NULL;
    return f && take_field(&h, f, in, out) && crs_bytes_hold(in, &h.shape, h.record);
}

static bool place_npy(const crs_input *s, const crs_asked *asked, crs_place *out, crs_array *about,
                      crease_error *e)
{
    crs_bytes in = { s->f, s->name, 0, e, NULL };
    crs_npy_header h;
    (void)asked;
    if (!read_about(&in, s->inner, &h)) return false;
    *out = (crs_place){ .shape = h.shape, .type = h.record.type, .offset = (long long)in.at };
    if (h.record.bytes == h.record.type.bytes) out->access = CRS_PLACE_RAW;
    out->reversed = h.fortran;
    for (int n = 0; h.fortran && n < h.shape.order; n++)
        out->shape.dim[n] = h.shape.dim[h.shape.order - 1 - n];
    about->shape = h.shape;
    return true;
}

static bool read_npy(const crs_input *s, const crs_asked *asked, crs_array *out, crease_error *e)
{
    crs_bytes in = { s->f, s->name, 0, e, asked ? asked->watch : NULL };
    crs_npy_header h;
    *out = (crs_array){ .data = NULL };
    if (!read_about(&in, s->inner, &h) || !crs_memory_holds(s->name, &h.shape, e)) return false;
    out->shape = h.shape;
    const ptrdiff_t count = crease_size(&h.shape) / h.record.each;
    if (!crs_records_read(&in, &h.record, count, out) || (h.fortran && !crs_row_order(out, e))) {
        crs_array_free(out);
        return false;
    }
    if (!out->notice[0] && fgetc(s->f) != EOF)
        snprintf(out->notice, sizeof out->notice,
                 "%.100s: the bytes after the array, from byte %zu on, were ignored", s->name,
                 in.at);
    if (ferror(s->f)) return crs_array_free(out), crs_fail_read(s->name, in.at, e);
    return true;
}

static bool list_npy(const crs_input *s, crs_listing *out, crease_error *e)
{
    crs_bytes in = { s->f, s->name, 0, e, NULL };
    header h;
    if (!read_header(&in, &h)) return false;
    for (int k = 0; k < h.fields; k++) {
        crs_npy_header about;
        crs_inside m = { .shape = h.shape };
        const field *f = &h.field[k];
        if (take_field(&h, f, &in, &about)) m.shape = about.shape;
        snprintf(m.name, sizeof m.name, "%s", f->name);
        snprintf(m.type, sizeof m.type, "%s", f->type);
        if (!crs_listing_add(out, &m, e)) return false;
    }
    return true;
}

/* A code point as UTF-8, its bytes added to *n; what is none becomes U+FFFD. */
static void put_point(uint64_t u, char *out, size_t *n)
{
    if (u > 0x10FFFF || (u >= 0xD800 && u < 0xE000)) u = 0xFFFD;
    const int more = u < 0x80 ? 0 : u < 0x800 ? 1 : u < 0x10000 ? 2 : 3;
    static const unsigned lead[] = { 0, 0xC0, 0xE0, 0xF0 };
    out[(*n)++] = (char)(lead[more] | (unsigned)(u >> (6 * more)));
    for (int k = more - 1; k >= 0; k--) out[(*n)++] = (char)(0x80 | (u >> (6 * k) & 0x3F));
}

/* A word of `bytes` bytes, of 4 each with 'U', up to the first zero; text has room for it. */
static void word_of(const field *f, const unsigned char *p, char *text)
{
    const int width = f->type[1] == 'U' ? 4 : 1;
    size_t n = 0;
    for (ptrdiff_t k = 0; k < f->bytes; k += width) {
        const uint64_t u = crs_number_bits(width, f->type[0] == '>', p + k);
        if (u == 0) break;
        if (width == 4)
            put_point(u, text, &n);
        else
            text[n++] = (char)u;
    }
    text[n] = '\0';
}

static bool read_words(crs_bytes *in, const header *h, ptrdiff_t count, char **word)
{
    unsigned char raw[RECORD_MOST];
    char text[RECORD_MOST + 1];
    for (ptrdiff_t k = 0; k < count; k++) {
        if (!crs_bytes_get(in, raw, (size_t)h->record, "a word")) return false;
        word_of(&h->field[0], raw, text);
        const size_t n = strlen(text) + 1;
        word[k] = crs_alloc(n, 1);
        if (!word[k]) return crs_fail(in->e, CREASE_NO_MEMORY, "out of memory: labels");
        memcpy(word[k], text, n);
    }
    return true;
}

bool crs_npy_words(const crs_input *s, ptrdiff_t count, char **word, crease_error *e)
{
    crs_bytes in = { s->f, s->name, 0, e, NULL };
    header h;
    if (!read_header(&in, &h)) return false;
    if (h.fields != 1 || !strchr("SaU", h.field[0].type[1]) || h.shape.order != 1 ||
        h.shape.dim[0] != count)
        return crs_fail(e, CREASE_BAD_DATA, "%.200s does not hold %td words", s->name, count);
    return read_words(&in, &h, count, word);
}

void crs_words_free(ptrdiff_t count, char **word)
{
    for (ptrdiff_t k = 0; word && k < count; k++) crs_free(word[k]);
    crs_free(word);
}

bool crs_npy_stream_open(const char *path, crs_npy_stream *s, crease_error *e)
{
    *s = (crs_npy_stream){ .path = path, .f = crs_open(path, e) };
    crs_bytes in = { s->f, path, 0, e, NULL };
    if (!s->f) return false;
    if (!read_about(&in, NULL, &s->header)) return crs_npy_stream_close(s), false;
    s->first = s->at = in.at;
    if (!s->header.fortran && s->header.record.each == 1) return true;
    crs_npy_stream_close(s);
    return crs_fail(e, CREASE_BAD_DATA, "%.200s is in column order; write it in row order", path);
}

bool crs_npy_stream_seek(crs_npy_stream *s, ptrdiff_t item, crease_error *e)
{
    const size_t at = s->first + (size_t)item * (size_t)s->header.record.bytes;
    if (at != s->at && fseeko(s->f, (off_t)at, SEEK_SET) != 0)
        return crs_fail(e, CREASE_IO, "%.200s cannot be read from its item %td on: %s", s->path,
                        item + 1, strerror(errno));
    s->at = at;
    return true;
}

bool crs_npy_stream_next(crs_npy_stream *s, ptrdiff_t count, double *out, crease_error *e)
{
    crs_bytes in = { s->f, s->path, s->at, e, NULL };
    bool rounded = false;
    const bool done = crs_records_next(&in, &s->header.record, count, out, &rounded);
    s->at = in.at;
    return done;
}

void crs_npy_stream_close(crs_npy_stream *s)
{
    if (s->f) fclose(s->f);
    s->f = NULL;
}

/* The dictionary, padded so that the items begin at a multiple of 64 bytes. */
size_t crs_npy_head(const char *type, const crease_space *s, char out[CRS_NPY_HEAD])
{
    const size_t size = CRS_NPY_HEAD;
    size_t n = (size_t)snprintf(out + 10, size - 10,
                                "{'descr': '%s', 'fortran_order': False, 'shape': (", type);
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

typedef struct {
    FILE *f;
    bool single;
} target;

static bool take_items(void *self, ptrdiff_t count, const double *x)
{
    const target *t = self;
    return crs_numbers_put(t->f, t->single, count, x);
}

bool crs_npy_put(FILE *f, const void *what)
{
    const crs_item *a = what;
    char head[CRS_NPY_HEAD];
    const size_t n = crs_npy_head(a->single ? "<f4" : "<f8", a->shape, head);
    target t = { f, a->single };
    return fwrite(head, 1, n, f) == n && crs_item_each(a, take_items, &t);
}

/* Bytes of a UTF-8 sequence by its first byte; what is none has one. */
static int length_of(unsigned char c) { return c < 0xC0 ? 1 : c < 0xE0 ? 2 : c < 0xF0 ? 3 : 4; }

/* The next code point of a text; bytes that are no UTF-8 stand for themselves. */
static uint64_t next_point(const char **at)
{
    const unsigned char *p = (const unsigned char *)*at;
    const int n = length_of(p[0]);
    uint64_t u = n == 1 ? p[0] : p[0] & (0x7Fu >> n);
    for (int k = 1; k < n; k++) {
        if ((p[k] & 0xC0) != 0x80) return ++*at, p[0];
        u = u << 6 | (p[k] & 0x3F);
    }
    *at += n;
    return u;
}

static size_t points(const char *text)
{
    size_t n = 0;
    for (const char *at = text; *at; n++) next_point(&at);
    return n;
}

bool crs_npy_put_words(FILE *f, const void *what)
{
    const crs_words *w = what;
    const crease_space s = crease_vector(w->count);
    size_t most = 1;
    char head[CRS_NPY_HEAD], type[24];
    for (ptrdiff_t k = 0; k < w->count; k++)
        if (points(w->word[k]) > most) most = points(w->word[k]);
    snprintf(type, sizeof type, "<U%zu", most);
    const size_t n = crs_npy_head(type, &s, head);
    if (fwrite(head, 1, n, f) != n) return false;
    for (ptrdiff_t k = 0; k < w->count; k++) {
        const char *at = w->word[k];
        for (size_t j = 0; j < most; j++) {
            unsigned char raw[4];
            crs_number_put(4, *at ? next_point(&at) : 0, raw);
            if (fwrite(raw, 1, 4, f) != 4) return false;
        }
    }
    return true;
}

/* A file, an array in the memory of a job, or one in a file of several. */
static bool write_item(const char *path, const crs_item *item, crs_stamp *stamp, crease_error *e)
{
    if (!crease_space_check(item->shape, e)) return false;
    if (crs_is_memory(path)) return crs_memory_item(path, item, e);
    if (crs_bundle_splits(path)) return crs_bundle_item(path, item, stamp, e);
    return crs_write_whole(path, crs_npy_put, item, stamp, e);
}

bool crs_write_npy(const char *path, const crs_npy *a, crs_stamp *stamp, crease_error *e)
{
    enum { MANY = 1 << 22 }; /* entries */
    const crs_item item = { .shape = a->shape, .data = a->data, .pieces = a->pieces };
    char head[CRS_NPY_HEAD];
    const ptrdiff_t n = crease_size(a->shape);
    if (stamp && n > MANY)
        stamp->expected = (long long)crs_npy_head("<f8", a->shape, head) + 8 * (long long)n;
    return write_item(path, &item, stamp, e);
}

static bool put_item(const char *path, int count, const crs_item *item, crease_error *e)
{
    (void)count; /* one */
    return write_item(path, item, NULL, e);
}

static bool lay_npy(const char *path, const crs_item *item, long long *offset, crease_error *e)
{
    char head[CRS_NPY_HEAD];
    const size_t n = crs_npy_head(item->single ? "<f4" : "<f8", item->shape, head);
    FILE *f = fopen(path, "wb");
    const bool written = f && fwrite(head, 1, n, f) == n;
    *offset = (long long)n;
    if ((f && fclose(f) != 0) || !written)
        return crs_fail(e, CREASE_IO, "%.200s cannot be written; check the space left", path);
    return true;
}

static bool is_npy(const unsigned char *head, size_t n)
{
    return n >= 6 && memcmp(head, "\x93NUMPY", 6) == 0;
}

const crs_format crs_npy_format = {
    .name = "npy",
    .endings = ".npy",
    .text = "an array of NumPy; of records FILE:FIELD",
    .begins = is_npy,
    .read = read_npy,
    .list = list_npy,
    .place = place_npy,
    .write = put_item,
    .lay = lay_npy,
};
