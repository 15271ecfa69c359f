/* SPDX-License-Identifier: MIT
 * magnitudes: means of bounded squares, Huber's sums, medians and deviations as of the numbers */
#include <crease/random.h>

#include "rpca/rank/rank.h"
#include "support/test.h"

enum { COUNT = 4000 };

/* Noise of deviation 0.3; every fifth number is an outlier. */
static void numbers(double *x)
{
    const crease_random random = { 3, 1 };
    for (int j = 0; j < COUNT; j++)
        x[j] = crease_random_normal(random, (uint64_t)j) * (j % 5 ? 0.3 : 50);
}

static void sums_are_exact_at_edges(void **state)
{
    static double x[COUNT];
    static crs_magnitudes m;
    (void)state;
    numbers(x);
    m = (crs_magnitudes){ .unit = 0.7 };
    for (int j = 0; j < COUNT; j++) crs_magnitudes_add(&m, x[j]);
    for (double t = 1e-3; t < 1e3; t *= 1.7) {
        const double edge = 0.7 * exp2(floor(32 * log2(t / 0.7)) / 32);
        double bounded = 0, huber = 0;
        assert_close(crs_magnitudes_bounded(&m, edge), crs_magnitudes_bounded(&m, t), 1e-12);
        for (int j = 0; j < COUNT; j++) {
            const double a = fabs(x[j]);
            bounded += square(a < edge ? a : edge) / COUNT;
            huber += a < edge ? a * a / 2 : edge * a - edge * edge / 2;
        }
        assert_close(crs_magnitudes_bounded(&m, t), bounded, 1e-11);
        assert_close(crs_magnitudes_huber(&m, t), huber, 1e-11);
    }
}

static void medians_and_deviations_are_within_a_bin(void **state)
{
    static double x[COUNT], work[COUNT];
    static crs_magnitudes m[2];
    const crs_magnitudes *const both[] = { m, m + 1 };
    (void)state;
    numbers(x);
    *m = (crs_magnitudes){ .unit = 1 };
    *(m + 1) = (crs_magnitudes){ .unit = 1 };
    for (int j = 0; j < COUNT; j++) {
        crs_magnitudes_add(m + j % 2, x[j]);
        work[j] = fabs(x[j]);
    }
    const double median = crs_median(COUNT, work);
    assert_true(fabs(crs_magnitudes_median(2, both) / median - 1) < 0.02);
    assert_true(median / 0.6745 > 0.36); /* a fifth are outliers: these it takes for noise */
    assert_true(fabs(crs_magnitudes_scale(m, 0) / 0.3 - 1) < 0.1);
    assert_close(crs_magnitudes_scale(m, COUNT / 8), crs_magnitudes_scale(m, 0) * sqrt(4.0 / 3),
                 1e-12);
}

static void what_has_no_bin_of_its_own_is_counted(void **state)
{
    static crs_magnitudes m;
    const crs_magnitudes *const one[] = { &m };
    (void)state;
    m = (crs_magnitudes){ .unit = 1 };
    assert_true(crs_magnitudes_bounded(&m, 1) == 0 && crs_magnitudes_median(1, one) == 0);
    crs_magnitudes_add(&m, 0);
    crs_magnitudes_add(&m, 1e-200);
    crs_magnitudes_add(&m, -1e200);
    crs_magnitudes_add(&m, NAN);
    assert_true(m.all == 4);
    assert_close(crs_magnitudes_bounded(&m, 2), 2 * 4 / 4.0, 1e-12); /* nan is beyond any bound */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_are_exact_at_edges),
        cmocka_unit_test(medians_and_deviations_are_within_a_bin),
        cmocka_unit_test(what_has_no_bin_of_its_own_is_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
