/* SPDX-License-Identifier: MIT
 * bounds: norms and sigma_min from the safe side, also of maps that cancel, overflow, vanish, or
 * are too large to write out */
#include <float.h>

#include "dense/dense.h"
#include "map/directed.h"
#include "map/map.h"
#include "support/map_samples.h"

static const long double slightly = 64 * LDBL_EPSILON;

/* |M x|^2 / |x|^2, or of M' x. */
static long double quotient(ptrdiff_t m, ptrdiff_t n, const double *a, bool adjoint,
                            const double *x)
{
    long double above = 0, below = 0;
    for (ptrdiff_t i = 0; i < (adjoint ? n : m); i++) {
        long double sum = 0;
        for (ptrdiff_t j = 0; j < (adjoint ? m : n); j++)
            sum += (long double)(adjoint ? a[j * n + i] : a[i * n + j]) * x[j];
        above += sum * sum;
    }
    for (ptrdiff_t j = 0; j < (adjoint ? m : n); j++) below += (long double)x[j] * x[j];
    return above / below;
}

typedef struct {
    long double norm, least; /* of A; of A A' */
} truth;

static truth true_bounds(const sample *s)
{
    static double work[20000], u[SIDE_MAX * SIDE_MAX], vt[SIDE_MAX * SIDE_MAX], sv[SIDE_MAX];
    const ptrdiff_t m = crease_size(&s->ran), n = crease_size(&s->dom);
    const ptrdiff_t k = m < n ? m : n;
    double left[SIDE_MAX];
    assert_true(crs_svd_scratch(m, n) <= 20000);
    assert_true(crs_svd(m, n, s->matrix, u, sv, vt, work));
    for (ptrdiff_t i = 0; i < m; i++) left[i] = u[i * k + k - 1];
    return (truth){ sqrtl(quotient(m, n, s->matrix, false, vt)),
                    m > n ? 0 : quotient(m, n, s->matrix, true, left) };
}

static void bounds_are_safe_and_close(void **state)
{
    sample list[SAMPLES_MAX];
    combined c;
    double worst = 0, worst_least = 0;
    (void)state;
    for (int k = 0, count = map_samples(list, &c); k < count; k++) {
        const sample *s = &list[k];
        const truth t = true_bounds(s);
        double norm, least;
        assert_true(crease_map_norm(&s->map, &s->dom, &s->ran, &norm, NULL));
        assert_true(crease_map_sigma_min(&s->map, &s->dom, &s->ran, &least, NULL));
        if (!(norm >= t.norm * (1 - slightly))) fail_msg("%s: norm %.17g is low", s->what, norm);
        if (!(least >= 0 && least <= t.least * (1 + slightly)))
            fail_msg("%s: sigma_min %.17g is high", s->what, least);
        worst = larger(worst, t.norm > 0 ? (double)(norm / t.norm - 1) : norm);
        if (t.norm > 0) /* a value LAPACK cannot tell from zero is zero */
            worst_least = larger(worst_least, (double)((t.least - least) / (t.norm * t.norm)));
    }
    print_message("norms within %.1e, eigenvalues within %.1e of |A|^2\n", worst, worst_least);
    /* Gram matrices: (9 n + 16) n eps |A|^2 with n <= 24 */
    assert_true(worst < (9 * SIDE_MAX + 16) * SIDE_MAX * 0x1p-52);
    assert_true(worst_least < (9 * SIDE_MAX + 16) * SIDE_MAX * 0x1p-51);
}

static void written_out_maps_are_their_matrices(void **state)
{
    sample list[SAMPLES_MAX];
    combined c;
    (void)state;
    for (int k = 0, count = map_samples(list, &c); k < count; k++) {
        const sample *s = &list[k];
        const ptrdiff_t entries = crease_size(&s->ran) * crease_size(&s->dom);
        double out[SIDE_MAX * SIDE_MAX], work[4 * SIDE_MAX];
        assert_in_range(crs_map_materialize_scratch(&s->map, &s->dom, &s->ran), 1, 4 * SIDE_MAX);
        fill(entries, NAN, out);
        crs_map_materialize(&s->map, &s->dom, &s->ran, out, work);
        for (ptrdiff_t j = 0; j < entries; j++) assert_true(out[j] == s->matrix[j]);
    }
    const crease_space side = crease_vector(500), long_side = crease_vector(2000);
    const crease_space more = crease_vector(501), longer = crease_vector(2001);
    assert_true(is_small(&side, &long_side) && is_small(&long_side, &side));
    assert_false(is_small(&side, &longer) || is_small(&more, &more));
}

static void bounds_of(crease_map A, ptrdiff_t n, ptrdiff_t m, double *norm, double *least)
{
    const crease_space dom = crease_vector(n), ran = crease_vector(m);
    assert_true(crease_map_norm(&A, &dom, &ran, norm, NULL));
    assert_true(crease_map_sigma_min(&A, &dom, &ran, least, NULL));
}

static void closed_forms_are_exact(void **state)
{
    const double tenth = 0.1, d[] = { -3, 0.1, 7 }, tiny[] = { 1e-300, -2e-200 }, zero = 0;
    double norm, least;
    (void)state;
    bounds_of(crease_identity(-1), 3, 3, &norm, &least);
    assert_true(norm == 1 && least == 1);
    bounds_of(crease_identity(0.1), 3, 3, &norm, &least); /* 0.1 * 0.1 rounds up */
    assert_true(norm == 0.1 && least < tenth * tenth && least >= (1 - 0x1p-52) * tenth * tenth);
    bounds_of(crease_identity(1e200), 1, 1, &norm, &least);
    assert_true(norm == 1e200 && least > 1e308 && least < INFINITY);
    bounds_of(crease_diagonal(d), 3, 3, &norm, &least);
    assert_true(norm == 7 && least <= tenth * tenth && least >= 0.01 * (1 - 0x1p-51));
    bounds_of(crease_diagonal(tiny), 2, 2, &norm, &least);
    assert_true(norm == 2e-200 && least == 0);
    bounds_of(crease_dense(&zero), 1, 1, &norm, &least);
    assert_true(norm == 0 && least == 0);
    bounds_of(crease_selection(&distinct), 6, 4, &norm, &least);
    assert_true(norm == 1 && least == 1);
    bounds_of(crease_selection(&repeated), 6, 5, &norm, &least);
    assert_true((long double)norm * norm >= 3 && norm <= sqrt(3) * (1 + 0x1p-51) && least == 0);
    bounds_of(crease_mask(some_mask), 6, 6, &norm, &least);
    assert_true(norm == 1 && least == 0);
}

static void differences_of_any_length(void **state)
{
    const long double pi = acosl(-1);
    (void)state;
    for (ptrdiff_t n = 2; n < 10000000; n = 3 * n + 1) {
        double norm, least;
        bounds_of(crease_finite_difference(0), n, n - 1, &norm, &least);
        const long double high = 2 * cosl(pi / (2 * (long double)n));
        const long double low =
            4 * sinl(pi / (2 * (long double)n)) * sinl(pi / (2 * (long double)n));
        assert_true(norm >= high && norm <= high * (1 + 0x1p-48L));
        assert_true(least <= low && least >= low * (1 - 0x1p-48L));
    }
}

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
        cmocka_unit_test(bounds_are_safe_and_close),
        cmocka_unit_test(written_out_maps_are_their_matrices),
        cmocka_unit_test(closed_forms_are_exact),
        cmocka_unit_test(differences_of_any_length),
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
