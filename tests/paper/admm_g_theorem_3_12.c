/* SPDX-License-Identifier: MIT
 * admm_g_theorem_3_12: proximal ADMM-g, A_N = c I, f coupled with the last block
 *
 * In u = c x_N: Psi_G = L_beta + (3/b)(z^2 + M^2)|u - u^{k-1}|^2, z = b - 1/gamma, falls by
 * tau (sum |dx_i|^2 + |du|^2); residuals at x^{k+1} by kappa_1 = 3 (z^2 + M^2)/b^2 (feasibility),
 * kappa_2 = (|z| + M)^2 c^2, kappa_4. In paper mode the joint L stands for M. */
#include "follow.h"

static double M_of(const crease_analysis *a)
{
    const double c = fabs(a->map_scale), M = a->M / c * larger(1, 1 / c);
    return a->mode == CREASE_MODE_PAPER ? larger(M, a->L * larger(1, 1 / (c * c))) : M;
}

static double z_of(const crease_analysis *a)
{
    return a->beta - 1 / (a->gamma * square(a->map_scale));
}

static double memory(const crease_analysis *a)
{
    return 3 / a->beta * (square(z_of(a)) + square(M_of(a))) * square(a->map_scale);
}

static double residual(const crease_analysis *a)
{
    const double feasible = 3 / square(a->beta) * (square(z_of(a)) + square(M_of(a)));
    return larger(feasible, square(fabs(z_of(a)) + M_of(a)) * square(a->map_scale));
}

static void run(crease_mode mode, double share, uint64_t stream)
{
    const statement t = { "Theorem 3.12", memory, residual, 1 };
    const crease_options o = plain(CREASE_METHOD_ADMM_G, mode, 200);
    figures n = { 0 };
    random_problem q;
    for (uint64_t k = 0; k < 1000 / SLOWDOWN; k++) {
        draw_problem(&q, k + 10000 * stream, SCALED_IDENTITY, COUPLED);
        follow(&q, &o, &t, share, &n);
    }
    report(crease_mode_name(mode), &n);
    assert_held(&n);
}

static void theory(void **state) { (void)state, run(CREASE_MODE_THEORY, 0.1, 1); }
static void practical(void **state) { (void)state, run(CREASE_MODE_PRACTICAL, 0.05, 2); }
static void paper(void **state) { (void)state, run(CREASE_MODE_PAPER, 0.1, 3); }

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(theory),
        cmocka_unit_test(practical),
        cmocka_unit_test(paper),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
