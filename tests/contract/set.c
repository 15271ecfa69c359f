/* SPDX-License-Identifier: MIT
 * set: every listed set keeps the contract of src/selftest/set.c; a new one is tested by being
 * listed */
#include "support/contract.h"

static void every_entry(void **state)
{
    (void)state;
    hold(crs_selftest_set, crease_set_count(), 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(every_entry) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
