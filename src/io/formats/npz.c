/* SPDX-License-Identifier: MIT
 * npz: NumPy's archives of arrays, zip files (PKWARE APPNOTE 6.3, also zip64) of stored or deflated
 * .npy files. Beside an array X its axes may stand: X_axis_K or axis_K are the positions along
 * dimension K, X_labels_K or labels_K words, X_axis_names and X_axis_units what they are called.
 * Written are stored files. Names in an archive are compared, never opened. */
#define _GNU_SOURCE /* fopencookie */
#include <errno.h>

#include "io/formats/io.h"

enum {
    TAIL = 65557, /* the longest end of an archive: its record and a comment */
    ENTRIES_MOST = 100000,
    NAME_MOST = 255,
};
static const uint64_t INDEX_MOST = 1 << 26, ESCAPE = 0xFFFFFFFF;

typedef struct {
    char name[NAME_MOST + 1]; /* without .npy */
    unsigned method;
    bool locked, array;
    uint32_t crc;
    uint64_t packed, whole, at;
} member;

typedef struct {
    FILE *f;
    const char *name;
    member *entry;
    ptrdiff_t count;
    crease_error *e;
} archive;

static uint64_t number(const unsigned char *p, int bytes)
{
    return crs_number_bits(bytes, false, p);
}

static bool damaged(const archive *z, const char *what)
{
    return crs_fail(z->e, CREASE_BAD_DATA,
                    "%.200s is a damaged archive: %s; copy or write the file again", z->name, what);
}

static bool read_at(const archive *z, uint64_t at, void *to, size_t n)
{
    if (at > INT64_MAX || fseeko(z->f, (off_t)at, SEEK_SET) != 0 || fread(to, 1, n, z->f) != n)
        return ferror(z->f) ? crs_fail_read(z->name, (size_t)at, z->e)
                            : damaged(z, "it is truncated");
    return true;
}

typedef struct {
    uint64_t count, bytes, at;
} directory;

/* The zip64 record, where the locator before the end of the archive points. */
static bool read_large(const archive *z, const unsigned char *locator, directory *d)
{
    unsigned char b[56];
    if (memcmp(locator, "PK\6\7", 4) != 0) return damaged(z, "its zip64 record is missing");
    if (!read_at(z, number(locator + 8, 8), b, sizeof b)) return false;
    if (memcmp(b, "PK\6\6", 4) != 0) return damaged(z, "its zip64 record is missing");
    *d = (directory){ number(b + 32, 8), number(b + 40, 8), number(b + 48, 8) };
    return true;
}

/* The last bytes of the archive hold the place of its index. */
static bool find_directory(const archive *z, unsigned char *tail, directory *d)
{
    if (fseeko(z->f, 0, SEEK_END) != 0) return damaged(z, "it cannot be read to and fro");
    const off_t size = ftello(z->f);
    const size_t n = size < TAIL ? (size_t)size : TAIL;
    if (n < 22) return damaged(z, "it is truncated");
    if (!read_at(z, (uint64_t)size - n, tail, n)) return false;
    size_t at = n - 22;
    while (memcmp(tail + at, "PK\5\6", 4) != 0 || number(tail + at + 20, 2) != n - 22 - at)
        if (at-- == 0) return damaged(z, "its index is missing");
    const unsigned char *p = tail + at;
    *d = (directory){ number(p + 10, 2), number(p + 12, 4), number(p + 16, 4) };
    const bool large = d->count == 0xFFFF || d->bytes == ESCAPE || d->at == ESCAPE;
    if (large && at < 20) return damaged(z, "its zip64 record is missing");
    return !large || read_large(z, p - 20, d);
}

/* Sizes that do not fit into 32 bits, in the order of the fields that say so. */
static bool read_extra(const archive *z, const unsigned char *p, size_t n, member *m)
{
    uint64_t *const wide[3] = { &m->whole, &m->packed, &m->at };
    while (n >= 4) {
        const size_t id = (size_t)number(p, 2), length = (size_t)number(p + 2, 2);
        if (length > n - 4) return damaged(z, "a field of its index is too long");
        size_t used = 4;
        for (int k = 0; id == 1 && k < 3; k++) {
            if (*wide[k] != ESCAPE) continue;
            if (used + 8 > length + 4) return damaged(z, "a size is missing in its index");
            *wide[k] = number(p + used, 8);
            used += 8;
        }
        p += length + 4;
        n -= length + 4;
    }
    return true;
}

/* One line of the index at *p, n bytes are left. */
static bool read_entry(const archive *z, const unsigned char **at, size_t *left, member *m)
{
    const unsigned char *p = *at;
    if (*left < 46 || memcmp(p, "PK\1\2", 4) != 0) return damaged(z, "its index is cut");
    const size_t n = (size_t)number(p + 28, 2), extra = (size_t)number(p + 30, 2),
                 all = 46 + n + extra + (size_t)number(p + 32, 2);
    if (all > *left) return damaged(z, "its index is cut");
    *m = (member){ .locked = p[8] & 1,
                   .method = (unsigned)number(p + 10, 2),
                   .crc = (uint32_t)number(p + 16, 4),
                   .packed = number(p + 20, 4),
                   .whole = number(p + 24, 4),
                   .at = number(p + 42, 4) };
    const char *name = (const char *)p + 46;
    m->array = n > 4 && n - 4 <= NAME_MOST && memcmp(name + n - 4, ".npy", 4) == 0 &&
               !memchr(name, '\0', n);
    if (m->array) memcpy(m->name, name, n - 4);
    if (!read_extra(z, p + 46 + n, extra, m)) return false;
    *at += all;
    *left -= all;
    return true;
}

/* Entries of the index; those that are no arrays are left out. */
static bool read_entries(archive *z, const directory *d, const unsigned char *index)
{
    size_t left = (size_t)d->bytes;
    for (uint64_t k = 0; k < d->count; k++) {
        member m = { .array = false };
        if (!read_entry(z, &index, &left, &m)) return false;
        if (m.array) z->entry[z->count++] = m;
    }
    return true;
}

static bool read_index(archive *z, const directory *d)
{
    if (d->count > ENTRIES_MOST || d->bytes > INDEX_MOST || d->count > d->bytes / 46)
        return damaged(z, "its index claims more than 100000 files or 64 MB");
    unsigned char *index = crs_alloc((size_t)d->bytes, 1);
    z->entry = crs_alloc((size_t)d->count, sizeof *z->entry);
    const bool done =
        index && z->entry
            ? read_at(z, d->at, index, (size_t)d->bytes) && read_entries(z, d, index)
            : crs_fail(z->e, CREASE_NO_MEMORY, "out of memory: the index of %.200s", z->name);
    crs_free(index);
    return done;
}

/* z->entry is to be freed after a failure too. */
static bool open_archive(const crs_input *s, archive *z, crease_error *e)
{
    *z = (archive){ .f = s->f, .name = s->name, .e = e };
    directory d;
    unsigned char *tail = crs_alloc(TAIL, 1);
    if (!tail) return crs_fail(e, CREASE_NO_MEMORY, "out of memory: the end of %.200s", s->name);
    const bool done = find_directory(z, tail, &d) && read_index(z, &d);
    crs_free(tail);
    return done;
}

/* The bytes of a member, NULL with the reason. */
static FILE *open_member(const archive *z, const member *m, const char *name)
{
    unsigned char b[30];
    if (m->locked || (m->method != 0 && m->method != 8)) {
        crs_fail(z->e, CREASE_BAD_DATA,
                 "%.200s is %s; write it with numpy.savez or numpy.savez_compressed", name,
                 m->locked ? "encrypted" : "compressed by a method other than deflate");
        return NULL;
    }
    if (!read_at(z, m->at, b, sizeof b)) return NULL;
    const uint64_t skip = number(b + 26, 2) + number(b + 28, 2);
    if (memcmp(b, "PK\3\4", 4) != 0 || fseeko(z->f, (off_t)skip, SEEK_CUR) != 0)
        return damaged(z, "a file in it does not begin where its index says"), NULL;
    return crs_unzip(&(crs_zipped){ .f = z->f,
                                    .name = name,
                                    .packing = m->method == 8 ? CRS_DEFLATE : CRS_STORED,
                                    .bytes = m->packed,
                                    .whole = m->whole,
                                    .crc = m->crc },
                     z->e);
}

static const member *find(const archive *z, const char *name, size_t n)
{
    for (ptrdiff_t k = 0; k < z->count; k++)
        if (strncmp(z->entry[k].name, name, n) == 0 && !z->entry[k].name[n]) return &z->entry[k];
    return NULL;
}

/* Is it "axis_0", "labels_7", "axis_names" or "axis_units"? */
static bool is_part(const char *text)
{
    static const char *const kind[] = { "axis_", "labels_" };
    for (int k = 0; k < 2; k++) {
        const size_t n = strlen(kind[k]);
        if (strncmp(text, kind[k], n) != 0) continue;
        if (text[n] >= '0' && text[n] <= '7' && !text[n + 1]) return true;
        if (k == 0 && (strcmp(text + n, "names") == 0 || strcmp(text + n, "units") == 0))
            return true;
    }
    return false;
}

/* The same, alone or after the name of an array and _. */
static bool is_axis(const archive *z, const char *name)
{
    if (is_part(name)) return true;
    for (const char *at = strchr(name, '_'); at; at = strchr(at + 1, '_'))
        if (is_part(at + 1) && find(z, name, (size_t)(at - name))) return true;
    return false;
}

static void names_of(const archive *z, char *out, size_t size)
{
    size_t used = 0;
    out[0] = '\0';
    for (ptrdiff_t k = 0; k < z->count && used + 1 < size; k++)
        used +=
            (size_t)snprintf(out + used, size - used, "%s%.60s", k ? ", " : "", z->entry[k].name);
}

/* The array that is asked for; else the only one, or the one called data. */
static const member *choose(const archive *z, const char *inner)
{
    const member *only = NULL;
    ptrdiff_t count = 0;
    char all[240];
    if (inner) {
        const size_t n = strlen(inner);
        only = find(z, inner, n > 4 && strcmp(inner + n - 4, ".npy") == 0 ? n - 4 : n);
        count = only != NULL;
    } else if (!(only = find(z, "data", 4))) {
        for (ptrdiff_t k = 0; k < z->count; k++)
            if (!is_axis(z, z->entry[k].name)) only = &z->entry[k], count++;
    } else
        count = 1;
    if (count == 1) return only;
    names_of(z, all, sizeof all);
    if (z->count == 0)
        crs_fail(z->e, CREASE_BAD_DATA,
                 "%.200s is an archive without arrays; write it with "
                 "numpy.savez",
                 z->name);
    else if (inner)
        crs_fail(z->e, CREASE_NO_INPUT, "%.150s has no array '%.60s'; it has %s", z->name, inner,
                 all);
    else
        crs_fail(z->e, CREASE_BAD_ARGUMENT,
                 "%.150s holds several arrays; write FILE:NAME with one of %s", z->name, all);
    return NULL;
}

static bool read_member(const archive *z, const member *m, crs_array *out)
{
    char name[600];
    snprintf(name, sizeof name, "%.200s:%s", z->name, m->name);
    FILE *f = open_member(z, m, name);
    const bool done =
        f && crs_npy_format.read(&(crs_input){ .f = f, .name = name }, NULL, out, z->e);
    if (f) fclose(f);
    return done;
}

/* The member with the axes of `of`: "of_part", or just "part". */
static const member *beside(const archive *z, const member *of, const char *part)
{
    char name[NAME_MOST + 20];
    const int n = snprintf(name, sizeof name, "%s_%s", of->name, part);
    const member *m = find(z, name, (size_t)n);
    return m ? m : find(z, part, strlen(part));
}

/* NULL where there are none, or others. */
static char **read_words(const archive *z, const member *m, ptrdiff_t count)
{
    char **word = m ? crs_alloc((size_t)count, sizeof *word) : NULL;
    FILE *f = word ? open_member(z, m, m->name) : NULL;
    const bool done =
        f && crs_npy_words(&(crs_input){ .f = f, .name = m->name }, count, word, NULL);
    if (f) fclose(f);
    if (done) return word;
    crs_words_free(count, word);
    return NULL;
}

static bool read_positions(const archive *z, const member *m, ptrdiff_t count, crs_axis *a)
{
    crs_array x = { .data = NULL };
    bool done = m && read_member(z, m, &x) && x.shape.order == 1 && x.shape.dim[0] == count;
    done = done && crs_axis_at(a, count, x.data, NULL);
    crs_array_free(&x);
    return done;
}

/* What suits the array is taken; an axis of something else is no axis of it. */
static void read_axes(const archive *given, const member *m, crs_array *out)
{
    const int order = out->shape.order;
    archive silent = *given, *z = &silent;
    z->e = NULL;
    char **name = read_words(z, beside(z, m, "axis_names"), order);
    char **unit = read_words(z, beside(z, m, "axis_units"), order);
    for (int n = 0; n < order; n++) {
        crs_axis *a = &out->axes.axis[n];
        char part[20];
        const ptrdiff_t count = out->shape.dim[n];
        snprintf(part, sizeof part, "axis_%d", n);
        read_positions(z, beside(z, m, part), count, a);
        snprintf(part, sizeof part, "labels_%d", n);
        char **word = read_words(z, beside(z, m, part), count);
        if (word) crs_axis_labels(a, count, (const char *const *)word, NULL);
        crs_words_free(count, word);
        if (name || unit) crs_axis_name(a, name ? name[n] : NULL, unit ? unit[n] : NULL, NULL);
    }
    crs_words_free(order, name);
    crs_words_free(order, unit);
}

static bool read_npz(const crs_input *s, const crs_asked *asked, crs_array *out, crease_error *e)
{
    (void)asked;
    archive z;
    *out = (crs_array){ .data = NULL };
    const member *m = open_archive(s, &z, e) ? choose(&z, s->inner) : NULL;
    const bool done = m && read_member(&z, m, out);
    if (done) read_axes(&z, m, out);
    crs_free(z.entry);
    return done;
}

static bool list_npz(const crs_input *s, crs_listing *out, crease_error *e)
{
    archive z;
    bool done = open_archive(s, &z, e);
    for (ptrdiff_t k = 0; done && k < z.count; k++) {
        crs_listing one = { .count = 0 };
        const member *m = &z.entry[k];
        if (is_axis(&z, m->name)) continue;
        FILE *f = open_member(&z, m, m->name);
        done = f && crs_npy_format.list(&(crs_input){ .f = f, .name = m->name }, &one, e);
        for (int j = 0; done && j < one.count; j++) {
            if (j == 0) snprintf(one.member[j].name, sizeof one.member[j].name, "%s", m->name);
            done = crs_listing_add(out, &one.member[j], e);
        }
        crs_listing_free(&one);
        if (f) fclose(f);
    }
    crs_free(z.entry);
    return done;
}

/* A file to be put into the archive, and what of it stands in the index. */
typedef struct {
    char name[NAME_MOST + 1];
    crs_put *put;
    crs_item item;
    crs_words words;
    crease_space shape;
    const char *list[CREASE_MAX_ORDER];
    uint32_t crc;
    uint64_t bytes, at;
} part;

typedef struct {
    int count;
    part *part;
} parts;

static const void *what_of(const part *p)
{
    return p->put == crs_npy_put ? (const void *)&p->item : (const void *)&p->words;
}

static ssize_t measure(void *self, const char *from, size_t n)
{
    part *p = self;
    p->crc = crs_crc32(p->crc, from, n);
    p->bytes += n;
    return (ssize_t)n;
}

/* Its sizes come before it in the archive, so that it is made twice. */
static bool measure_part(part *p)
{
    FILE *f = fopencookie(p, "wb", (cookie_io_functions_t){ .write = measure });
    p->crc = 0;
    p->bytes = 0;
    const bool made = f && p->put(f, what_of(p));
    return f && fclose(f) == 0 && made;
}

/* A record: fields of 2, 4 and 8 bytes, one digit each in `widths`. */
static bool put_fields(FILE *f, const char *widths, const uint64_t *value)
{
    unsigned char raw[8];
    for (; *widths; widths++, value++) {
        const int n = *widths - '0';
        crs_number_put(n, *value, raw);
        if (fwrite(raw, 1, (size_t)n, f) != (size_t)n) return false;
    }
    return true;
}

enum { UTF8 = 1 << 11, FIRST_DAY = 0x21 }; /* 1 January 1980: archives depend on arrays alone */

/* In front of a file, with both sizes in 64 bits as NumPy writes them. */
static bool put_local(FILE *f, const part *p)
{
    const size_t n = strlen(p->name);
    const uint64_t head[] = {
        0x04034b50, 45, UTF8, 0, 0, FIRST_DAY, p->crc, ESCAPE, ESCAPE, n, 20
    };
    const uint64_t wide[] = { 1, 16, p->bytes, p->bytes };
    return put_fields(f, "42222244422", head) && fwrite(p->name, 1, n, f) == n &&
           put_fields(f, "2288", wide);
}

static bool put_central(FILE *f, const part *p)
{
    const size_t n = strlen(p->name);
    const uint64_t head[] = { 0x02014b50, 45, 45, UTF8, 0, 0, FIRST_DAY, p->crc, ESCAPE,
                              ESCAPE,     n,  28, 0,    0, 0, 0,         ESCAPE };
    const uint64_t wide[] = { 1, 24, p->bytes, p->bytes, p->at };
    return put_fields(f, "42222224442222244", head) && fwrite(p->name, 1, n, f) == n &&
           put_fields(f, "22888", wide);
}

/* The index lies from `at` to `end`; its place in 64 bits where 32 are too few. */
static bool put_end(FILE *f, uint64_t count, uint64_t at, uint64_t end)
{
    const bool large = end >= ESCAPE || count >= 0xFFFF;
    const uint64_t record[] = { 0x06064b50, 44, 45, 45, 0, 0, count, count, end - at, at };
    const uint64_t locator[] = { 0x07064b50, 0, end, 1 };
    const uint64_t few = large ? 0xFFFF : count;
    const uint64_t last[] = { 0x06054b50,          0, 0, few, few, large ? ESCAPE : end - at,
                              large ? ESCAPE : at, 0 };
    return (!large || (put_fields(f, "4822448888", record) && put_fields(f, "4484", locator))) &&
           put_fields(f, "42222442", last);
}

static bool put_archive(FILE *f, const void *what)
{
    const parts *all = what;
    uint64_t at = 0, size = 0;
    for (int k = 0; k < all->count; k++) {
        part *p = &all->part[k];
        p->at = at;
        if (!measure_part(p) || !put_local(f, p) || !p->put(f, what_of(p))) return false;
        at += 30 + strlen(p->name) + 20 + p->bytes;
    }
    for (int k = 0; k < all->count; k++) {
        if (!put_central(f, &all->part[k])) return false;
        size += 46 + strlen(all->part[k].name) + 28;
    }
    return put_end(f, (uint64_t)all->count, at, at + size);
}

/* One more part, "item_what.npy" or, where there is only one array, "what.npy". */
static part *add_part(parts *all, int count, const crs_item *item, const char *what)
{
    part *p = &all->part[all->count++];
    const char *name = item->name ? item->name : "data";
    if (!what)
        snprintf(p->name, sizeof p->name, "%.200s.npy", name);
    else if (count == 1)
        snprintf(p->name, sizeof p->name, "%s.npy", what);
    else
        snprintf(p->name, sizeof p->name, "%.200s_%s.npy", name, what);
    return p;
}

static void add_words(part *p, ptrdiff_t count, const char *const *word)
{
    p->put = crs_npy_put_words;
    p->words = (crs_words){ count, word };
}

/* What the dimensions are called, or with `units` what they are counted in. */
static void add_texts(parts *all, int count, const crs_item *item, bool units)
{
    const int order = item->shape->order;
    bool some = false;
    for (int n = 0; n < order; n++)
        some = some || (units ? item->axes->axis[n].unit : item->axes->axis[n].name);
    if (!some) return;
    part *p = add_part(all, count, item, units ? "axis_units" : "axis_names");
    for (int n = 0; n < order; n++) {
        const char *text = units ? item->axes->axis[n].unit : item->axes->axis[n].name;
        p->list[n] = text ? text : "";
    }
    add_words(p, order, p->list);
}

static void add_item(parts *all, int count, const crs_item *item)
{
    part *p = add_part(all, count, item, NULL);
    p->put = crs_npy_put;
    p->item = *item;
    if (!item->axes) return;
    for (int n = 0; n < item->shape->order; n++) {
        const crs_axis *a = &item->axes->axis[n];
        char what[20];
        if (!a->count) continue;
        snprintf(what, sizeof what, "%s_%d", a->label ? "labels" : "axis", n);
        p = add_part(all, count, item, what);
        p->shape = crease_vector(a->count);
        p->put = crs_npy_put;
        p->item = (crs_item){ .shape = &p->shape, .data = a->at };
        if (a->label) add_words(p, a->count, (const char *const *)a->label);
    }
    add_texts(all, count, item, false);
    add_texts(all, count, item, true);
}

static bool write_npz(const char *path, int count, const crs_item *item, crease_error *e)
{
    parts all = { .part = crs_alloc((size_t)count * (CREASE_MAX_ORDER + 3), sizeof *all.part) };
    if (!all.part) return crs_fail(e, CREASE_NO_MEMORY, "out of memory: the index of an archive");
    bool done = true;
    for (int k = 0; done && k < count; k++) done = crease_space_check(item[k].shape, e);
    for (int k = 0; done && k < count; k++) add_item(&all, count, &item[k]);
    done = done && crs_write_whole(path, put_archive, &all, NULL, e);
    crs_free(all.part);
    return done;
}

static bool is_zip(const unsigned char *head, size_t n)
{
    return n >= 4 && (memcmp(head, "PK\3\4", 4) == 0 || memcmp(head, "PK\5\6", 4) == 0);
}

const crs_format crs_npz_format = {
    .name = "npz",
    .endings = ".npz",
    .text = "an archive of NumPy, FILE:NAME for one of its arrays, with axes",
    .begins = is_zip,
    .read = read_npz,
    .list = list_npz,
    .write = write_npz,
    .many = true,
    .opens = true,
};
