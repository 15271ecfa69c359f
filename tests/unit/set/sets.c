/* SPDX-License-Identifier: MIT
 * sets: refusals of wrong parameters and shapes; the excess measures what its definition says */
#include "support/set_test.h"

static const double nan_inside[] = { 1, 2, NAN, 4 }, numbers[] = { 4, 3, 2, 1 };

/* Refused on R^4, and the sentence has the word. */
static void assert_refused(crease_set c, crease_code code, const char *word)
{
    crease_error e;
    const crease_space s = crease_vector(4);
    assert_false(crease_set_check(&c, &s, &e));
    assert_false(crease_set_check(&c, &s, NULL));
    assert_int_equal(e.code, code);
    if (!strstr(e.text, word)) fail_msg("'%s' is not in '%s'", word, e.text);
    assert_non_null(strstr(e.text, "give"));
}

static void bad_numbers(void **state)
{
    const double wrong[] = { 0, -1, NAN, INFINITY, -INFINITY };
    (void)state;
    for (int i = 0; i < 5; i++) {
        assert_refused(crease_l1_ball(wrong[i]), CREASE_BAD_ARGUMENT, "radius");
        assert_refused(crease_l2_ball(wrong[i]), CREASE_BAD_ARGUMENT, "radius");
        assert_refused(crease_linf_ball(wrong[i]), CREASE_BAD_ARGUMENT, "radius");
        assert_refused(crease_lp_ball(wrong[i], 3), CREASE_BAD_ARGUMENT, "radius");
        assert_refused(crease_lp_ball(1, wrong[i]), CREASE_BAD_ARGUMENT, "p =");
        assert_refused(crease_simplex(wrong[i]), CREASE_BAD_ARGUMENT, "radius");
        assert_refused(crease_full_simplex(wrong[i]), CREASE_BAD_ARGUMENT, "radius");
        assert_refused(crease_capped_simplex(wrong[i]), CREASE_BAD_ARGUMENT, "k =");
        assert_refused(crease_k_sparse(wrong[i], 2), CREASE_BAD_ARGUMENT, "radius");
        assert_refused(crease_k_sparse(1, wrong[i]), CREASE_BAD_ARGUMENT, "k =");
        assert_refused(crease_k_support(wrong[i], 2), CREASE_BAD_ARGUMENT, "radius");
        assert_refused(crease_k_support(1, wrong[i]), CREASE_BAD_ARGUMENT, "k =");
    }
    assert_refused(crease_lp_ball(1, 1), CREASE_BAD_ARGUMENT, "p = 1");
    assert_refused(crease_capped_simplex(5), CREASE_BAD_ARGUMENT, "k = 5");
    assert_refused(crease_capped_simplex(1.5), CREASE_BAD_ARGUMENT, "integer");
    assert_refused(crease_k_sparse(1, 2.5), CREASE_BAD_ARGUMENT, "integer");
    assert_refused(crease_k_support(1, 2.5), CREASE_BAD_ARGUMENT, "integer");
}

static void bad_bounds(void **state)
{
    const double low[] = { 0, 0, 5, 0 }, high[] = { 1, 1, 4, 1 };
    const crease_bounds crossed = { .lower = low, .upper = high };
    const crease_bounds missing = { .lower = nan_inside, .high = 9 };
    const crease_bounds below = { .lower = low, .high = -INFINITY };
    const double wide[] = { 0, INFINITY, 0, 0 };
    const crease_bounds above = { .lower = wide, .high = INFINITY };
    (void)state;
    assert_refused(crease_box_array(&above), CREASE_BAD_ARGUMENT, "entry 2");
    assert_refused(crease_box(2, 1), CREASE_BAD_ARGUMENT, "2 and 1");
    assert_refused(crease_box(NAN, 1), CREASE_BAD_ARGUMENT, "low");
    assert_refused(crease_box(0, NAN), CREASE_BAD_ARGUMENT, "high");
    assert_refused(crease_box(INFINITY, INFINITY), CREASE_BAD_ARGUMENT, "low");
    assert_refused(crease_box(-INFINITY, -INFINITY), CREASE_BAD_ARGUMENT, "high");
    assert_refused(crease_box_array(&crossed), CREASE_BAD_ARGUMENT, "entry 3");
    assert_refused(crease_box_array(&missing), CREASE_BAD_ARGUMENT, "entry 3");
    assert_refused(crease_box_array(&below), CREASE_BAD_ARGUMENT, "entry 1");
}

static void bad_combinations(void **state)
{
    const crease_set box = crease_box(0, 1), wrong = crease_simplex(-1);
    const crease_set oracle = crease_k_support(1, 1);
    const crease_space four = crease_vector(4), three = crease_vector(3);
    const crease_affine_set none = { NULL, 1, NULL }, flat = { &box, 0, NULL };
    const crease_affine_set shifted = { &box, 1, nan_inside }, inner = { &wrong, 1, NULL };
    const crease_product_set empty = { 0, &box, &four }, small = { 1, &box, &three };
    const crease_product_set parts = { 1, &wrong, &four };
    crease_affine_set later = { &box, 1, NULL };
    crease_set short_text = crease_permutahedron(numbers);
    (void)state;
    assert_refused(crease_affine(&none), CREASE_BAD_ARGUMENT, "inner");
    assert_refused(crease_affine(NULL), CREASE_BAD_ARGUMENT, "inner");
    assert_refused(crease_affine(&flat), CREASE_BAD_ARGUMENT, "scale");
    assert_refused(crease_affine(&shifted), CREASE_BAD_ARGUMENT, "entry 3");
    assert_refused(crease_affine(&inner), CREASE_BAD_ARGUMENT, "simplex: radius");
    assert_refused(crease_product(NULL), CREASE_BAD_ARGUMENT, "parts");
    assert_refused(crease_product(&empty), CREASE_BAD_ARGUMENT, "parts");
    assert_refused(crease_product(&small), CREASE_BAD_SHAPE, "3 entries");
    assert_refused(crease_product(&parts), CREASE_BAD_ARGUMENT, "simplex: radius");
    assert_refused(crease_permutahedron(NULL), CREASE_BAD_ARGUMENT, "4 numbers");
    assert_refused(crease_permutahedron(nan_inside), CREASE_BAD_ARGUMENT, "entry 3");
    short_text.par[0] = 3; /* as read from "permutahedron:4,3,2" */
    assert_refused(short_text, CREASE_BAD_SHAPE, "a has 3 numbers");

    const crease_set changed = crease_affine(&later);
    later.inner = &oracle;
    crease_error e;
    assert_false(crease_set_check(&changed, &four, &e));
    assert_non_null(strstr(e.text, "k-support has no projection"));
}

static void parts_share_the_ranks_of_the_whole(void **state)
{
    const crease_comm comm = { 0 };
    const crease_set box = crease_box(0, 1);
    crease_space here = crease_vector(4);
    here.comm = &comm;
    const crease_product_set parts = { 1, &box, &here };
    (void)state;
    assert_refused(crease_product(&parts), CREASE_BAD_SHAPE, "comm");
}

static void calls_are_refused(void **state)
{
    const crease_set oracle = crease_k_support(1, 2), wrong = crease_simplex(-1);
    const crease_space s = crease_vector(4);
    double x[4], value;
    crease_error e;
    (void)state;
    assert_false(crease_project(&oracle, &s, numbers, x, &e));
    assert_int_equal(e.code, CREASE_UNSUPPORTED);
    assert_false(crease_project(&wrong, &s, numbers, x, &e));
    assert_false(crease_lmo(&wrong, &s, numbers, x, &e));
    assert_false(crease_support(&wrong, &s, numbers, &value, &e));
    assert_false(crease_excess(&wrong, &s, numbers, &value, &e));
    assert_false(crease_diameter(&wrong, &s, 2, &value, &e));
    assert_false(crease_diameter(&oracle, &s, 0.5, &value, &e));
    assert_false(crease_diameter(&oracle, &s, NAN, &value, &e));
    assert_false(crease_diameter(&oracle, &s, INFINITY, &value, &e));
}

enum { N = 9 };

static void expect(crease_set c, double x, double y, double z, double expected)
{
    const crease_space s = crease_vector(3);
    assert_close(excess_of(&c, &s, (double[]){ x, y, z }), expected, 8 * 0x1p-53);
}

static void balls_and_boxes(void **state)
{
    (void)state;
    expect(crease_box(-1, 2), -1, 2, 0, 0);
    expect(crease_box(-1, 2), -4, 0, 3, 3);
    expect(crease_box(-1, 2), -4, 0, 7, 5);
    expect(crease_orthant(), 9, -2, -1, 2);
    expect(crease_linf_ball(1), 1, -4, 2, 3);
    expect(crease_l1_ball(2), 1, -4, 2, 5);
    expect(crease_l2_ball(2), 3, -4, 0, 3);
    expect(crease_lp_ball(2, 3), 3, -4, 5, 4); /* 27 + 64 + 125 = 216 */
    expect(crease_k_support(1, 2), 3, -4, 0, 4);
}

static void polytopes(void **state)
{
    const double a[] = { 1, 0, 2 };
    (void)state;
    expect(crease_simplex(2), 1, 0.5, 0.5, 0);
    expect(crease_simplex(2), 3, 0.5, -1.5, 1.5);
    expect(crease_simplex(2), 0.5, 0, 0, 1.5);
    expect(crease_simplex(2), 4, 1, 0, 3);
    expect(crease_full_simplex(2), 0.5, 0, 0, 0);
    expect(crease_full_simplex(2), 4, 1, 0, 3);
    expect(crease_full_simplex(2), 0.5, 0, -1, 1);
    expect(crease_capped_simplex(2), 1, 0.5, 0.5, 0);
    expect(crease_capped_simplex(2), 1, 0, 0, 1);
    expect(crease_capped_simplex(2), 1.75, 0.5, -0.25, 0.75);
    expect(crease_k_sparse(2, 2), 2, -1, 1, 0);
    expect(crease_k_sparse(2, 2), 2.5, -1, 0, 0.5);
    expect(crease_k_sparse(2, 2), 2, -2, 1.5, 1.5);
    expect(crease_permutahedron(a), 1, 1, 1, 0);
    expect(crease_permutahedron(a), 0.25, 0.5, 2.25, 0.25);
    expect(crease_permutahedron(a), 0, 0, 0, 3);
    expect(crease_permutahedron(a), 2, 2, 1, 2);
}

/* The k-support norm squared is min sum x_j^2/theta_j over 0 < theta_j <= 1, sum theta <= k; the
 * minimum has theta_j = min(1, |x_j|/level). */
static double k_support_norm(int n, int k, const double *x)
{
    double low = 0, high = 0, sum = 0;
    for (int j = 0; j < n; j++) high += fabs(x[j]);
    for (int step = 0; step < 2000 && low < high; step++) {
        const double mid = low + (high - low) / 2;
        double theta = 0;
        for (int j = 0; j < n; j++) theta += fabs(x[j]) >= mid ? x[j] != 0 : fabs(x[j]) / mid;
        if (mid <= low || mid >= high) break;
        if (theta > k)
            low = mid;
        else
            high = mid;
    }
    for (int j = 0; j < n; j++)
        if (x[j] != 0) sum += fabs(x[j]) * larger(fabs(x[j]), high);
    return sqrt(sum);
}

static void k_support_excess_is_the_norm(void **state)
{
    draws d = { .r = { .seed = 32 } };
    (void)state;
    for (int trial = 0; trial < 3000; trial++) {
        const int n = 1 + trial % N, k = 1 + (trial / N) % N;
        const crease_space s = crease_vector(n);
        const crease_set ball = crease_k_support(1e-12, k), *c = &ball;
        double x[N], w[N];
        for (int j = 0; j < n; j++) {
            x[j] = trial % 2 ? normal(&d) : floor(uniform(&d, -2, 3));
            w[j] = normal(&d) * (j % 2 ? 1 : fabs(x[j]));
        }
        const double norm = k_support_norm(n, k, x);
        assert_close(excess_of(c, &s, x), pos(norm - 1e-12), 8 * N * 0x1p-53);
        const double dual = support_of(c, &s, w) / 1e-12; /* <w, x> <= dual norm * norm */
        assert_at_most(crs_dot(n, w, x), dual * norm * (1 + 8 * N * 0x1p-53));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_numbers),       cmocka_unit_test(bad_bounds),
        cmocka_unit_test(bad_combinations),  cmocka_unit_test(parts_share_the_ranks_of_the_whole),
        cmocka_unit_test(calls_are_refused), cmocka_unit_test(balls_and_boxes),
        cmocka_unit_test(polytopes),         cmocka_unit_test(k_support_excess_is_the_norm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
