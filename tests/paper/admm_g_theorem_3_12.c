/* SPDX-License-Identifier: MIT
 * admm_g_theorem_3_12: proximal ADMM-g, A_N = c I, f coupled with the last block
 *
 * In u = c x_N: Psi_G = L_beta + (3/b)(z^2 + M^2)|u - u^{k-1}|^2, z = b - 1/gamma, falls by
 * tau (sum |dx_i|^2 + |du|^2); residuals at x^{k+1} by kappa_1 = 3 (z^2 + M^2)/b^2 (feasibility),
 * kappa_2 = (|z| + M)^2 c^2, kappa_4. In paper mode the joint L stands for M. */
#include "paper/statements.h"

static const trial problems = { .says = &theorem_3_12,
                                .method = CREASE_METHOD_ADMM_G,
                                .kind = { SCALED_IDENTITY, SCALED_IDENTITY },
                                .how = { COUPLED, COUPLED },
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

static void paper(void **state)
{
    (void)state;
    hold_to(&problems, 0.1, CREASE_MODE_PAPER);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(theory),
        cmocka_unit_test(practical),
        cmocka_unit_test(paper),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
