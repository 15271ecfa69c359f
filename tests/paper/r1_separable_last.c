/* SPDX-License-Identifier: MIT
 * r1_separable_last: ADMM-g with f separable in the last block, gamma = 1/(beta c^2)
 *
 * In u = c x_N, L = L_N/c^2: Psi = L_beta + (L^2/b)|u - u^{k-1}|^2 falls by
 * min{(b - 2L)(b + L)/(2b), h/2}; kappa_1 = L^2/b^2, kappa_2 = L^2 c^2. */
#include "paper/statements.h"

static const trial problems = { .says = &r1,
                                .method = CREASE_METHOD_ADMM_G,
                                .kind = { SCALED_IDENTITY, SCALED_IDENTITY },
                                .how = { SEPARABLE, QUADRATIC },
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
