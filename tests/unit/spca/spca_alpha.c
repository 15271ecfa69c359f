/* SPDX-License-Identifier: MIT
 * spca_alpha: the weight chosen from the data has the threshold it says, and the noise is measured
 */
#include "support/spike.h"

static const crease_space shape = { .order = 3, .dim = { 4, 3, 5 } };

static crease_spca *model(const crease_spca_settings *s, const double *t)
{
    crease_error e = { CREASE_OK, "" };
    crease_spca *m = crease_spca_new(s, t, &e);
    if (!m) fail_msg("%s", e.text);
    return m;
}

/* Entries of t_i below fraction * max |t_i| vanish, others do not: for l1 by the minimizer of
 * -<t_i, y> + alpha |y|_1, for l0 by whether the entry pays, to second order. */
static void weights(void **state)
{
    draws d = { { 3, 1 }, 0 };
    double *t = random_doubles(&d, 60, 1);
    crease_spca_settings s = crease_spca_default(&shape);
    const crease_reg penalty[] = { crease_l1(2), crease_mcp(0.5, 3), crease_l0(3) };
    double threshold[3];
    (void)state;
    assert_close(s.fraction, 1.0 / 6, 1e-16);
    for (int k = 0; k < 3; k++) {
        s.penalty = penalty[k], s.fraction = 0.25;
        crease_spca *m = model(&s, t);
        double peak = INFINITY, norm = 0;
        for (int n = 0; n < 3; n++) {
            const double *x[3];
            double one[5] = { 0 }, slope[5], most = 0;
            for (int i = 0; i < 3; i++) x[i] = crease_spca_problem(m)->block[i].start;
            x[n] = one;
            for (ptrdiff_t j = 0; j < shape.dim[n]; j++) {
                one[j] = 1, slope[j] = naive_contract(&shape, t, x), one[j] = 0;
                most = larger(most, fabs(slope[j]));
            }
            if (most < peak) peak = most, norm = crs_norm(shape.dim[n], slope);
        }
        threshold[k] = k == 0   ? 2 * crease_spca_alpha(m)
                       : k == 1 ? 0.5 * crease_spca_alpha(m)
                                : sqrt(2 * norm * 3 * crease_spca_alpha(m));
        assert_close(threshold[k], 0.25 * peak, 1e-12);
        const double alpha = crease_spca_alpha(m), ratio = 0.1 / threshold[k];
        crease_spca_free(m);
        crease_spca_settings by_number = s;
        by_number.threshold = 0.1;
        m = model(&by_number, t);
        assert_close(crease_spca_alpha(m), alpha * (k == 2 ? ratio * ratio : ratio), 1e-12);
        crease_spca_free(m);
    }
    free(t);
}

/* The median of |N(0,1)| of n numbers has standard deviation 1.17/sqrt(n) relative to s: four of
 * them, and what 64 entries of a spike shift the median by. */
static void noise(void **state)
{
    spike p = { .shape = { .order = 3, .dim = { 20, 20, 20 } }, .nonzeros = 4, .noise = 0.3 };
    double s;
    (void)state;
    p.strength[0] = 100;
    for (uint64_t seed = 0; seed < 5; seed++) {
        make_spike(&p, seed);
        assert_true(crease_spca_noise(&p.shape, p.tensor, &s, NULL));
        assert_true(fabs(s / 0.3 - 1) < 4 * 1.17 / sqrt(8000) + 2.0 * 64 / 8000);
        free_spike(&p);
        for (int n = 0; n < 3; n++) p.u[0][n] = NULL;
    }
    const crease_space small = crease_matrix(1, 4);
    const double even[] = { -3, 1, -1, 5 }, bad[] = { 1, 2, NAN, 4 };
    assert_true(crease_spca_noise(&small, even, &s, NULL));
    assert_close(s, 2 / 0.6744897501960817, 1e-15);
    assert_false(crease_spca_noise(&small, bad, &s, NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(weights), cmocka_unit_test(noise) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
