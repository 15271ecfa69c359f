/* SPDX-License-Identifier: MIT
 * words: numbers are rounded to the digits asked for and read as people write them; whatever text
 * comes, the markup stays ours */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "report/report.h"

static void numbers_read_as_people_write_them(void **state)
{
    char out[CRS_DIGITS];
    (void)state;
    assert_string_equal(crs_digits(0.00532, 2, out), "0.0053");
    assert_string_equal(crs_digits(-2.5, 3, out), "−2.5");
    assert_string_equal(crs_digits(-0.0, 3, out), "0");
    assert_string_equal(crs_digits(2.86e-7, 2, out), "2.9·10⁻⁷");
    assert_string_equal(crs_digits(1e-6, 2, out), "10⁻⁶");
    assert_string_equal(crs_digits(NAN, 3, out), "–");
    assert_string_equal(crs_digits(-INFINITY, 3, out), "−∞");
    assert_string_equal(crs_digits(99999, 2, out), "99999");
    assert_string_equal(crs_count(103020, out), "103\u202F020");
    assert_string_equal(crs_count(-12, out), "−12");
    assert_string_equal(crs_share(0.0842, out), "8.4 %");
    assert_string_equal(crs_share(0.99983, out), "99.98 %");
    assert_string_equal(crs_share(1, out), "100 %");
    assert_string_equal(crs_share(0, out), "0 %");
    assert_string_equal(crs_seconds(125, out), "2 min 5 s");
    assert_string_equal(crs_fixed(-1e-9, 3, out), "0.000");
}

/* Every printed number is within half of its last digit. */
static void digits_are_rounded_right(void **state)
{
    uint64_t seed = 7;
    (void)state;
    for (int k = 0; k < 20000; k++) {
        char out[CRS_DIGITS];
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        const double size = (double)(seed >> 40) / 0x1p24, x = pow(10, 8 * size - 3.01) * 1.0000001;
        if (x < 1e-3 || x >= 1e5) continue;
        crs_digits(x, 3, out);
        const double back = strtod(out, NULL);
        assert_true(fabs(back - x) <= 0.00501 * x || fabs(back - x) <= 0.5);
    }
}

/* Bytes of any kind between our tags: no quote, bracket or ampersand of theirs, and valid UTF-8. */
static void text_cannot_become_markup(void **state)
{
    uint64_t seed = 3;
    (void)state;
    for (int k = 0; k < 3000; k++) {
        char text[24];
        crs_markup m = { .at = NULL };
        for (size_t i = 0; i < sizeof text - 1; i++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            text[i] = (char)(1 + (seed >> 33) % 255);
        }
        text[sizeof text - 1] = '\0';
        crs_mark(&m, "%s", text);
        for (const char *at = m.at; *at; at++) {
            assert_null(strchr("<>\"'", *at));
            assert_false((unsigned char)*at < ' ');
        }
        crs_markup quoted = { .at = NULL };
        crs_mark_string(&quoted, text);
        json_t *back = json_loads(quoted.at, JSON_DECODE_ANY, NULL);
        assert_non_null(back); /* which refuses what is no UTF-8 */
        assert_null(strchr(quoted.at, '<'));
        json_decref(back);
        crs_markup_free(&quoted);
        crs_markup_free(&m);
    }
}

static void formats_of_numbers_are_those_of_printf(void **state)
{
    crs_markup m = { .at = NULL };
    (void)state;
    crs_mark(&m, "%d|%td|%zu|%.2f|%5.1f|%g|%c|%%|%s", -3, (ptrdiff_t)7, (size_t)9, 1.005, 2.25,
             1e-9, 'x', "a&b");
    assert_string_equal(m.at, "-3|7|9|1.00|  2.2|1e-09|x|%|a&amp;b");
    crs_markup_free(&m);
}

static void base64_is_that_of_the_standard(void **state)
{
    static const char *const pair[][2] = {
        { "f", "Zg==" }, { "fo", "Zm8=" }, { "foo", "Zm9v" }, { "foobar", "Zm9vYmFy" }
    };
    (void)state;
    for (size_t k = 0; k < 4; k++) {
        crs_markup m = { .at = NULL };
        crs_mark_base64(&m, (const unsigned char *)pair[k][0], strlen(pair[k][0]));
        assert_string_equal(m.at, pair[k][1]);
        crs_markup_free(&m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_read_as_people_write_them),
        cmocka_unit_test(digits_are_rounded_right),
        cmocka_unit_test(text_cannot_become_markup),
        cmocka_unit_test(formats_of_numbers_are_those_of_printf),
        cmocka_unit_test(base64_is_that_of_the_standard),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
