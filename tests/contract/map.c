/* SPDX-License-Identifier: MIT
 * map: every listed map keeps the contract of src/selftest/map.c; a new one is tested by being
 * listed */
#include "support/contract.h"

static void every_entry(void **state)
{
    (void)state;
    hold(crs_selftest_map, crease_map_count(), 500);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(every_entry) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
