/* SPDX-License-Identifier: MIT
 * gamma_interval: for b > ((18 sqrt3 + 6)/13) L the last block's coefficient in Lemma 3.10,
 *     (L + b)/2 - 1/gamma + (6/b)(b - 1/gamma)^2 + 3 L^2/b,
 * is negative exactly for gamma between (13 b -+ sqrt(13 b^2 - 12 b L - 72 L^2))/(13 b^2 + bL +
 * 6 L^2); for smaller b it never is. The analysis draws the same line. */
#include <crease/analysis.h>

#include "paper/random_problem.h"

static double coefficient(double b, double L, double gamma)
{
    const double z = b - 1 / gamma;
    return (L + b) / 2 - 1 / gamma + 6 / b * z * z + 3 * L * L / b;
}

typedef struct {
    double low, high; /* low > high: empty */
} interval;

static interval of_gamma(double b, double L)
{
    const double q = 13 * b * b - 12 * b * L - 72 * L * L, d = 13 * b * b + b * L + 6 * L * L;
    if (!(q > 0)) return (interval){ 1, 0 };
    return (interval){ (13 * b - sqrt(q)) / d, (13 * b + sqrt(q)) / d };
}

static bool near(double t, double edge) { return fabs(t / edge - 1) < 1e-9; }

/* L = M of f = L x_1 x_2 in one dimension each, with the constraint x_1 + x_2 = 0. */
static bool accepted(double b, double L, double gamma)
{
    const crease_space space[] = { crease_vector(1), crease_vector(1) };
    const double one[] = { L }, *matrix[] = { one };
    const int row[] = { 0 }, col[] = { 1 };
    const crease_quadratic_data Q = { 1, row, col, matrix, NULL, 0 };
    const crease_set ball = crease_l2_ball(1);
    const crease_block block[] = { { .set = &ball, .map = crease_identity(1) },
                                   { .map = crease_identity(1) } };
    const crease_problem p = { 2, space, block, crease_quadratic(&Q), crease_vector(1), NULL };
    crease_options o = crease_options_default();
    crease_error e = { 0 };
    bool found = false, holds = false;
    o.method = CREASE_METHOD_ADMM_G;
    o.beta = b;
    o.gamma = gamma;
    crease_analysis *a = crease_analyse(&p, &o, &e);
    if (!a) fail_msg("%s", e.text);
    for (int k = 0; k < a->assumptions; k++)
        if (strcmp(a->assumption[k].name, "gamma in its interval") == 0)
            found = true, holds = a->assumption[k].status == CREASE_PROVED;
    assert_true(found && fabs(a->M / L - 1) < 1e-12);
    crease_analysis_free(a);
    return holds;
}

static void the_sign(void **state)
{
    draws d = { .r = { .seed = 31 } };
    const double edge = (18 * sqrt(3) + 6) / 13;
    long inside = 0, wrong = 0, skipped = 0;
    (void)state;
    for (long k = 0; k < 20000 / SLOWDOWN; k++) {
        const double L = exp(uniform(&d, -5, 5)), b = L * uniform(&d, 2, 9);
        const interval t = of_gamma(b, L);
        const double gamma = uniform(&d, 0.6, 1.4) / b;
        if (near(b, edge * L) || near(gamma, t.low) || near(gamma, t.high)) {
            skipped++;
            continue;
        }
        const bool within = gamma > t.low && gamma < t.high;
        wrong += (t.low <= t.high) != (b > edge * L);
        wrong += within != (coefficient(b, L, gamma) < 0);
        wrong += within != accepted(b, L, gamma);
        inside += within;
    }
    print_message("gamma: %d pairs (b, L), %ld inside, %ld on the edge, %ld mismatches\n",
                  20000 / SLOWDOWN, inside, skipped, wrong);
    assert_true(wrong == 0 && inside > 1000 / SLOWDOWN);
}

/* The values of the specification at L = 1, b = 5.1. */
static void known(void **state)
{
    (void)state;
    assert_close(-coefficient(5.1, 1, 12 / (13 * 5.1)), 1.674265, 1e-6);
    assert_close(-coefficient(4, 1, 0.25), (16 - 4 - 6) / 8.0, 1e-14); /* z = 0 */
    assert_true(accepted(3.01, 1, 1 / 3.01) && !accepted(2.99, 1, 1 / 2.99));
    const interval t = of_gamma(1, 0);
    assert_close(t.low, 0.7226, 1e-4);
    assert_close(t.high, 1.2774, 1e-4);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(the_sign), cmocka_unit_test(known) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
