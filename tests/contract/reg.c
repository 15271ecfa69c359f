/* SPDX-License-Identifier: MIT
 * reg: every listed regularizer keeps the contract of src/selftest/reg.c; a new one is tested by
 * being listed */
#include "support/contract.h"

static void every_entry(void **state)
{
    (void)state;
    hold(crs_selftest_reg, crease_reg_count(), 3000);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(every_entry) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
