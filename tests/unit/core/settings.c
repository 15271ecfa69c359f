/* SPDX-License-Identifier: MIT
 * settings: structs that grow: an older caller's, a later caller's, and none */
#include <crease/regression.h>
#include <crease/spca.h>

#include "core/core.h"
#include "support/test.h"

/* The library's own struct, one of before `later` was added, one with more. */
typedef struct {
    size_t size;
    double first, later;
} own_settings;

typedef struct {
    size_t size;
    double first;
} older_settings;

typedef struct {
    size_t size;
    double first, later, unknown;
} later_settings;

static const own_settings plain = { sizeof(own_settings), 1, 2 };

static void an_older_struct_gets_the_defaults_of_what_it_lacks(void **state)
{
    own_settings own = plain;
    const older_settings given = { sizeof given, 7 };
    (void)state;
    assert_true(crs_settings_take("options", &own, sizeof own, &given, NULL));
    assert_true(own.first == 7 && own.later == 2 && own.size == sizeof own);
    older_settings to = { 0, 0 };
    crs_settings_give(&to, sizeof to, &plain, sizeof plain);
    assert_true(to.size == sizeof to && to.first == 1);
}

static void a_later_struct_works_unless_it_sets_what_is_unknown(void **state)
{
    own_settings own = plain;
    later_settings given;
    crease_error e = { CREASE_OK, "" };
    (void)state;
    memset(&given, 0xff, sizeof given);
    crs_settings_give(&given, sizeof given, &plain, sizeof plain);
    assert_true(given.size == sizeof given && given.unknown == 0);
    given.later = 5;
    assert_true(crs_settings_take("options", &own, sizeof own, &given, NULL));
    assert_true(own.first == 1 && own.later == 5 && own.size == sizeof own);
    given.unknown = 1;
    assert_false(crs_settings_take("options", &own, sizeof own, &given, &e));
    assert_true(e.code == CREASE_UNSUPPORTED && strstr(e.text, "later version"));
}

static void a_struct_without_its_size_is_refused(void **state)
{
    own_settings own = plain;
    const own_settings given = { 0, 3, 4 };
    crease_error e = { CREASE_OK, "" };
    (void)state;
    assert_false(crs_settings_take("options", &own, sizeof own, &given, &e));
    assert_true(e.code == CREASE_BAD_ARGUMENT && strstr(e.text, "crease_options_default"));
    assert_true(crs_settings_take("options", &own, sizeof own, NULL, NULL));
    assert_true(own.first == 1 && own.later == 2);
}

/* A program compiled before `seed`, the last option, was there. */
static void options_of_an_older_program_are_read_and_set(void **state)
{
    const size_t size = offsetof(crease_options, seed);
    crease_options o, own;
    (void)state;
    memset(&o, 0xff, sizeof o);
    crease_options_init(&o, size);
    assert_true(o.size == size && o.eps == 1e-6 && o.seed == -1);
    assert_true(crease_options_set(&o, "eps", "1e-3", NULL) && o.eps == 1e-3 && o.seed == -1);
    assert_true(crease_options_check(&o, NULL) && crs_options_take(&o, &own, NULL));
    assert_true(own.eps == 1e-3 && own.seed == 0 && own.size == sizeof own);
    o.size = 0;
    assert_false(crease_options_check(&o, NULL));
}

/* Programs compiled before the last member of each was there. */
static void settings_of_older_programs_build_models(void **state)
{
    const crease_space shape = crease_matrix(4, 3);
    const double X[12] = { 1, 2, 3, 4, 5, 7, 6, 8, 9, 1, 3, 2 }, y[4] = { 1, 2, 4, 3 };
    crease_regression_settings r;
    crease_spca_settings s;
    (void)state;
    memset(&r, 0xff, sizeof r), memset(&s, 0xff, sizeof s);
    crease_regression_init(&r, offsetof(crease_regression_settings, max_seconds));
    crease_spca_init(&s, offsetof(crease_spca_settings, seed), &shape);
    crease_regression *m = crease_regression_new(&r, 4, 3, X, y, NULL);
    crease_spca *p = crease_spca_new(&s, X, NULL);
    assert_true(m && p && crease_regression_used(m)->max_seconds == INFINITY);
    assert_true(crease_regression_used(m)->size == sizeof r);
    crease_regression_free(m);
    crease_spca_free(p);
    r.size = s.size = 0;
    assert_null(crease_regression_new(&r, 4, 3, X, y, NULL));
    assert_null(crease_spca_new(&s, X, NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_older_struct_gets_the_defaults_of_what_it_lacks),
        cmocka_unit_test(a_later_struct_works_unless_it_sets_what_is_unknown),
        cmocka_unit_test(a_struct_without_its_size_is_refused),
        cmocka_unit_test(options_of_an_older_program_are_read_and_set),
        cmocka_unit_test(settings_of_older_programs_build_models),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
