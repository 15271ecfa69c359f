/* SPDX-License-Identifier: MIT
 * space: shapes are checked, sums do not lose small terms, norms do not overflow */
#include "support/test.h"

static void shapes_are_checked(void **state)
{
    crease_error e;
    crease_space s = crease_matrix(3, 4);
    (void)state;
    assert_true(crease_space_check(&s, &e));
    assert_int_equal(crease_size(&s), 12);
    s.dim[1] = 0;
    assert_false(crease_space_check(&s, &e));
    assert_int_equal(e.code, CREASE_BAD_SHAPE);
    s.dim[0] = s.dim[1] = (ptrdiff_t)1 << 40;
    assert_false(crease_space_check(&s, &e));
    s.order = CREASE_MAX_ORDER + 1;
    assert_false(crease_space_check(&s, NULL));
}

static void sums_are_pairwise(void **state)
{
    enum { N = 100001 };
    static double ones[N], tenth[N];
    (void)state;
    fill(N, 1, ones);
    fill(N, 0.1, tenth);
    /* 64 terms a lane, then a tree: at most (64 + 12) roundings on any path */
    assert_close(crs_dot(N, ones, tenth), N * 0.1, 76 * 0x1p-53);
}

static void norms_survive_extremes(void **state)
{
    const double big[] = { 3e200, 4e200 }, tiny[] = { 3e-200, 4e-200 }, bad[] = { 1, NAN };
    (void)state;
    assert_close(crs_norm(2, big) / 5e200, 1, 1e-15);
    assert_close(crs_norm(2, tiny) / 5e-200, 1, 1e-15);
    assert_true(isnan(crs_norm(2, bad)));
    assert_true(crs_norm(0, bad) == 0);
}

static void nan_goes_through_comparisons(void **state)
{
    (void)state;
    assert_true(isnan(pos(NAN)) && isnan(larger(1, NAN)) && isnan(larger(NAN, 1)));
    assert_true(isnan(smaller(1, NAN)) && isnan(smaller(NAN, 1)) && isnan(clip(NAN, 0, 1)));
    assert_true(larger(1, 2) == 2 && smaller(1, 2) == 1 && pos(-1) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapes_are_checked),
        cmocka_unit_test(sums_are_pairwise),
        cmocka_unit_test(norms_survive_extremes),
        cmocka_unit_test(nan_goes_through_comparisons),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
