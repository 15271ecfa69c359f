/* SPDX-License-Identifier: MIT
 * ball_diagonal: trust-region steps in a diagonal basis, against their optimality conditions */
#include "dense/dense.h"
#include "support/test.h"

enum { N = 7 };

/* y is a global minimizer iff (e + nu) y = c for some nu >= 0 with e + nu >= 0, and nu > 0 only
 * on the sphere. */
static void assert_optimal(const double *e, const double *c, double radius, const double *y)
{
    const double norm = crs_norm(N, y);
    const bool inside = norm < radius * (1 - 1e-10);
    double least = e[0], most = 0, nu = 0, scale = 0;
    assert_true(norm <= radius * (1 + 8 * 0x1p-53));
    for (int j = 0; j < N; j++) {
        least = smaller(least, e[j]);
        scale = larger(scale, fabs(e[j]) + fabs(c[j]) / radius);
        if (inside || fabs(y[j]) <= most) continue;
        most = fabs(y[j]);
        nu = (c[j] - e[j] * y[j]) / y[j]; /* best known from the largest entry */
    }
    assert_true(nu >= -1e-13 * scale && least + nu >= -1e-13 * scale);
    for (int j = 0; j < N; j++)
        assert_true(fabs((e[j] + nu) * y[j] - c[j]) <=
                    1e-12 * (fabs(c[j]) + (fabs(e[j]) + fabs(nu)) * most));
}

static void steps_are_optimal(void **state)
{
    draws d = { { 1, 0 }, 0 };
    const crease_space s = crease_vector(N);
    (void)state;
    for (int k = 0; k < 20000; k++) {
        double e[N], c[N], y[N];
        const double span = pow(10, uniform(&d, -6, 6)), radius = pow(10, uniform(&d, -6, 6));
        const double shift = k % 3 == 0 ? 0 : k % 3 == 1 ? span * 3 : -span;
        for (int j = 0; j < N; j++) {
            e[j] = k % 5 == 0 ? span : span * normal(&d) + shift;
            c[j] = pow(10, uniform(&d, -6, 6)) * (k % 7 == 0 && j < 3 ? 0 : normal(&d));
        }
        if (k % 11 == 0) e[1] = e[0];
        assert_true(crs_ball_diagonal(&s, e, c, radius, y));
        assert_optimal(e, c, radius, y);
        assert_true(crs_ball_diagonal(&s, e, c, radius, c)); /* in place */
        for (int j = 0; j < N; j++) assert_true(c[j] == y[j]);
    }
}

static void hard_case_fills_the_ball(void **state)
{
    const crease_space s = crease_vector(3);
    const double e[] = { -2, 1, 3 }, c[] = { 0, 0.3, -0.5 };
    double y[3];
    (void)state;
    assert_true(crs_ball_diagonal(&s, e, c, 1, y));
    assert_close(crs_norm(3, y), 1, 4 * 0x1p-53);
    assert_close(y[1], 0.3 / 3, 4 * 0x1p-53);
    assert_close(y[2], -0.5 / 5, 4 * 0x1p-53);
    const double zero[] = { 0, 0, 0 };
    assert_true(crs_ball_diagonal(&s, e, zero, 2, y));
    assert_true(fabs(y[0]) == 2 && y[1] == 0 && y[2] == 0);
}

static void no_minimizer_is_said(void **state)
{
    const crease_space s = crease_vector(2);
    const double convex[] = { 0, 2 }, concave[] = { -1, 2 }, c[] = { 1, 1 }, flat[] = { 0, 1 };
    const double bad[] = { NAN, 1 };
    double y[2];
    (void)state;
    assert_false(crs_ball_diagonal(&s, convex, c, INFINITY, y));
    assert_false(crs_ball_diagonal(&s, concave, flat, INFINITY, y));
    assert_true(crs_ball_diagonal(&s, convex, flat, INFINITY, y));
    assert_true(y[0] == 0 && y[1] == 0.5);
    assert_true(crs_ball_diagonal(&s, convex, c, 0, y) && y[0] == 0 && y[1] == 0);
    assert_true(crs_ball_diagonal(&s, bad, c, 1, y) && isnan(y[0]));
    assert_true(crs_ball_diagonal(&s, convex, bad, 1, y) && isnan(y[0]) && isnan(y[1]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_are_optimal),
        cmocka_unit_test(hard_case_fills_the_ball),
        cmocka_unit_test(no_minimizer_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
