/* SPDX-License-Identifier: MIT
 * nonneg: penalties with x >= 0, and the indicators of the orthant and of a box */
#include "support/penalties.h"

static const crease_space line = { .order = 1, .dim = { 1 } };

static void prox_is_the_global_minimum(void **state)
{
    draws d = { { 30, 1 }, 0 };
    (void)state;
    for (int k = 0; k < PENALTIES; k++)
        for (int trial = 0; trial < 3000; trial++) {
            const double spread = trial % 2 ? 12 : 1, t = decades(&d, spread);
            double par[CREASE_PARS] = { 0 }, x, work;
            draw_par(&d, penalties[k], spread, par);
            const double v = draw_w(&d, penalties[k], par, t, spread) * (trial % 3 ? 1 : -1);
            const crease_reg r = crease_nonneg(penalties[k], par);
            const crs_penalty_value at = crs_penalty_of(penalties[k], par, 1);
            r.ops->prox(&r, &line, t, &v, &x, &work);
            assert_true(x >= 0 && (v > 0 || x == 0));
            assert_true(excess(&at, t, v, x, brute(&at, t, v, 0, pos(v))) <= 1);
            const double g = (v - x) / t, off = r.ops->dist(&r, &line, &x, &g, &work);
            assert_true(off_stationary(&at, t, v, x, off) <= 8);
        }
}

/* Restricted further to a box: the scalar problem on what both leave. */
static void boxes_intersect(void **state)
{
    draws d = { { 31, 1 }, 0 };
    (void)state;
    for (int k = 0; k < PENALTIES; k++)
        for (int trial = 0; trial < 500; trial++) {
            double par[CREASE_PARS] = { 0 }, x, work;
            draw_par(&d, penalties[k], 1, par);
            const crease_reg r = crease_nonneg(penalties[k], par);
            const crs_penalty_value at = crs_penalty_of(penalties[k], par, 1);
            const double v = 4 * normal(&d), t = decades(&d, 1), low = 2 * normal(&d);
            const crease_bounds b = { low, low + decades(&d, 1), NULL, NULL };
            r.ops->prox_box(&r, &line, t, &b, &v, &x, &work);
            if (b.high < 0) {
                assert_true(isnan(x));
                continue;
            }
            assert_true(x >= 0 && x >= low && x <= b.high);
            const double from = pos(low), to = clip(v, from, b.high);
            assert_true(excess(&at, t, v, x, brute(&at, t, v, from, to)) <= 1);
            const double g = (v - x) / t, off = r.ops->dist_box(&r, &line, &b, &x, &g, &work);
            assert_true(off_stationary(&at, t, v, x, off) <= 16);
        }
}

static void values_and_distances(void **state)
{
    const double par[] = { 2 }, inside[] = { 1, 0, 3 }, outside[] = { 1, 0, -1e-300 };
    const double g[] = { 2, 5, 1 }, bad[] = { 1, NAN, 2 };
    const crease_reg r = crease_nonneg(&crs_l1, par);
    const crease_space s = crease_vector(3);
    crease_reg_traits traits;
    double value;
    (void)state;
    assert_true(crease_reg_value(&r, &s, inside, &value, NULL) && value == 8);
    assert_true(crease_reg_value(&r, &s, outside, &value, NULL) && value == INFINITY);
    assert_true(crease_reg_value(&r, &s, bad, &value, NULL) && isnan(value));
    /* 2 - 2, then above the slope 2 at 0 (below it anything is fine), then |1 - 2| */
    assert_true(crease_reg_dist(&r, &s, inside, g, &value, NULL));
    assert_close(value, sqrt(10), 0x1p-52);
    assert_true(crease_reg_dist(&r, &s, inside, (double[]){ 2, -1e9, 2 }, &value, NULL));
    assert_true(value == 0);
    assert_true(crease_reg_dist(&r, &s, outside, g, &value, NULL) && value == INFINITY);
    assert_true(crease_reg_dist(&r, &s, bad, g, &value, NULL) && isnan(value));
    assert_true(crease_reg_describe(&r, &s, 1, &traits, NULL));
    assert_true(traits.convex && traits.lipschitz == INFINITY && traits.weak_convexity == 0);
}

static void indicators_project(void **state)
{
    const crease_space s = crease_vector(4);
    const double v[] = { -3, 0.5, 7, -0.5 }, orthant[] = { 0, 0.5, 7, 0 },
                 box[] = { -1, 0.5, 2, -0.5 };
    const crease_reg nonneg = crease_nonneg_indicator(), b = crease_box_indicator(-1, 2);
    double x[4], g[4], value;
    (void)state;
    for (double t = 1e-12; t < 1e13; t *= 1e6) {
        assert_true(crease_prox(&nonneg, &s, t, v, x, NULL));
        assert_memory_equal(x, orthant, sizeof x);
        assert_true(crease_prox(&b, &s, t, v, x, NULL));
        assert_memory_equal(x, box, sizeof x);
        for (int j = 0; j < 4; j++) g[j] = (v[j] - x[j]) / t;
        assert_true(crease_reg_dist(&b, &s, x, g, &value, NULL) && value == 0);
    }
    for (int j = 0; j < 4; j++) g[j] = -g[j]; /* pointing inward: as far as it is long */
    assert_true(crease_reg_dist(&b, &s, x, g, &value, NULL));
    assert_close(value / crs_norm(4, g), 1, 0x1p-51);
    assert_true(crease_reg_value(&b, &s, x, &value, NULL) && value == 0);
    assert_true(crease_reg_value(&b, &s, v, &value, NULL) && value == INFINITY);
    x[0] = 2.5;
    assert_true(crease_reg_value(&b, &s, x, &value, NULL) && value == INFINITY);
    assert_true(crease_reg_dist(&b, &s, v, g, &value, NULL) && value == INFINITY);
}

static void box_bounds_are_checked(void **state)
{
    const double inf = INFINITY, bad[][2] = { { 1, 0 }, { inf, inf }, { -inf, -inf }, { NAN, 1 } };
    crease_error e;
    crease_reg_traits traits;
    (void)state;
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        const crease_reg r = crease_box_indicator(bad[k][0], bad[k][1]);
        assert_false(crease_reg_check(&r, &line, &e));
        assert_int_equal(e.code, CREASE_BAD_ARGUMENT);
    }
    const crease_reg all = crease_box_indicator(-inf, inf), point = crease_box_indicator(2, 2);
    assert_true(crease_reg_describe(&all, &line, inf, &traits, &e) && traits.lipschitz == 0);
    assert_true(crease_reg_describe(&point, &line, 1, &traits, &e) && traits.lipschitz == inf);
    double x = -9, work;
    const crease_bounds part = { 0, 5, NULL, NULL }, apart = { 3, 5, NULL, NULL };
    assert_true(crease_prox(&point, &line, 1, &x, &x, &e) && x == 2);
    point.ops->prox_box(&point, &line, 1, &part, &x, &x, &work);
    assert_true(x == 2 && point.ops->dist_box(&point, &line, &part, &x, &x, &work) == 0);
    point.ops->prox_box(&point, &line, 1, &apart, &x, &x, &work);
    assert_true(isnan(x));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prox_is_the_global_minimum), cmocka_unit_test(boxes_intersect),
        cmocka_unit_test(values_and_distances),       cmocka_unit_test(indicators_project),
        cmocka_unit_test(box_bounds_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
