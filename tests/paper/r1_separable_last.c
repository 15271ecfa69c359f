/* SPDX-License-Identifier: MIT
 * r1_separable_last: ADMM-g with f separable in the last block, gamma = 1/(beta c^2)
 *
 * In u = c x_N, L = L_N/c^2: Psi = L_beta + (L^2/b)|u - u^{k-1}|^2 falls by
 * min{(b - 2L)(b + L)/(2b), h/2}; kappa_1 = L^2/b^2, kappa_2 = L^2 c^2 */
#include "follow.h"

static double L_of(const crease_analysis *a) { return a->L_last / square(a->map_scale); }

static double memory(const crease_analysis *a)
{
    return square(L_of(a)) / a->beta * square(a->map_scale);
}

static double residual(const crease_analysis *a)
{
    return square(L_of(a)) * larger(1 / square(a->beta), square(a->map_scale));
}

static void run(crease_mode mode, double share, uint64_t stream)
{
    const statement t = { "R1", memory, residual, 1 };
    const crease_options o = plain(CREASE_METHOD_ADMM_G, mode, 200);
    figures n = { 0 };
    random_problem q;
    for (uint64_t k = 0; k < 1000 / SLOWDOWN; k++) {
        draw_problem(&q, k + 10000 * stream, SCALED_IDENTITY, k % 2 ? SEPARABLE : QUADRATIC);
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
