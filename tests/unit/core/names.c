/* SPDX-License-Identifier: MIT
 * names: lookups suggest the nearest name, specs and numbers are parsed strictly, options keep
 * their ranges */
#include <locale.h>

#include "support/test.h"

static const char *const fruit[] = { "apple", "pear", "capped-l1", "scad" };
static const char *fruit_at(int k) { return fruit[k]; }

static void unknown_names_suggest_the_nearest(void **state)
{
    crease_error e;
    (void)state;
    assert_int_equal(crs_find("fruit", "pear", 4, fruit_at, &e), 1);
    assert_int_equal(crs_find("fruit", "scda", 4, fruit_at, &e), -1);
    assert_non_null(strstr(e.text, "did you mean 'scad'?"));
    assert_int_equal(crs_find("fruit", "capped", 4, fruit_at, &e), -1);
    assert_non_null(strstr(e.text, "'capped-l1'"));
    assert_int_equal(crs_find("fruit", "zzzzzz", 4, fruit_at, &e), -1);
    assert_null(strstr(e.text, "did you mean"));
    assert_int_equal(crs_find("fruit", "zzzzzz", 4, fruit_at, NULL), -1);
}

static void numbers_are_whole_strings(void **state)
{
    double v = 0;
    (void)state;
    const char *const bad[] = { "", " 1", "1 ", "1,5", "1.5.2", "abc", "1e", "--1", "0x" };
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++)
        assert_false(crs_parse_double(bad[k], &v));
    assert_true(crs_parse_double("-1.5e-3", &v) && v == -1.5e-3);
    assert_true(crs_parse_double("0x1.8p1", &v) && v == 3);
    assert_true(crs_parse_double("inf", &v) && isinf(v));
    assert_true(crs_parse_double("nan", &v) && isnan(v));
}

static void numbers_do_not_follow_the_locale(void **state)
{
    double v = 0;
    (void)state;
    if (!setlocale(LC_NUMERIC, "de_DE.UTF-8")) skip();
    const bool read = crs_parse_double("1.5", &v);
    setlocale(LC_NUMERIC, "C");
    assert_true(read && v == 1.5);
}

static void specs_are_strict(void **state)
{
    crease_spec s;
    crease_error e;
    (void)state;
    assert_true(crease_spec_parse("scad:1,3.7", &s, &e));
    assert_string_equal(s.name, "scad");
    assert_true(s.count == 2 && s.value[0] == 1 && s.value[1] == 3.7);
    crease_spec_free(&s);
    assert_true(crease_spec_parse("zero", &s, &e) && s.count == 0);
    crease_spec_free(&s);
    const char *const bad[] = { "", ":1", "l1:", "l1:a", "l1:1,,2", "l1:1,", "l1: 1" };
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        assert_false(crease_spec_parse(bad[k], &s, &e));
        assert_true(e.code == CREASE_BAD_ARGUMENT && s.value == NULL);
    }
    char lengthy[300];
    memset(lengthy, 'a', 299), lengthy[299] = 0;
    assert_false(crease_spec_parse(lengthy, &s, &e));
}

static void parameters_keep_their_ranges(void **state)
{
    const crease_param list[] = { { "a", 2, INFINITY, CREASE_OPEN_LOW | CREASE_OPEN_HIGH, "" },
                                  { "k", 1, 10, CREASE_INTEGER, "" },
                                  { 0 } };
    crease_error e;
    (void)state;
    assert_int_equal(crease_param_count(list), 2);
    assert_int_equal(crease_param_count(NULL), 0);
    assert_true(crease_param_check("x", list, (double[]){ 2.5, 10 }, &e));
    const double bad[][2] = { { 2, 1 },   { INFINITY, 1 }, { NAN, 1 }, { 3, 0 },
                              { 3, 1.5 }, { 3, 11 },       { 3, NAN } };
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        assert_false(crease_param_check("x", list, bad[k], &e));
        assert_int_equal(e.code, CREASE_BAD_ARGUMENT);
    }
    assert_non_null(strstr(e.text, "k = nan"));
}

static void options_keep_their_ranges(void **state)
{
    crease_options o = crease_options_default();
    crease_error e;
    (void)state;
    assert_true(crease_options_check(&o, &e));
    assert_true(o.eps == 1e-6 && o.seed == 0);
    assert_true(crease_options_set(&o, "eps", "1e-3", &e) && o.eps == 1e-3);
    assert_true(crease_options_set(&o, "max_iterations", "7", &e) && o.max_iterations == 7);
    assert_false(crease_options_set(&o, "max_iteration", "7", &e));
    assert_non_null(strstr(e.text, "max_iterations"));
    assert_false(crease_options_set(&o, "seed", "1.5", &e));
    assert_false(crease_options_set(&o, "eps", "nan", &e));
    assert_false(crease_options_set(&o, "eps", "x", &e));
    o.eps = NAN;
    assert_false(crease_options_check(&o, &e));
    for (int k = 0; k < crease_option_count(); k++) {
        const crease_option at = crease_option_at(k);
        assert_true(at.value >= at.low && at.value <= at.high && at.text[0]);
    }
}

static void every_code_and_outcome_has_a_text(void **state)
{
    (void)state;
    assert_int_equal(CREASE_NOT_RUN, 0);
    assert_string_equal(crease_outcome_text(CREASE_NOT_RUN), "not run");
    assert_string_equal(crease_outcome_text(CREASE_STATIONARY),
                        "eps-stationary point found and certified");
    assert_string_equal(crease_outcome_text((crease_outcome)99), "unknown outcome");
    assert_string_equal(crease_code_text(CREASE_OK), "success");
    assert_string_equal(crease_code_text((crease_code)99), "unknown code");
    assert_string_equal(crease_version(), CREASE_VERSION);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unknown_names_suggest_the_nearest),
        cmocka_unit_test(numbers_are_whole_strings),
        cmocka_unit_test(numbers_do_not_follow_the_locale),
        cmocka_unit_test(specs_are_strict),
        cmocka_unit_test(parameters_keep_their_ranges),
        cmocka_unit_test(options_keep_their_ranges),
        cmocka_unit_test(every_code_and_outcome_has_a_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
