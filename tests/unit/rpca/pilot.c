/* SPDX-License-Identifier: MIT
 * pilot: the threshold of l1 against Huber's table and against the variance by integration
 */
#include "rpca/start.h"
#include "support/test.h"

/* The worst variance with a share p of outliers; sums of midpoints */
static double variance(double k, double p)
{
    const double h = 1e-3;
    double clipped = 0, inside = 0;
    for (double z = h / 2; z < 9; z += h) {
        const double weight = 2 * h * exp(-z * z / 2) / sqrt(2 * 3.14159265358979);
        clipped += weight * (z < k ? z * z : k * k);
        inside += z < k ? weight : 0;
    }
    return ((1 - p) * clipped + p * k * k) / square((1 - p) * inside);
}

/* Huber 1964, table I: the k of least variance for p = 0.05, 0.2, 0.4 is 1.399, 0.862, 0.436 */
static void threshold_is_the_largest_of_nearly_least_variance(void **state)
{
    const double share[] = { 0.05, 0.2, 0.4 }, best[] = { 1.399, 0.862, 0.436 };
    (void)state;
    for (int i = 0; i < 3; i++) {
        const double k = crs_cp_threshold(share[i], 3), least = variance(best[i], share[i]);
        assert_true(k > best[i] && k < 3);
        assert_true(sqrt(variance(k, share[i]) / least) < 1.035);
        assert_true(sqrt(variance(k + 0.1, share[i]) / least) > 1.025); /* not too cautious */
    }
}

static void few_outliers_leave_the_largest_threshold(void **state)
{
    (void)state;
    assert_true(crs_cp_threshold(0, 3) == 3 && crs_cp_threshold(0.001, 3) == 3);
    assert_true(crs_cp_threshold(NAN, 3) == 3 && crs_cp_threshold(1, 3) == 3);
    for (double p = 0; p < 0.9; p += 0.1)
        assert_true(crs_cp_threshold(p + 0.1, 3) <= crs_cp_threshold(p, 3));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threshold_is_the_largest_of_nearly_least_variance),
        cmocka_unit_test(few_outliers_leave_the_largest_threshold)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
