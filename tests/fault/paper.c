/* SPDX-License-Identifier: MIT
 * paper: any allocation of a run of the paper's experiment may fail */
#include "support/fail_alloc.h"

#include "study/paper.h"
#include "support/test.h"

static void allocations(void **state)
{
    const crs_paper_row row = crs_paper_row_at(1, 1);
    const crs_paper_recipe recipe = { .seed = 0 };
    bool done = false;
    (void)state;
    for (long n = 0; !done; n++) {
        crs_paper_outcome out[2];
        crease_error e = { CREASE_OK, "" };
        allocations_left = n;
        done = crs_paper_runs(&row, &recipe, CRS_PAPER_PROX_BCD, 2, 1, out, &e);
        assert_true(done ? n > 10 && out[1].error < 1 : e.code == CREASE_NO_MEMORY);
        assert_int_equal(allocations_live, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(allocations) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
