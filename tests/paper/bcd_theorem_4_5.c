/* SPDX-License-Identifier: MIT
 * bcd_theorem_4_5: proximal BCD: F falls by (1/2) min h sum |dx_i|^2 from the first iteration, and
 * the residuals at x^{k+1} are below kappa_5 = (L + max |H_i|)^2 (times diam^2 in setting 1) */
#include "paper/statements.h"

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

/* Strongly nonconvex penalties on balls: their joint prox is exact for small steps only, which
 * asks for tau_i far above L_i. */
static void small_steps(void **state)
{
    const crease_options o = plain(CREASE_METHOD_PROX_BCD, CREASE_MODE_PRACTICAL, 100);
    figures n = { 0 };
    random_problem q;
    (void)state;
    for (uint64_t k = 0; k < 500 / SLOWDOWN; k++) {
        draw_problem(&q, k + 150000, NO_CONSTRAINT, COUPLED);
        for (int i = 0; i < q.p.count; i++) {
            q.set[i] = crease_l2_ball(uniform(&q.d, 0.5, 2));
            q.block[i].set = &q.set[i];
            q.block[i].reg = crease_lsp(uniform(&q.d, 0.5, 2), uniform(&q.d, 0.1, 0.4));
            for (int j = 0; j < ENTRIES * ENTRIES; j++) q.weight[0][i][j] *= 0.5;
        }
        follow(&q, &o, &theorem_4_5, 0.02, &n);
    }
    report("small steps", &n);
    assert_held(&n);
}

/* f = q'x on a ball: L = 0, and the step is still a proximal one. */
static void linear(void **state)
{
    const crease_space plane = crease_vector(2);
    const crease_set ball = crease_l2_ball(2);
    const crease_block block = { .set = &ball };
    const double q[] = { 3, -4 }, *linear_part[] = { q };
    const crease_quadratic_data f = { .linear = linear_part, .blocks = 1 };
    const crease_problem p = { 1, &plane, &block, crease_quadratic(&f), { 0 }, NULL };
    const crease_options o = plain(CREASE_METHOD_PROX_BCD, CREASE_MODE_THEORY, 1000);
    crease_error e = { 0 };
    (void)state;
    crease_solver *s = crease_solver_new(&p, &o, &e);
    if (!s) fail_msg("%s", e.text);
    assert_int_equal(crease_solve(s), CREASE_STATIONARY);
    assert_close(crease_solution(s, 0)[0], -1.2, 1e-6);
    assert_close(crease_solution(s, 0)[1], 1.6, 1e-6);
    crease_solver_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(theory),
        cmocka_unit_test(practical),
        cmocka_unit_test(small_steps),
        cmocka_unit_test(linear),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
