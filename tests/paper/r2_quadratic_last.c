/* SPDX-License-Identifier: MIT
 * r2_quadratic_last: the last block minimized exactly, f quadratic and separable in it, A_N = c I
 *
 * In u = c x_N with D/c^2 for D: L_beta itself falls by min{(b - D)(b + 2D)/(2b), h/2};
 * kappa_1 = max D^2/b^2, kappa_2 = 0, and theta_k is a single move. */
#include "paper/statements.h"

static const trial problems = { .says = &r2,
                                .method = CREASE_METHOD_ADMM_M,
                                .kind = { SCALED_IDENTITY, SCALED_IDENTITY },
                                .how = { QUADRATIC, QUADRATIC },
                                .problems = 1000,
                                .iterations = 200 };

static void theory(void **state)
{
    (void)state;
    hold_to(&problems, 0.1, CREASE_MODE_THEORY);
}

static void practical(void **state)
{
    (void)state;
    hold_to(&problems, 0.05, CREASE_MODE_PRACTICAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(theory),
        cmocka_unit_test(practical),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
