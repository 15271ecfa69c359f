/* SPDX-License-Identifier: MIT
 * pursuit: principal component pursuit and its check survive any one of their allocations failing,
 * and the run makes none */
#include <crease/crease.h>

#include "core/core.h"
#include "support/survive.h"

enum { ROWS = 70, COLUMNS = 66 };

static bool check(const crease_rpca *r, crease_error *e)
{
    const double *x[] = { crease_rpca_block(r, 0), crease_rpca_block(r, 1) };
    crease_verification v;
    if (!crease_verify(crease_rpca_problem(r), x, crease_rpca_multiplier(r), NULL, false, 1e-6,
                       true, &v, e))
        return false;
    assert_int_equal(v.verdict, CREASE_VERDICT_VALID);
    crease_verification_free(&v);
    return true;
}

static bool pursue(crease_error *e)
{
    static double t[ROWS * COLUMNS];
    const crease_space shape = crease_matrix(ROWS, COLUMNS);
    crease_rpca_settings s = crease_rpca_default(&shape);
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++)
            t[i * COLUMNS + j] = sin(i + 1) * cos(j) + ((7 * i + 3 * j) % 23 == 0 ? 4 : 0);
    s.kind = CREASE_RPCA_PCP;
    crease_rpca *r = crease_rpca_new(&s, NULL, t, e);
    bool done = r;
    if (r) {
        const long live = allocations_live, left = allocations_left;
        assert_int_equal(crease_rpca_run(r), CREASE_STATIONARY);
        assert_true(allocations_live == live && allocations_left == left);
        done = check(r, e);
    }
    crease_rpca_free(r);
    return done;
}

static void survive(void **state)
{
    (void)state;
    survives(pursue, 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(survive) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
