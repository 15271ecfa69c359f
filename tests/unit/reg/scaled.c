/* SPDX-License-Identifier: MIT
 * scaled: alpha r, weighted l1, and vectors split over ranks */
#include "support/penalties.h"

enum { N = 5 };

static const crease_space space = { .order = 1, .dim = { N } };

/* alpha r is the separable r with every weight alpha. */
static void scaling_is_a_weight(void **state)
{
    draws d = { { 50, 1 }, 0 };
    (void)state;
    for (int trial = 0; trial < 100 * PENALTIES; trial++) {
        double par[CREASE_PARS] = { 0 }, weight[N], v[N], x[N], y[N], work[3 * N], one, two;
        const double alpha = decades(&d, 1), t = decades(&d, 1);
        draw_par(&d, penalties[trial % PENALTIES], 1, par);
        fill(N, alpha, weight);
        const crease_reg plain = crease_separable(penalties[trial % PENALTIES], par);
        const crease_reg r = crease_scaled(alpha, &plain), w = crease_weighted(plain, weight);
        for (int j = 0; j < N; j++) v[j] = 3 * normal(&d);
        assert_true(crease_prox(&r, &space, t, v, x, NULL));
        assert_true(crease_prox(&w, &space, t, v, y, NULL));
        for (int j = 0; j < N; j++) assert_close(x[j], y[j], 1e-12);
        assert_true(crease_reg_value(&r, &space, v, &one, NULL));
        assert_true(crease_reg_value(&w, &space, v, &two, NULL));
        assert_close(one, two, 1e-14);
        assert_true(crease_reg_dist(&r, &space, x, v, &one, NULL));
        assert_true(crease_reg_dist(&w, &space, x, v, &two, NULL));
        assert_close(one, two, 1e-12);
        const crease_bounds b = { -1, 0.5, NULL, NULL };
        r.ops->prox_box(&r, &space, t, &b, v, x, work);
        w.ops->prox_box(&w, &space, t, &b, v, y, work);
        for (int j = 0; j < N; j++) assert_close(x[j], y[j], 1e-12);
        assert_close(r.ops->dist_box(&r, &space, &b, x, v, work),
                     w.ops->dist_box(&w, &space, &b, x, v, work), 1e-12);
    }
}

static void traits_scale(void **state)
{
    const double par[] = { 1, 3 };
    const crease_reg mcp = crease_separable(&crs_mcp, par), r = crease_scaled(2, &mcp);
    const crease_reg twice = crease_scaled(3, &r), none = crease_scaled(1, NULL);
    crease_reg_traits traits;
    crease_error e;
    double x[N] = { 5, 4, 3, 2, 1 }, y[N], work[4 * N];
    (void)state;
    assert_true(crease_reg_describe(&twice, &space, 1, &traits, &e));
    assert_close(traits.lipschitz, 6 * sqrt(5), 0x1p-51);
    assert_close(traits.weak_convexity, 2, 0x1p-51);
    assert_close(traits.ball_step, 0.5, 0x1p-51);
    r.ops->prox_ball(&r, &space, 0.25, 2, x, y, work);
    mcp.ops->prox_ball(&mcp, &space, 0.5, 2, x, x, work);
    assert_memory_equal(x, y, sizeof x);
    assert_false(crease_reg_check(&none, &space, &e));
    const crease_reg negative = crease_scaled(-1, &mcp);
    assert_false(crease_reg_check(&negative, &space, &e));
}

/* What the inner regularizer cannot do, the scaled one does not offer. */
static void missing_operations_stay_missing(void **state)
{
    const ptrdiff_t start[] = { 0, N };
    const crease_groups groups = { 1, start, NULL };
    const crease_reg group = crease_group_l1(1, &groups), box = crease_box_indicator(0, 1);
    const crease_reg a = crease_scaled(2, &group), b = crease_scaled(2, &box);
    (void)state;
    assert_true(!a.ops->prox_box && !a.ops->dist_box && a.ops->prox_ball);
    assert_true(b.ops->prox_box && b.ops->dist_box && !b.ops->prox_ball);
}

static void weighted_l1(void **state)
{
    const double lambda[] = { 0, 1, 2, 3, 4 }, v[] = { 9, 3, -3, 3, 3 },
                 wanted[] = { 9, 2, -1, 0, 0 };
    const crease_reg r = crease_weighted_l1(lambda), none = crease_weighted_l1(NULL);
    const crease_reg negative = crease_weighted_l1((double[]){ 1, 1, -1, 1, 1 });
    double x[N], value;
    crease_error e;
    crease_reg_traits traits;
    (void)state;
    assert_true(crease_prox(&r, &space, 1, v, x, &e));
    assert_memory_equal(x, wanted, sizeof x);
    assert_true(crease_reg_value(&r, &space, v, &value, &e) && value == 3 + 6 + 9 + 12);
    assert_true(crease_reg_describe(&r, &space, 1, &traits, &e) && traits.convex);
    assert_close(traits.lipschitz, sqrt(30), 0x1p-51);
    assert_false(crease_reg_check(&none, &space, &e));
    assert_non_null(strstr(e.text, "no weights"));
    assert_false(crease_reg_check(&negative, &space, &e));
    assert_non_null(strstr(e.text, "weight 3"));
}

/* Two ranks that hold the same entries: a sum doubles, a maximum stays. */
static void doubled(const void *self, double *v, int n)
{
    (void)self;
    for (int k = 0; k < n; k++) v[k] *= 2;
}

static void kept(const void *self, double *v, int n) { (void)self, (void)v, (void)n; }

static void split_vectors_agree_with_whole_ones(void **state)
{
    draws d = { { 51, 1 }, 0 };
    const crease_comm comm = { doubled, kept, NULL };
    crease_space half = space;
    const crease_space whole = crease_vector(2 * N);
    half.comm = &comm;
    (void)state;
    for (int trial = 0; trial < 40 * PENALTIES; trial++) {
        double par[CREASE_PARS] = { 0 }, v[2 * N], x[N], y[2 * N], work[2 * N];
        const crease_penalty *p = penalties[trial % PENALTIES];
        crease_reg_traits a, b;
        draw_par(&d, p, 1, par);
        const crease_reg r = trial % 2 ? crease_nonneg(p, par) : crease_separable(p, par);
        for (int j = 0; j < N; j++) v[j] = v[N + j] = 3 * normal(&d);
        r.ops->traits(&r, &half, 2, &a);
        r.ops->traits(&r, &whole, 2, &b);
        assert_close(a.lipschitz, b.lipschitz, 0x1p-50);
        assert_true(a.weak_convexity == b.weak_convexity);
        assert_close(a.ball_step, p == &crs_l0 ? 0 : b.ball_step, 0);
        assert_close(r.ops->value(&r, &half, v, work), r.ops->value(&r, &whole, v, work), 1e-14);
        const double t = isinf(a.ball_step) ? decades(&d, 1) : 0.9 * a.ball_step;
        if (!(t > 0)) continue;
        r.ops->prox_ball(&r, &half, t, 2, v, x, work);
        r.ops->prox_ball(&r, &whole, t, 2, v, y, work);
        for (int j = 0; j < N; j++) assert_close(x[j], y[j], 1e-13);
        assert_close(r.ops->dist(&r, &half, x, v, work), r.ops->dist(&r, &whole, y, v, work),
                     1e-12);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scaling_is_a_weight),
        cmocka_unit_test(traits_scale),
        cmocka_unit_test(missing_operations_stay_missing),
        cmocka_unit_test(weighted_l1),
        cmocka_unit_test(split_vectors_agree_with_whole_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
