/* SPDX-License-Identifier: MIT
 * bcd_theorem_4_5: proximal BCD: F falls by (1/2) min h sum |dx_i|^2 from the first iteration, and
 * the residuals at x^{k+1} are below kappa_5 = (L + max |H_i|)^2 (times diam^2 in setting 1) */
#include "statements.h"

static void theory(void **state)
{
    (void)state;
    hold(&(trial){ &theorem_4_5,
                   CREASE_METHOD_PROX_BCD,
                   { NO_CONSTRAINT, NO_CONSTRAINT },
                   { COUPLED, COUPLED },
                   1000,
                   200,
                   0.02,
                   false },
         CREASE_MODE_THEORY);
}

static void practical(void **state)
{
    (void)state;
    hold(&(trial){ &theorem_4_5,
                   CREASE_METHOD_PROX_BCD,
                   { NO_CONSTRAINT, NO_CONSTRAINT },
                   { COUPLED, COUPLED },
                   1000,
                   200,
                   0.01,
                   false },
         CREASE_MODE_PRACTICAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(theory),
        cmocka_unit_test(practical),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
