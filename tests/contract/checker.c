/* SPDX-License-Identifier: MIT
 * checker: every listed entry has its row in the independent checker; without it each result ends
 * UNSUPPORTED */
#include "support/contract.h"

static bool is_known(const crs_report *r)
{
    for (int k = 0; k < r->count; k++)
        if (strcmp(r->check[k].what, CRS_KNOWN) == 0) return r->check[k].worst <= r->check[k].limit;
    return false;
}

static void every_entry_is_known(contract *check, int count)
{
    int unknown = 0;
    assert_true(count > 0);
    for (int k = 0; k < count; k++) {
        crs_report r;
        crease_error e = { CREASE_OK, "" };
        if (!check(k, 10, 1, &r, &e)) fail_msg("%s %s: no instance: %s", r.kind, r.name, e.text);
        if (!is_known(&r)) print_error("%s %s has no row in src/verify\n", r.kind, r.name);
        unknown += !is_known(&r);
    }
    assert_int_equal(unknown, 0);
}

static void every_regularizer_has_a_row(void **state)
{
    (void)state;
    every_entry_is_known(crs_selftest_reg, crease_reg_count());
}

static void every_set_has_a_row(void **state)
{
    (void)state;
    every_entry_is_known(crs_selftest_set, crease_set_count());
}

static void every_map_has_a_row(void **state)
{
    (void)state;
    every_entry_is_known(crs_selftest_map, crease_map_count());
}

static void every_coupling_has_a_row(void **state)
{
    (void)state;
    every_entry_is_known(crs_selftest_smooth, crease_smooth_count());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_regularizer_has_a_row),
        cmocka_unit_test(every_set_has_a_row),
        cmocka_unit_test(every_map_has_a_row),
        cmocka_unit_test(every_coupling_has_a_row),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
