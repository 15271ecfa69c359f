/* SPDX-License-Identifier: MIT
 * map_rounding: bounds of maps that cancel, overflow, vanish, or are too large to write out */
#include "map/directed.h"
#include "map/map.h"
#include "support/map_samples.h"

static double norm_of(crease_map A, ptrdiff_t n, ptrdiff_t m)
{
    const crease_space dom = crease_vector(n), ran = crease_vector(m);
    double bound = NAN;
    assert_true(crease_map_norm(&A, &dom, &ran, &bound, NULL));
    return bound;
}

static double sigma_of(crease_map A, ptrdiff_t n, ptrdiff_t m)
{
    const crease_space dom = crease_vector(n), ran = crease_vector(m);
    double bound = NAN;
    assert_true(crease_map_sigma_min(&A, &dom, &ran, &bound, NULL));
    return bound;
}

/* 11 bits times 53, and their sum, are exact in the 64 of a long double. */
static void directed_operations_err_to_their_side(void **state)
{
    draws d = { { 5, 6 }, 0 };
    (void)state;
    for (int k = 0; k < 20000; k++) {
        const double a = floor(uniform(&d, 1024, 2048)) / 1024, b = uniform(&d, 1, 4);
        const long double product = (long double)a * b, sum = (long double)a + b;
        const long double up = sqrt_up(b), down = sqrt_down(b);
        assert_true(product_up(a, b) >= product && product_down(a, b) <= product);
        assert_true(product_up(a, b) - product_down(a, b) <= 0x1p-50);
        assert_true(sum_up(a, b) >= sum && sum_up(a, b) - sum <= 0x1p-50);
        assert_true(up * up >= b * (1 - 0x1p-62L) && down * down <= b * (1 + 0x1p-62L));
        assert_true(up - down <= 0x1p-52);
    }
    assert_true(product_up(1e-200, 1e-200) > 0 && product_down(1e-200, 1e-200) == 0);
    assert_true(product_up(1e200, 1e200) == INFINITY && product_down(1e200, 1e200) < INFINITY);
    assert_true(product_up(3, 0.5) == 1.5 && product_down(3, 0.5) == 1.5);
    assert_true(product_up(0, INFINITY) == 0 && sum_up(1, 0x1p-60) > 1 && sum_up(2, 3) == 5);
    assert_true(sqrt_up(9) == 3 && sqrt_down(9) == 3 && sqrt_up(0) == 0 && sqrt_up(1e-320) > 0);
}

/* A - (1 - 2^-40) A = 2^-40 A: what is left is far below the parts, yet bounded safely. */
static void cancelling_sums(void **state)
{
    const double scale[] = { 1, -(1 - 0x1p-40) }, all[] = { 1, -1 };
    const crease_map two[] = { crease_dense(some_numbers), crease_dense(some_numbers) };
    const crease_map_list nearly = { 2, two, scale }, entirely = { 2, two, all };
    (void)state;
    const double single = norm_of(two[0], 5, 3), least = sigma_of(two[0], 5, 3);
    const double left = norm_of(crease_map_sum(&nearly), 5, 3);
    assert_true(left >= 0x1p-40 * single * (1 - 1e-12) && left <= 0x1p-40 * single * 1.1);
    assert_true(sigma_of(crease_map_sum(&nearly), 5, 3) <= 0x1p-80 * least * (1 + 1e-12));
    assert_true(norm_of(crease_map_sum(&entirely), 5, 3) <= 1e-12 * single);
    assert_true(sigma_of(crease_map_sum(&entirely), 5, 3) == 0);
}

/* (t + 2^60 - 2^60) I is t I; computed, it is 0 for t = 1 and 256 I for t = 192. Inside a product
 * with 2^30 I as well, and as duplicates of a sparse matrix. */
static void cancelling_to(double t)
{
    const double scale[] = { t, 0x1p60, -0x1p60 };
    const crease_map three[] = { crease_identity(1), crease_identity(1), crease_identity(1) };
    const crease_map_list l = { 3, three, scale };
    const crease_map sum = crease_map_sum(&l), large = crease_identity(0x1p30);
    const crease_space v3 = crease_vector(3);
    const crease_map_pair p = { &large, &sum, &v3 };
    const ptrdiff_t start[] = { 0, 3 }, col[] = { 0, 0, 0 };
    const crease_csr_matrix a = { 1, 1, start, col, scale };
    assert_true(norm_of(sum, 3, 3) >= t && sigma_of(sum, 3, 3) <= t * t);
    assert_true(norm_of(crease_composition(&p), 3, 3) >= 0x1p30 * t);
    assert_true(sigma_of(crease_composition(&p), 3, 3) <= 0x1p60 * t * t);
    assert_true(norm_of(crease_csr(&a), 1, 1) >= t && sigma_of(crease_csr(&a), 1, 1) <= t * t);
}

static void cancellation_inside_parts(void **state)
{
    (void)state;
    cancelling_to(1);
    cancelling_to(192);
}

static void extreme_scales(void **state)
{
    static const double powers[] = { 1e-310, 1e-200, 1e-150, 1, 1e150, 1e200, 1e305 };
    (void)state;
    for (size_t k = 0; k < sizeof powers / sizeof *powers; k++) {
        const double t = powers[k], value[] = { 3 * t, 4 * t };
        const ptrdiff_t start[] = { 0, 2 }, col[] = { 0, 1 };
        const crease_csr_matrix a = { 1, 2, start, col, value };
        const double norm = norm_of(crease_csr(&a), 2, 1), least = sigma_of(crease_csr(&a), 2, 1);
        assert_true(norm / t >= 5 * (1 - 1e-12) && norm / t <= 5 * (1 + 1e-12));
        assert_true(sqrt(least) / t <= 5 * (1 + 1e-12));
        assert_true(t < 1e-150 || t > 1e150 || sqrt(least) / t >= 5 * (1 - 1e-12));
    }
    const crease_map small = crease_identity(1e-200);
    const crease_space v3 = crease_vector(3);
    const crease_map_pair p = { &small, &small, &v3 };
    assert_true(norm_of(crease_composition(&p), 3, 3) > 0); /* 1e-400 is not 0 */
    assert_true(sigma_of(crease_composition(&p), 3, 3) == 0);
}

enum { LARGE = 2000 };

/* Rows (-1, 2, -1) with 2000 columns: norm below 4 by absolute sums, no matrix is written. */
static void large_maps_use_what_their_parts_know(void **state)
{
    static ptrdiff_t start[LARGE + 1], col[3 * LARGE];
    static double value[3 * LARGE];
    ptrdiff_t k = 0;
    (void)state;
    for (ptrdiff_t i = 0; i < LARGE; i++) {
        for (ptrdiff_t j = i - 1; j <= i + 1; j++)
            if (j >= 0 && j < LARGE) col[k] = j, value[k++] = j == i ? 2 : -1;
        start[i + 1] = k;
    }
    const crease_csr_matrix a = { LARGE, LARGE, start, col, value };
    const crease_map parts[] = { crease_csr(&a), crease_identity(-3) };
    const crease_space n = crease_vector(LARGE);
    const crease_map_list l = { 2, parts, (const double[]){ 2, 0.5 } };
    const crease_map_pair p = { &parts[1], &parts[0], &n }, q = { &parts[1], &parts[1], &n };
    const double norm = norm_of(parts[0], LARGE, LARGE);
    assert_true(norm >= 2 + 2 * cos(acos(-1) / (LARGE + 1)) && norm <= 4 * (1 + 1e-11));
    assert_true(norm_of(crease_map_sum(&l), LARGE, LARGE) == sum_up(2 * norm, 1.5));
    assert_true(norm_of(crease_composition(&p), LARGE, LARGE) == product_up(norm, 3));
    assert_true(sigma_of(crease_composition(&q), LARGE, LARGE) == 81);
    assert_true(sigma_of(parts[0], LARGE, LARGE) == 0);
    assert_true(sigma_of(crease_map_sum(&l), LARGE, LARGE) == 0);
}

/* A full first row and first column, nothing else: the Frobenius norm is the better bound. */
static void large_arrow(void **state)
{
    static ptrdiff_t start[LARGE + 1], col[2 * LARGE];
    static double value[2 * LARGE];
    (void)state;
    fill(2 * LARGE, 1, value);
    for (ptrdiff_t i = 0; i < LARGE; i++) col[i] = i, start[i + 1] = LARGE + i;
    const crease_csr_matrix a = { LARGE, LARGE, start, col, value };
    const double norm = norm_of(crease_csr(&a), LARGE, LARGE), frobenius = sqrt(2 * LARGE - 1);
    assert_true(norm >= frobenius && norm <= frobenius * (1 + 1e-11));
}

static void declared_bounds_are_trusted(void **state)
{
    crease_callback_map c = ring_map;
    (void)state;
    /* |2 - w| for w^4 = 1; the Gram matrix is known to (4 + 32 + 16) eps trace, trace 20, and
     * the functions to 7 eps |A|_F */
    const double margin = 60 * 20 * 0x1p-52, norm = norm_of(crease_map_callback(&c), 4, 4);
    const double least = sigma_of(crease_map_callback(&c), 4, 4);
    assert_true(norm >= 3 && norm <= 3 + margin && least <= 1 && least >= 1 - margin);
    c.norm_bound = 3.5, c.sigma_min_bound = 0.75;
    assert_true(norm_of(crease_map_callback(&c), 4, 4) == 3.5);
    assert_true(sigma_of(crease_map_callback(&c), 4, 4) == 0.75);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(directed_operations_err_to_their_side),
        cmocka_unit_test(cancelling_sums),
        cmocka_unit_test(cancellation_inside_parts),
        cmocka_unit_test(extreme_scales),
        cmocka_unit_test(large_maps_use_what_their_parts_know),
        cmocka_unit_test(large_arrow),
        cmocka_unit_test(declared_bounds_are_trusted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
