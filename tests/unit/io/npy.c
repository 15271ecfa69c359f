/* SPDX-License-Identifier: MIT
 * npy: files of every type, order and size are read exactly, and written ones read back; files that
 * are cut, lie about themselves or hold something else are refused with the place of the fault */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "support/test.h"

#include "io/formats/io.h"

enum { MOST = 1 << 16 };

typedef struct {
    unsigned char byte[MOST];
    size_t n;
} bytes;

static void put(bytes *b, const void *from, size_t n)
{
    assert_true(b->n + n <= MOST);
    memcpy(b->byte + b->n, from, n);
    b->n += n;
}

/* Magic, version, a true or a false length, and the dictionary as given. */
static void begin(bytes *b, int version, const char *dictionary, long lie)
{
    const unsigned long n = strlen(dictionary) + (unsigned long)lie;
    const unsigned char head[12] = { 0x93,
                                     'N',
                                     'U',
                                     'M',
                                     'P',
                                     'Y',
                                     (unsigned char)version,
                                     0,
                                     (unsigned char)n,
                                     (unsigned char)(n >> 8),
                                     (unsigned char)(n >> 16),
                                     (unsigned char)(n >> 24) };
    b->n = 0;
    put(b, head, version == 1 ? 10 : 12);
    put(b, dictionary, strlen(dictionary));
}

/* Through a real file, so that the choice by name is part of it. */
static bool load(const bytes *b, crs_array *a, crease_error *e)
{
    char folder[] = "/tmp/crease-npy-XXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/a.npy", folder);
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(b->byte, 1, b->n, f), b->n);
    assert_int_equal(fclose(f), 0);
    const bool done = crs_read_array(path, a, e);
    unlink(path);
    rmdir(folder);
    return done;
}

/* One random item of the named type as the machine stores it, and its value. */
static double make_item(draws *d, const char *type, unsigned char *raw)
{
    const uint64_t r = crease_random_bits(d->r, d->next++) >> (type[1] == '8' ? 12 : 0);
#define ITEM(text, ctype)                                                                          \
    if (strcmp(type, text) == 0) {                                                                 \
        const ctype v = (ctype)r;                                                                  \
        memcpy(raw, &v, sizeof v);                                                                 \
        return (double)v;                                                                          \
    }
    ITEM("i1", int8_t)
    ITEM("i2", int16_t)
    ITEM("i4", int32_t)
    ITEM("i8", int64_t)
    ITEM("u1", uint8_t)
    ITEM("u2", uint16_t)
    ITEM("u4", uint32_t)
    ITEM("u8", uint64_t)
#undef ITEM
    if (strcmp(type, "b1") == 0) return raw[0] = r & 1;
    const double v = normal(d);
    const float s = (float)v;
    if (strcmp(type, "f4") == 0) return memcpy(raw, &s, sizeof s), (double)s;
    return memcpy(raw, &v, sizeof v), v;
}

/* Where entry r in row-major order stands in column-major order. */
static ptrdiff_t column_major(const crease_space *s, ptrdiff_t r)
{
    ptrdiff_t index[CREASE_MAX_ORDER], at = 0;
    for (int n = s->order - 1; n >= 0; n--) index[n] = r % s->dim[n], r /= s->dim[n];
    for (int n = s->order - 1; n >= 0; n--) at = at * s->dim[n] + index[n];
    return at;
}

static void one_case(draws *d, const char *type, int order, int version, bool fortran, bool big)
{
    static bytes b;
    static double stored[6561];
    char dictionary[256], dims[128] = "";
    crease_space s = { .order = order };
    crs_array a;
    crease_error e = { CREASE_OK, "" };
    const size_t width = (size_t)(type[1] - '0');
    for (int n = 0; n < order; n++) {
        s.dim[n] = 1 + (ptrdiff_t)crease_random_below(d->r, d->next++, 3);
        snprintf(dims + strlen(dims), sizeof dims - strlen(dims), "%td,", s.dim[n]);
    }
    snprintf(dictionary, sizeof dictionary,
             "{'descr': '%c%s', 'fortran_order': %s, 'shape': (%s), }   \n",
             width == 1 ? '|'
             : big      ? '>'
                        : '<',
             type, fortran ? "True" : "False", dims);
    begin(&b, version, dictionary, 0);
    for (ptrdiff_t k = 0; k < crease_size(&s); k++) {
        unsigned char raw[8] = { 0 };
        stored[k] = make_item(d, type, raw);
        for (size_t i = 0; big && i < width / 2; i++) {
            const unsigned char t = raw[i];
            raw[i] = raw[width - 1 - i];
            raw[width - 1 - i] = t;
        }
        put(&b, raw, width);
    }
    if (!load(&b, &a, &e)) fail_msg("%s: %s", dictionary, e.text);
    assert_true(crease_space_equal(&a.shape, &s));
    assert_int_equal(a.notice[0], 0);
    for (ptrdiff_t r = 0; r < crease_size(&s); r++)
        assert_true(a.data[r] == stored[fortran ? column_major(&s, r) : r]);
    crs_array_free(&a);
}

static void every_type_order_and_size_is_read(void **state)
{
    static const char *const type[] = { "f4", "f8", "i1", "i2", "i4", "i8",
                                        "u1", "u2", "u4", "u8", "b1" };
    const uint16_t probe = 1;
    draws d = { { 1, 1 }, 0 };
    (void)state;
    if (*(const unsigned char *)&probe != 1) skip(); /* items are laid out by this machine */
    for (size_t t = 0; t < sizeof type / sizeof *type; t++)
        for (int k = 0; k < 8 * 3 * 4; k++)
            one_case(&d, type[t], 1 + k % 8, 1 + k / 8 % 3, k / 24 & 1, k / 48 & 1);
}

static void notices_tell_of_oddities(void **state)
{
    static bytes b;
    crs_array a;
    crease_error e;
    const int64_t big[2] = { INT64_MIN, ((int64_t)1 << 53) + 1 };
    (void)state;
    begin(&b, 1, "{'descr': '<i8', 'fortran_order': False, 'shape': (2,)}", 0);
    put(&b, big, sizeof big);
    assert_true(load(&b, &a, &e));
    assert_true(a.data[0] == -0x1p63 && a.data[1] == 0x1p53);
    assert_non_null(strstr(a.notice, "2^53"));
    crs_array_free(&a);
    begin(&b, 1, "{'descr': '|u1', 'fortran_order': False, 'shape': (2,)}", 0);
    put(&b, "abc", 3);
    assert_true(load(&b, &a, &e));
    assert_non_null(strstr(a.notice, "ignored"));
    crs_array_free(&a);
}

static void what_is_written_is_read_back(void **state)
{
    char folder[] = "/tmp/crease-npy-XXXXXX", path[64];
    draws d = { { 2, 2 }, 0 };
    crease_error e;
    crs_array a;
    static double x[6561], odd[4] = { NAN, INFINITY, -0.0, 5e-324 };
    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/a.npy", folder);
    for (int order = 1; order <= CREASE_MAX_ORDER; order++) {
        crease_space s = { .order = order };
        for (int n = 0; n < order; n++) s.dim[n] = 1 + (order + n) % 3;
        for (ptrdiff_t j = 0; j < crease_size(&s); j++) x[j] = normal(&d);
        memcpy(x, odd, sizeof odd);
        assert_true(crs_write_npy(path, &(crs_npy){ &s, x, NULL }, NULL, &e));
        assert_true(crs_read_array(path, &a, &e));
        assert_true(crease_space_equal(&a.shape, &s));
        assert_memory_equal(a.data, x, (size_t)crease_size(&s) * sizeof *x);
        crs_array_free(&a);
    }
    unlink(path);
    assert_int_equal(rmdir(folder), 0); /* nothing was left beside it */
    const crease_space s = crease_vector(4);
    assert_false(crs_write_npy(path, &(crs_npy){ &s, x, NULL }, NULL, &e));
    assert_int_equal(e.code, CREASE_IO);
    assert_false(crs_read_array(path, &a, &e));
    assert_int_equal(e.code, CREASE_NO_INPUT);
    assert_false(
        crs_read_array("/proc/self/exe", &a, &e)); /* neither bytes nor ending of a format */
    assert_int_equal(e.code, CREASE_BAD_ARGUMENT);
}

static void refuses(const char *dictionary, const char *word)
{
    static bytes b;
    crs_array a;
    crease_error e = { CREASE_OK, "" };
    begin(&b, 1, dictionary, 0);
    put(&b, "0123456789012345678901234567890123456789", 40);
    if (load(&b, &a, &e)) fail_msg("accepted: %s", dictionary);
    assert_int_equal(e.code, CREASE_BAD_DATA);
    assert_null(a.data);
    if (!strstr(e.text, word)) fail_msg("'%s' is not in: %s", word, e.text);
}

static void every_truncation_is_refused(void **state)
{
    static bytes whole, part;
    crs_array a;
    crease_error e;
    const double item[100] = { 1, 2, 3 };
    (void)state;
    begin(&whole, 1, "{'descr': '<f8', 'fortran_order': False, 'shape': (10, 10)}", 0);
    put(&whole, item, sizeof item);
    assert_true(load(&whole, &a, &e));
    crs_array_free(&a);
    for (size_t n = 0; n < whole.n; n++) {
        part = whole;
        part.n = n;
        assert_false(load(&part, &a, &e));
        assert_int_equal(e.code, CREASE_BAD_DATA);
        assert_null(a.data);
        char place[48];
        snprintf(place, sizeof place, "ends at byte %zu ", n);
        if (!strstr(e.text, place)) fail_msg("byte %zu: %s", n, e.text);
    }
}

static void a_lying_header_length_is_refused(void **state)
{
    static bytes b;
    static const char good[] = "{'descr': '<f8', 'fortran_order': False, 'shape': (1,)}";
    crs_array a;
    crease_error e;
    (void)state;
    for (long lie = -(long)strlen(good); lie < 200; lie++) {
        begin(&b, 2, good, lie);
        put(&b, "12345678", 8);
        if (lie == 0) continue;
        if (load(&b, &a, &e)) fail_msg("a header length wrong by %ld was believed", lie);
        assert_int_equal(e.code, CREASE_BAD_DATA);
    }
    begin(&b, 2, "", (long)0xFFFFFFF0u);
    assert_false(load(&b, &a, &e));
    assert_non_null(strstr(e.text, "4294967280"));
    begin(&b, 1, good, 0);
    b.byte[6] = 4;
    assert_false(load(&b, &a, &e));
    assert_non_null(strstr(e.text, "version 4.0"));
    b.byte[0] = 'X';
    assert_false(load(&b, &a, &e));
    assert_non_null(strstr(e.text, "not a .npy file"));
}

static void impossible_shapes_are_refused(void **state)
{
    (void)state;
#define SHAPE(text) "{'descr': '<f8', 'fortran_order': False, 'shape': " text "}"
    refuses(SHAPE("(4294967296, 4294967296)"), "memory");
    refuses(SHAPE("(9223372036854775807, 2)"), "memory");
    refuses(SHAPE("(92233720368547758080,)"), "too large");
    refuses(SHAPE("(0, 5)"), "empty");
    refuses(SHAPE("()"), "single number");
    refuses(SHAPE("(1,1,1,1,1,1,1,1,1)"), "8 dimensions");
    refuses(SHAPE("(-1,)"), "whole number");
    refuses(SHAPE("(2.5,)"), "tuple");
    refuses(SHAPE("[2]"), "tuple");
    refuses(SHAPE("(2"), "tuple");
    refuses(SHAPE("(1152921504606846975,)"), "truncated"); /* and no memory is taken for it */
#undef SHAPE
}

/* Of records the field that is named, also one that is an array itself. */
static void fields_of_records_are_read(void **state)
{
    static bytes b;
    crs_array a;
    crease_error e = { CREASE_OK, "" };
    const crease_space s = { .order = 2, .dim = { 2, 3 } };
    unsigned char raw[2 * 13];
    (void)state;
    begin(&b, 1,
          "{'descr': [('t', '|S2'), ('x', '>f2', (3,)), ('', '|V1'), ('y', '<f4')], "
          "'fortran_order': False, 'shape': (2,)}",
          0);
    for (size_t k = 0; k < 2; k++) {
        const float y = k ? -1.5f : 0.25f;
        memcpy(raw + 13 * k, "ab\x3c\x00\xc0\x00\x00\x01-", 9); /* 1, -2, 2^-24 */
        memcpy(raw + 13 * k + 9, &y, 4);
    }
    put(&b, raw, sizeof raw);
    FILE *f = fmemopen(b.byte, b.n, "rb");
    assert_non_null(f);
    assert_true(
        crs_npy_format.read(&(crs_input){ .f = f, .name = "a", .inner = "x" }, NULL, &a, &e));
    assert_true(crease_space_equal(&a.shape, &s));
    for (int k = 0; k < 6; k++)
        assert_true(a.data[k] == (k % 3 == 0 ? 1 : k % 3 == 1 ? -2 : 0x1p-24));
    crs_array_free(&a);
    rewind(f);
    assert_true(
        crs_npy_format.read(&(crs_input){ .f = f, .name = "a", .inner = "y" }, NULL, &a, &e));
    assert_true(a.shape.order == 1 && a.data[0] == 0.25 && a.data[1] == -1.5);
    crs_array_free(&a);
    rewind(f);
    assert_false(
        crs_npy_format.read(&(crs_input){ .f = f, .name = "a", .inner = "z" }, NULL, &a, &e));
    assert_non_null(strstr(e.text, "no field 'z'"));
    fclose(f);
}

static void other_types_are_named(void **state)
{
    (void)state;
#define TYPE(text) "{'descr': " text ", 'fortran_order': False, 'shape': (2,)}"
    refuses(TYPE("'|O'"), "'|O'");
    refuses(TYPE("'<c16'"), "'<c16'");
    refuses(TYPE("'<f16'"), "'<f16'");
    refuses(TYPE("'<i3'"), "'<i3'");
    refuses(TYPE("'|f8'"), "'|f8'");
    refuses(TYPE("'f8'"), "'f8'");
    refuses(TYPE("[('a', '<f8'), ('b', '<i4')]"), "FILE:FIELD with one of the fields a, b");
    refuses(TYPE("[('a', '|S3'), ('b', '<U1')]"), "none is a number");
    refuses(TYPE("[('a', [('b', '<f8')])]"), "nested");
    refuses(TYPE("[('a', '<f8', (2000,))]"), "8192 bytes");
    refuses(TYPE("[]"), "no field");
#undef TYPE
}

static void malformed_headers_are_refused(void **state)
{
    (void)state;
    refuses("{'descr': '<f8', 'shape': (2,)}", "missing");
    refuses("{'descr': '<f8', 'descr': '<f8', 'fortran_order': False, 'shape': (2,)}", "twice");
    refuses("{'descr': '<f8', 'fortran_order': 1, 'shape': (2,)}", "neither True nor False");
    refuses("{'descr': '<f8, 'fortran_order': False, 'shape': (2,)}", "'<f8, '");
    refuses("{'descr: ", "quote is not closed");
    refuses("{'descr': '<f8', 'fortran_order': False, 'shape': (2,), 'x': 1}", "key");
    refuses("{'descr': '<f8', 'fortran_order': False, 'shape': (2,)} x", "follows");
    refuses("{'descr' '<f8', 'fortran_order': False, 'shape': (2,)}", "colon");
    refuses("{'descr': '<f8' 'fortran_order': False, 'shape': (2,)}", "comma");
    refuses("", "begin");
    refuses("{", "quotes is missing");
    refuses("{'0123456789012345678901234567890123456789': 1}", "too long");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_type_order_and_size_is_read),
        cmocka_unit_test(notices_tell_of_oddities),
        cmocka_unit_test(what_is_written_is_read_back),
        cmocka_unit_test(every_truncation_is_refused),
        cmocka_unit_test(a_lying_header_length_is_refused),
        cmocka_unit_test(impossible_shapes_are_refused),
        cmocka_unit_test(fields_of_records_are_read),
        cmocka_unit_test(other_types_are_named),
        cmocka_unit_test(malformed_headers_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
