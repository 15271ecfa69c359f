/* SPDX-License-Identifier: MIT
 * admm_m_theorem_3_18: proximal ADMM-m, A_N of full row rank, f coupled with the last block
 *
 * Psi_L = L_beta + 3 (M^2 + ell^2)/(b sigma_N) |x_N - x_N^{k-1}|^2 falls by tau sum |dx_i|^2;
 * residuals at x^{k+1} by kappa_1 = 3 (M^2 + ell^2)/(b^2 sigma_N), kappa_2 = (ell + L_N)^2 and
 * kappa_4. In paper mode the joint L stands for M and ell */
#include "follow.h"

static double M_of(const crease_analysis *a)
{
    return a->mode == CREASE_MODE_PAPER ? larger(a->M, a->L) : a->M;
}

static double memory(const crease_analysis *a)
{
    return 3 * (square(M_of(a)) + square(a->ell)) / (a->beta * a->sigma_last);
}

static double residual(const crease_analysis *a)
{
    const double feasible = 3 * (square(M_of(a)) + square(a->ell)) / square(a->beta);
    return larger(feasible / a->sigma_last, square(a->ell + a->L_last));
}

static void run(crease_mode mode, double share, uint64_t stream)
{
    const statement t = { "Theorem 3.18", memory, residual, 1 };
    const crease_options o = plain(CREASE_METHOD_ADMM_M, mode, 300);
    figures n = { 0 };
    random_problem q;
    for (uint64_t k = 0; k < 1000 / SLOWDOWN; k++) {
        draw_problem(&q, k + 10000 * stream, k % 4 ? FULL_ROW_RANK : SCALED_IDENTITY,
                     k % 3 ? COUPLED : SEPARABLE);
        follow(&q, &o, &t, share, &n);
    }
    report(crease_mode_name(mode), &n);
    assert_held(&n);
}

static void theory(void **state) { (void)state, run(CREASE_MODE_THEORY, 0.2, 1); }
static void practical(void **state) { (void)state, run(CREASE_MODE_PRACTICAL, 0.1, 2); }
static void paper(void **state) { (void)state, run(CREASE_MODE_PAPER, 0.2, 3); }

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(theory),
        cmocka_unit_test(practical),
        cmocka_unit_test(paper),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
