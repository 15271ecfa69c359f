/* SPDX-License-Identifier: MIT
 * numbers: entries as binary files hold them (types, byte order, records, column order), as doubles
 * in row order, and back as little-endian ones */
#define _POSIX_C_SOURCE 200809L
#include <float.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "io/formats/io.h"

enum { CHUNK = 8192 };

bool crs_bytes_get(crs_bytes *in, void *to, size_t n, const char *what)
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

bool crs_bytes_skip(crs_bytes *in, size_t n, const char *what)
{
    unsigned char raw[CHUNK];
    for (size_t done = 0; done < n;) {
        const size_t now = n - done < CHUNK ? n - done : CHUNK;
        if (!crs_bytes_get(in, raw, now, what)) return false;
        done += now;
    }
    return true;
}

bool crs_bytes_hold(const crs_bytes *in, const crease_space *shape, ptrdiff_t record)
{
    struct stat s;
    const int fd = fileno(in->f);
    const double end = (double)in->at + (double)crease_size(shape) * (double)record;
    if (fd < 0 || fstat(fd, &s) != 0 || !S_ISREG(s.st_mode) || (double)s.st_size >= end)
        return true;
    return crs_fail(in->e, CREASE_BAD_DATA,
                    "%.200s is truncated: it ends at byte %lld but its items take bytes %zu to "
                    "%.0f; copy or write the file again",
                    in->name, (long long)s.st_size, in->at, end);
}

uint64_t crs_number_bits(int bytes, bool big, const unsigned char *p)
{
    uint64_t bits = 0;
    for (int k = 0; k < bytes; k++) bits = bits << 8 | p[big ? k : bytes - 1 - k];
    return bits;
}

/* 1 sign, 5 exponent and 10 fraction bits. */
static double from_half(uint64_t bits)
{
    const int power = (int)(bits >> 10 & 31), fraction = (int)(bits & 1023);
    const double size = power == 31  ? (fraction ? (double)NAN : (double)INFINITY)
                        : power == 0 ? ldexp((double)fraction, -24)
                                     : ldexp((double)(fraction + 1024), power - 25);
    return bits >> 15 & 1 ? -size : size;
}

static double from_float(uint64_t bits, int bytes)
{
    const uint32_t half = (uint32_t)bits;
    float single;
    double whole;
    if (bytes == 2) return from_half(bits);
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
static double item(const crs_number *t, const unsigned char *p, bool *rounded)
{
    const uint64_t bits = crs_number_bits(t->bytes, t->big, p);
    if (t->kind == 'f') return from_float(bits, t->bytes);
    if (t->kind == 'b') return bits != 0;
    return from_integer(bits, t->bytes, t->kind == 'i', rounded);
}

static bool big_here(void)
{
    const uint16_t one = 1;
    unsigned char first;
    memcpy(&first, &one, 1);
    return first == 0;
}

/* Is an item the bytes of a double here? */
static bool is_native(const crs_number *t)
{
    return t->kind == 'f' && t->bytes == (int)sizeof(double) && t->big == big_here();
}

void crs_numbers(const crs_number *t, ptrdiff_t count, const unsigned char *p, double *out,
                 bool *rounded)
{
    float single;
    if (is_native(t)) {
        if ((const void *)p != (const void *)out) memcpy(out, p, (size_t)count * sizeof *out);
    } else if (t->kind == 'f' && t->bytes == (int)sizeof single && t->big == big_here())
        for (ptrdiff_t k = 0; k < count; k++) {
            memcpy(&single, p + k * t->bytes, sizeof single);
            out[k] = (double)single;
        }
    else
        for (ptrdiff_t k = 0; k < count; k++) out[k] = item(t, p + k * t->bytes, rounded);
}

/* The numbers of `count` records at p. */
static void records(const crs_record *r, ptrdiff_t count, const unsigned char *p, double *out,
                    bool *rounded)
{
    if (r->bytes == r->each * r->type.bytes)
        crs_numbers(&r->type, count * r->each, p, out, rounded);
    else
        for (ptrdiff_t k = 0; k < count; k++)
            crs_numbers(&r->type, r->each, p + k * r->bytes + r->offset, out + k * r->each,
                        rounded);
}

bool crs_records_next(crs_bytes *in, const crs_record *r, ptrdiff_t count, double *out,
                      bool *rounded)
{
    unsigned char raw[CHUNK];
    for (ptrdiff_t done = 0; done < count;) {
        const ptrdiff_t left = count - done, most = CHUNK / r->bytes;
        const ptrdiff_t now = left < most ? left : most;
        if (!crs_bytes_get(in, raw, (size_t)(now * r->bytes), "a part of the items")) return false;
        records(r, now, raw, out + done * r->each, rounded);
        done += now;
    }
    return true;
}

bool crs_records_read(crs_bytes *in, const crs_record *r, ptrdiff_t count, crs_array *out)
{
    ptrdiff_t room = 0;
    bool rounded = false;
    const ptrdiff_t most = CHUNK / r->bytes;
    for (ptrdiff_t done = 0; done < count;) {
        const ptrdiff_t left = count - done, now = left < most ? left : most;
        if (!crs_grow(&out->data, &room, (done + now) * r->each, count * r->each, in->e) ||
            !crs_records_next(in, r, now, out->data + done * r->each, &rounded))
            return false;
        done += now;
        crs_watch_part(in->watch, (double)done, (double)count);
        if (!crs_reads_on(in->watch, in->e)) return false;
    }
    if (rounded)
        snprintf(out->notice, sizeof out->notice,
                 "%.100s: integers beyond 2^53 were rounded to the nearest double", in->name);
    return true;
}

/* The entry of a column-major array that comes after the one at `at`, in row order. */
static ptrdiff_t next_in_row(const crease_space *s, const ptrdiff_t *stride, ptrdiff_t *index,
                             ptrdiff_t at)
{
    int n = s->order - 1;
    for (; n > 0 && index[n] + 1 == s->dim[n]; n--) {
        at -= index[n] * stride[n];
        index[n] = 0;
    }
    index[n]++;
    return at + stride[n];
}

/* to[row order] = from[column order], or with `back` the other way round. */
static void reorder(const crease_space *s, bool back, const double *from, double *to)
{
    ptrdiff_t index[CREASE_MAX_ORDER] = { 0 }, stride[CREASE_MAX_ORDER] = { 1 }, at = 0;
    const ptrdiff_t count = crease_size(s);
    for (int n = 1; n < s->order; n++) stride[n] = stride[n - 1] * s->dim[n - 1];
    for (ptrdiff_t k = 0; k < count; k++, at = next_in_row(s, stride, index, at)) {
        if (back)
            to[at] = from[k];
        else
            to[k] = from[at];
    }
}

bool crs_row_order(crs_array *a, crease_error *e)
{
    if (a->shape.order < 2) return true;
    double *ordered = crs_doubles(crease_size(&a->shape), "an array in column order", e);
    if (!ordered) return false;
    reorder(&a->shape, false, a->data, ordered);
    crs_free(a->data);
    a->data = ordered;
    return true;
}

double *crs_column_order(const crs_item *a, crease_error *e)
{
    const ptrdiff_t n = crease_size(a->shape);
    double *out = crs_doubles(n, "an array in column order", e), *all = NULL;
    if (out && a->pieces) {
        all = crs_doubles(n, "an array in row order", e);
        for (ptrdiff_t at = 0; all && at < n; at += a->pieces->room)
            a->pieces->items(a->pieces->self, at,
                             n - at < a->pieces->room ? n - at : a->pieces->room, all + at);
        if (!all) crs_free(out), out = NULL;
    }
    if (out) reorder(a->shape, true, a->pieces ? all : a->data, out);
    crs_free(all);
    return out;
}

static uint64_t single_bits(double x)
{
    const float f = x > FLT_MAX ? INFINITY : x < -FLT_MAX ? -INFINITY : (float)x;
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return bits;
}

void crs_number_put(int bytes, uint64_t bits, unsigned char *to)
{
    for (int b = 0; b < bytes; b++) to[b] = (unsigned char)(bits >> (8 * b));
}

bool crs_numbers_put(FILE *f, bool single, ptrdiff_t count, const double *x)
{
    unsigned char raw[CHUNK];
    const int bytes = single ? 4 : 8;
    const ptrdiff_t most = CHUNK / bytes;
    for (ptrdiff_t done = 0; done < count;) {
        const ptrdiff_t now = count - done < most ? count - done : most;
        for (ptrdiff_t k = 0; k < now; k++) {
            uint64_t bits;
            memcpy(&bits, &x[done + k], sizeof bits);
            crs_number_put(bytes, single ? single_bits(x[done + k]) : bits, raw + bytes * k);
        }
        if (fwrite(raw, (size_t)bytes, (size_t)now, f) != (size_t)now) return false;
        done += now;
    }
    return true;
}

/* 15 digits where they are enough, else 17, with a point in every locale. */
bool crs_put_double(FILE *f, double x)
{
    char text[40];
    snprintf(text, sizeof text, "%.15g", x);
    if (!(strtod(text, NULL) == x)) snprintf(text, sizeof text, "%.17g", x);
    if (isnan(x)) snprintf(text, sizeof text, "nan");
    char *comma = strchr(text, ',');
    if (comma) *comma = '.';
    return fputs(text, f) != EOF;
}

bool crs_item_each(const crs_item *a, crs_take *take, void *self)
{
    enum { TILE = 1 << 14 }; /* entries between two looks */
    const crs_pieces *p = a->pieces;
    const ptrdiff_t n = crease_size(a->shape), room = p ? p->room : TILE;
    for (ptrdiff_t at = 0; at < n; at += room) {
        const ptrdiff_t now = n - at < room ? n - at : room;
        if (p) p->items(p->self, at, now, p->buffer);
        if (!take(self, now, p ? p->buffer : a->data + at)) return false;
        if (crease_watch_why(a->watch) == CREASE_STOPPED) return false;
    }
    return true;
}
