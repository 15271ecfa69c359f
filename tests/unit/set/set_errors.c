/* SPDX-License-Identifier: MIT
 * set_errors: parameters out of range are refused with a sentence */
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_numbers),       cmocka_unit_test(bad_bounds),
        cmocka_unit_test(bad_combinations),  cmocka_unit_test(parts_share_the_ranks_of_the_whole),
        cmocka_unit_test(calls_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
