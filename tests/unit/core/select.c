/* SPDX-License-Identifier: MIT
 * select: the k-th smallest number is the k-th of the sorted ones, ties and NaN included */
#include "support/arrays.h"

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void selection(void **state)
{
    draws d = { { 43, 0 }, 0 };
    (void)state;
    for (ptrdiff_t n = 1; n < 60; n++) {
        double x[60], sorted[60];
        for (ptrdiff_t k = 0; k < n; k++) {
            for (ptrdiff_t j = 0; j < n; j++) x[j] = floor(uniform(&d, 0, n % 3 ? 100 : 5));
            memcpy(sorted, x, sizeof sorted);
            qsort(sorted, (size_t)n, sizeof *sorted, ascending);
            assert_true(crs_select(n, x, k) == sorted[k]);
        }
        x[n / 2] = NAN;
        assert_true(isnan(crs_median(n, x)));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(selection) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
