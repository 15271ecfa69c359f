/* SPDX-License-Identifier: MIT
 * smooth: every listed coupling keeps the contract of src/selftest/smooth.c; a new one is tested by
 * being listed */
#include "support/contract.h"

static void every_entry(void **state)
{
    (void)state;
    hold(crs_selftest_smooth, crease_smooth_count(), 300);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(every_entry) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
