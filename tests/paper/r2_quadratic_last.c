/* SPDX-License-Identifier: MIT
 * r2_quadratic_last: the last block minimized exactly, f quadratic and separable in it, A_N = c I
 *
 * In u = c x_N with D/c^2 for D: L_beta itself falls by min{(b - D)(b + 2D)/(2b), h/2};
 * kappa_1 = max D^2/b^2, kappa_2 = 0, and theta_k is a single move */
#include "follow.h"

static double residual(const crease_analysis *a)
{
    const double size = larger(fabs(a->last_low), fabs(a->last_high)) / square(a->map_scale);
    return square(size / a->beta);
}

static void run(crease_mode mode, double share, uint64_t stream)
{
    const statement t = { "R2", NULL, residual, 1 };
    const crease_options o = plain(CREASE_METHOD_ADMM_M, mode, 200);
    figures n = { 0 };
    random_problem q;
    for (uint64_t k = 0; k < 1000 / SLOWDOWN; k++) {
        draw_problem(&q, k + 10000 * stream, SCALED_IDENTITY, QUADRATIC);
        follow(&q, &o, &t, share, &n);
    }
    report(crease_mode_name(mode), &n);
    assert_held(&n);
}

static void theory(void **state) { (void)state, run(CREASE_MODE_THEORY, 0.1, 1); }
static void practical(void **state) { (void)state, run(CREASE_MODE_PRACTICAL, 0.05, 2); }

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(theory),
        cmocka_unit_test(practical),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
