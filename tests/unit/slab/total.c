/* SPDX-License-Identifier: MIT
 * total: sums have no order, and are those of exact arithmetic */
#include "support/test.h"

#include <crease/random.h>

#include "slab/slab.h"

static const crease_random numbers = { 7, 0 };

static crs_total open_sum(ptrdiff_t size)
{
    crs_total t = { .arrays = 0 };
    crs_total_plan(&t, CRS_SUM, size);
    assert_true(crs_total_open(&t, NULL));
    return t;
}

/* Terms of any sign and of 2^-low .. 2^high */
static void draw(ptrdiff_t n, int low, int high, uint64_t from, double *x)
{
    for (ptrdiff_t j = 0; j < n; j++) {
        const uint64_t at = from + 3 * (uint64_t)j;
        const int e = low + (int)crease_random_below(numbers, at + 1, (uint64_t)(high - low + 1));
        x[j] = ldexp(crease_random_normal(numbers, at), e);
    }
}

static void the_sum_of_a_permutation_is_the_same_to_the_bit(void **state)
{
    enum { N = 500 };
    double x[N], y[N];
    (void)state;
    for (int wide = 0; wide < 1000; wide += 50) {
        draw(N, -wide, wide < 960 ? wide : 960, (uint64_t)wide, x);
        crs_total a = open_sum(1), b = open_sum(1), c = open_sum(1);
        for (int j = 0; j < N; j++) y[j] = x[j * 7 % N];
        for (int j = 0; j < N; j++) crs_total_add(&a, 0, 0, 1, x + j);
        for (int j = 0; j < N; j++) crs_total_add(j % 3 ? &b : &c, 0, 0, 1, y + j);
        crs_total_join(&c, &b);
        const double one = crs_total_at(&a, 0, 0), other = crs_total_at(&c, 0, 0);
        assert_memory_equal(&one, &other, sizeof one);
        crs_total_close(&a);
        crs_total_close(&b);
        crs_total_close(&c);
    }
}

/* Of terms k 2^-60 with |k| < 2^53 the sum in whole numbers is known. */
static void the_sum_is_exact_where_digits_suffice(void **state)
{
    enum { N = 1000 };
    (void)state;
    __extension__ typedef __int128 wide;
    wide exact = 0;
    crs_total t = open_sum(1);
    for (int j = 0; j < N; j++) {
        const int64_t k = (int64_t)(crease_random_below(numbers, (uint64_t)j, (uint64_t)1 << 53)) -
                          ((int64_t)1 << 52);
        const double x = ldexp((double)k, -60);
        exact += k;
        crs_total_add(&t, 0, 0, 1, &x);
    }
    assert_true(crs_total_at(&t, 0, 0) == ldexp((double)exact, -60));
    crs_total_close(&t);
}

/* What is lost is below 2^-80 of the largest, also where the largest cancels. */
static void small_terms_survive_beside_large_ones_that_cancel(void **state)
{
    const double x[] = { 0x1p60, 0x1.8p-15, -0x1p60 };
    (void)state;
    crs_total t = open_sum(1);
    crs_total_add(&t, 0, 0, 1, x);
    crs_total_add(&t, 0, 0, 1, x + 1);
    crs_total_add(&t, 0, 0, 1, x + 2);
    assert_true(crs_total_at(&t, 0, 0) == x[1]);
    crs_total_close(&t);
}

static void signs_and_extreme_exponents_are_kept(void **state)
{
    const double x[] = { -0x1.fffffffffffffp1023,
                         0x1.fffffffffffffp1023,
                         -0x1.23456789p-900,
                         -3,
                         0x1p-1022,
                         -0x1p40,
                         0x1p40,
                         0x1.fffffffffffffp39 };
    (void)state;
    for (size_t k = 0; k < sizeof x / sizeof *x; k++) {
        crs_total t = open_sum(1);
        crs_total_add(&t, 0, 0, 1, x + k);
        const double y = crs_total_at(&t, 0, 0);
        if (fabs(x[k]) > 0x1p-940)
            assert_true(y == x[k]);
        else
            assert_true(fabs(y - x[k]) <= 0x1p-1000);
        crs_total_close(&t);
    }
}

static void a_term_that_is_not_finite_makes_its_array_nan_and_no_other(void **state)
{
    const double x[] = { 1, NAN }, y[] = { 1, -INFINITY };
    (void)state;
    for (int k = 0; k < 2; k++) {
        crs_total t = { .arrays = 0 };
        crs_total_plan(&t, CRS_SUM, 2);
        crs_total_plan(&t, CRS_SUM, 2);
        assert_true(crs_total_open(&t, NULL));
        crs_total_add(&t, 0, 0, 2, k ? x : y);
        crs_total_add(&t, 1, 0, 1, x);
        assert_true(isnan(crs_total_at(&t, 0, 0)) && isnan(crs_total_at(&t, 0, 1)));
        assert_true(crs_total_at(&t, 1, 0) == 1);
        crs_total_clear(&t);
        assert_true(crs_total_at(&t, 0, 1) == 0);
        crs_total_close(&t);
    }
}

static void counts_add_up_and_most_is_the_largest(void **state)
{
    const int64_t a[] = { 3, 0, 5 }, b[] = { 1, 7, 2 };
    (void)state;
    crs_total t = { .arrays = 0 };
    crs_total_plan(&t, CRS_COUNT, 3);
    crs_total_plan(&t, CRS_MOST, 3);
    crs_total u = t;
    assert_true(crs_total_open(&t, NULL) && crs_total_open(&u, NULL));
    for (int k = 0; k < 2; k++) {
        crs_total_count(&t, k, 0, 3, a);
        crs_total_count(&u, k, 0, 3, b);
    }
    crs_total_join(&t, &u);
    for (int j = 0; j < 3; j++) {
        assert_int_equal(t.array[0].whole[j], a[j] + b[j]);
        assert_int_equal(t.array[1].whole[j], a[j] > b[j] ? a[j] : b[j]);
    }
    crs_total_close(&t);
    crs_total_close(&u);
}

static void numbers_as_whole_numbers_keep_their_order(void **state)
{
    const double x[] = { 0, 0x1p-1074, 1, 1.5, 3e300, INFINITY, NAN };
    (void)state;
    for (int k = 1; k < 7; k++) assert_true(crs_ordered(x[k - 1]) < crs_ordered(x[k]));
    for (int k = 0; k < 6; k++) assert_true(crs_unordered(crs_ordered(x[k])) == x[k]);
    assert_true(isnan(crs_unordered(crs_ordered(NAN))));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_sum_of_a_permutation_is_the_same_to_the_bit),
        cmocka_unit_test(the_sum_is_exact_where_digits_suffice),
        cmocka_unit_test(small_terms_survive_beside_large_ones_that_cancel),
        cmocka_unit_test(signs_and_extreme_exponents_are_kept),
        cmocka_unit_test(a_term_that_is_not_finite_makes_its_array_nan_and_no_other),
        cmocka_unit_test(counts_add_up_and_most_is_the_largest),
        cmocka_unit_test(numbers_as_whole_numbers_keep_their_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
