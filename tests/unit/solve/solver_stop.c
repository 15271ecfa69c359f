/* SPDX-License-Identifier: MIT
 * solver_stop: the last iterate is certified however a run ends */
#include "support/sharing.h"

static bool until_seven(const crease_progress *progress, void *user)
{
    (void)user;
    return progress->iteration < 7;
}

static double worst_after(const crease_options *o, crease_callback *call, crease_outcome *how)
{
    sharing s;
    make_sharing(&s, 1, 0);
    crease_solver *a = solver_for(&s.problem, o);
    crease_solver_callback(a, call, NULL);
    *how = crease_solve(a);
    const double worst = crease_solver_certificate(a)->worst;
    crease_solver_free(a);
    return worst;
}

/* Between two certificates as at one of them. */
static void the_iterate_of_a_stop_is_certified(void **state)
{
    crease_outcome how;
    (void)state;
    for (int k = 0; k < 3; k++) {
        double worst[2];
        for (int rare = 0; rare < 2; rare++) {
            crease_options o = options_to(1e-12);
            o.certify_every = rare ? 1000000 : 1;
            if (k == 1) o.max_evaluations = 100;
            if (k == 2) o.theta = 1e-3;
            worst[rare] = worst_after(&o, k == 0 ? until_seven : NULL, &how);
            assert_int_equal(how, k == 1 ? CREASE_EVALUATION_LIMIT : CREASE_STOPPED);
        }
        assert_true(worst[0] == worst[1]);
    }
}

static void a_stationary_point_at_a_limit_is_called_so(void **state)
{
    crease_options o = options_to(1e-6);
    crease_outcome how;
    (void)state;
    o.certify_every = 1000000;
    o.max_evaluations = 20000;
    assert_true(worst_after(&o, NULL, &how) <= 1e-6);
    assert_int_equal(how, CREASE_STATIONARY);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_iterate_of_a_stop_is_certified),
        cmocka_unit_test(a_stationary_point_at_a_limit_is_called_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
