/* SPDX-License-Identifier: MIT
 * npy_broken: files that are cut, lie about themselves or hold something else are refused with
 * the place of the fault */
#define _POSIX_C_SOURCE 200809L
#include "support/npy.h"

static void refused(const char *dictionary, const char *word)
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
    refused(SHAPE("(4294967296, 4294967296)"), "memory");
    refused(SHAPE("(9223372036854775807, 2)"), "memory");
    refused(SHAPE("(92233720368547758080,)"), "too large");
    refused(SHAPE("(0, 5)"), "empty");
    refused(SHAPE("()"), "single number");
    refused(SHAPE("(1,1,1,1,1,1,1,1,1)"), "8 dimensions");
    refused(SHAPE("(-1,)"), "whole number");
    refused(SHAPE("(2.5,)"), "tuple");
    refused(SHAPE("[2]"), "tuple");
    refused(SHAPE("(2"), "tuple");
    refused(SHAPE("(1152921504606846975,)"), "truncated"); /* and no memory is taken for it */
#undef SHAPE
}

static void other_types_are_named(void **state)
{
    (void)state;
#define TYPE(text) "{'descr': " text ", 'fortran_order': False, 'shape': (2,)}"
    refused(TYPE("'|O'"), "'|O'");
    refused(TYPE("'<c16'"), "'<c16'");
    refused(TYPE("'<f2'"), "'<f2'");
    refused(TYPE("'<f16'"), "'<f16'");
    refused(TYPE("'<i3'"), "'<i3'");
    refused(TYPE("'|f8'"), "'|f8'");
    refused(TYPE("'f8'"), "'f8'");
    refused(TYPE("[('a', '<f8')]"), "structured");
#undef TYPE
}

static void malformed_headers_are_refused(void **state)
{
    (void)state;
    refused("{'descr': '<f8', 'shape': (2,)}", "missing");
    refused("{'descr': '<f8', 'descr': '<f8', 'fortran_order': False, 'shape': (2,)}", "twice");
    refused("{'descr': '<f8', 'fortran_order': 1, 'shape': (2,)}", "neither True nor False");
    refused("{'descr': '<f8, 'fortran_order': False, 'shape': (2,)}", "'<f8, '");
    refused("{'descr: ", "quote is not closed");
    refused("{'descr': '<f8', 'fortran_order': False, 'shape': (2,), 'x': 1}", "key");
    refused("{'descr': '<f8', 'fortran_order': False, 'shape': (2,)} x", "follows");
    refused("{'descr' '<f8', 'fortran_order': False, 'shape': (2,)}", "colon");
    refused("{'descr': '<f8' 'fortran_order': False, 'shape': (2,)}", "comma");
    refused("", "begin");
    refused("{", "quotes is missing");
    refused("{'0123456789012345678901234567890123456789': 1}", "too long");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_truncation_is_refused),
        cmocka_unit_test(a_lying_header_length_is_refused),
        cmocka_unit_test(impossible_shapes_are_refused),
        cmocka_unit_test(other_types_are_named),
        cmocka_unit_test(malformed_headers_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
