/* SPDX-License-Identifier: MIT
 * admm_m_theorem_3_18: proximal ADMM-m, A_N of full row rank, f coupled with the last block
 *
 * Psi_L = L_beta + 3 (M^2 + ell^2)/(b sigma_N) |x_N - x_N^{k-1}|^2 falls by tau sum |dx_i|^2;
 * residuals at x^{k+1} by kappa_1 = 3 (M^2 + ell^2)/(b^2 sigma_N), kappa_2 = (ell + L_N)^2 and
 * kappa_4. In paper mode the joint L stands for M and ell. */
#include "paper/statements.h"

static const trial problems = { .says = &theorem_3_18,
                                .method = CREASE_METHOD_ADMM_M,
                                .kind = { FULL_ROW_RANK, SCALED_IDENTITY },
                                .how = { COUPLED, SEPARABLE },
                                .problems = 1000,
                                .iterations = 200 };

static void theory(void **state)
{
    (void)state;
    hold_to(&problems, 0.2, CREASE_MODE_THEORY);
}

static void practical(void **state)
{
    (void)state;
    hold_to(&problems, 0.1, CREASE_MODE_PRACTICAL);
}

static void paper(void **state)
{
    (void)state;
    hold_to(&problems, 0.2, CREASE_MODE_PAPER);
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
