/* SPDX-License-Identifier: MIT
 * envelope_solver: any allocation may fail, the forecast is what is allocated, steps take none */
#include <stdlib.h>

#include "rpca/envelope/envelope.h"
#include "support/fail_alloc.h"
#include "support/test.h"

static void memory(void **state)
{
    (void)state;
    enum { SIZE = 7 * 8 * 9 };
    const crease_space shape = { .order = 3, .dim = { 7, 8, 9 } };
    crs_envelope_solver_settings c = crs_envelope_solver_default(&shape, 3);
    double T[SIZE], x[27];
    const double *factor[] = { x, x, x };
    crs_envelope_solver *s = NULL;
    draws d = { 0 };
    for (int j = 0; j < SIZE; j++) T[j] = normal(&d);
    for (int j = 0; j < 27; j++) x[j] = normal(&d);
    c.penalty.weight = 0.5;
    c.nonneg = true;
    c.threads = 2;
    for (long needed = 0; !s; needed++) {
        crease_error e = { CREASE_OK, "" };
        allocations_left = needed;
        allocations_bytes = 0;
        s = crs_envelope_solver_new(&c, T, &e);
        assert_true(s || (e.code == CREASE_NO_MEMORY && allocations_live == 0));
    }
    assert_int_equal(allocations_bytes, crs_envelope_solver_bytes(&c, NULL));
    allocations_left = 0; /* nothing is allocated from here on */
    assert_true(crs_envelope_solver_start(s, 3, factor, NULL));
    for (int k = 0; k < 50; k++) crs_envelope_solver_step(s);
    assert_true(isfinite(crs_envelope_solver_progress(s)->value));
    crs_envelope_solver_free(s);
    assert_int_equal(allocations_live, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(memory) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
