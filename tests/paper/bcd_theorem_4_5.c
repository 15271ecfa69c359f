/* SPDX-License-Identifier: MIT
 * bcd_theorem_4_5: proximal BCD: F falls by (1/2) min h sum |dx_i|^2 from the first iteration, and
 * the residuals at x^{k+1} are below kappa_5 = (L + max |H_i|)^2 (times diam^2 in setting 1) */
#include "follow.h"

static void run(crease_mode mode, double share, uint64_t stream)
{
    const statement t = { "Theorem 4.5", NULL, NULL, 0 };
    const crease_options o = plain(CREASE_METHOD_PROX_BCD, mode, 200);
    figures n = { 0 };
    random_problem q;
    for (uint64_t k = 0; k < 1000 / SLOWDOWN; k++) {
        draw_problem(&q, k + 10000 * stream, NO_CONSTRAINT, COUPLED);
        follow(&q, &o, &t, share, &n);
    }
    report(crease_mode_name(mode), &n);
    assert_held(&n);
}

static void theory(void **state) { (void)state, run(CREASE_MODE_THEORY, 0.01, 1); }
static void practical(void **state) { (void)state, run(CREASE_MODE_PRACTICAL, 0.01, 2); }

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(theory),
        cmocka_unit_test(practical),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
