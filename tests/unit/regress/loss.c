/* SPDX-License-Identifier: MIT
 * loss: logistic against Newton's method, robust losses against the generic engine and
 * against outliers, every penalty with every loss certified */
#include "support/regression_naive.h"

enum { ROWS = 50, COLS = 6 };
static double X[NAIVE_ROWS * NAIVE_COLS], y[NAIVE_ROWS];

static crease_regression *fit(crease_regression_settings s, ptrdiff_t n, ptrdiff_t p)
{
    crease_error e = { CREASE_OK, "" };
    crease_regression *m = crease_regression_new(&s, n, p, X, y, &e);
    if (!m || !crease_regression_fit(m, &e)) fail_msg("%s", e.text);
    return m;
}

/* Solves the 2 x 2 system for b_0 and one coefficient. */
static void newton(int n, const double *x, double b[2])
{
    for (int k = 0; k < 50; k++) {
        double g0 = 0, g1 = 0, h00 = 0, h01 = 0, h11 = 0;
        for (int i = 0; i < n; i++) {
            const double q = 1 / (1 + exp(-(b[0] + b[1] * x[i]))), w = q * (1 - q);
            g0 += q - y[i], g1 += (q - y[i]) * x[i];
            h00 += w, h01 += w * x[i], h11 += w * x[i] * x[i];
        }
        const double det = h00 * h11 - h01 * h01;
        b[0] -= (h11 * g0 - h01 * g1) / det;
        b[1] -= (h00 * g1 - h01 * g0) / det;
    }
}

/* Without a penalty on its column the answer is the maximum likelihood estimate. */
static void unpenalized_logistic_is_maximum_likelihood(void **state)
{
    const double free_weight[] = { 0 };
    (void)state;
    for (int seed = 0; seed < 5; seed++) {
        double b[2] = { 0, 0 };
        const crease_random r = { 3, (uint64_t)seed };
        for (int i = 0; i < 40; i++) {
            X[i] = 3 * crease_random_normal(r, (uint64_t)i) + 1;
            y[i] = X[i] + 4 * crease_random_normal(r, (uint64_t)(i + 500)) > 0.5;
        }
        newton(40, X, b);
        crease_regression_settings s = crease_regression_default();
        s.loss = CREASE_REGRESSION_LOGISTIC, s.path = 1, s.eps = 1e-12;
        s.penalty = crease_weighted(crease_l1(1), free_weight);
        crease_regression *m = fit(s, 40, 1);
        assert_close(crease_regression_at(m, 0)->intercept, b[0], 1e-9);
        assert_close(crease_regression_at(m, 0)->coef[0], b[1], 1e-9);
        crease_regression_free(m);
    }
}

/* Labels -1 and 1 mean the same as 0 and 1; exchanged classes change the sign. */
static void labels_may_be_signs_or_bits(void **state)
{
    crease_regression *m[3];
    (void)state;
    draw_regression(ROWS, COLS, 1, X, y);
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < ROWS; i++)
            y[i] = k == 0 ? y[i] > 2 : k == 1 ? 2 * y[i] - 1 : (1 - y[i]) / 2;
        crease_regression_settings s = crease_regression_default();
        s.loss = CREASE_REGRESSION_LOGISTIC, s.path = 10, s.ratio = 0.05;
        m[k] = fit(s, ROWS, COLS);
    }
    for (int j = 0; j < COLS; j++) {
        const double b = crease_regression_at(m[0], 9)->coef[j];
        assert_true(b == crease_regression_at(m[1], 9)->coef[j]);
        assert_close(b, -crease_regression_at(m[2], 9)->coef[j], 1e-5);
    }
    for (int k = 0; k < 3; k++) crease_regression_free(m[k]);
}

/* The generic engine on the model's own problem finds the same convex minimum. */
static void the_generic_engine_agrees(void **state)
{
    (void)state;
    for (int loss = 0; loss < 3; loss++) {
        draw_regression(ROWS, COLS, 2, X, y);
        for (int i = 0; loss == CREASE_REGRESSION_LOGISTIC && i < ROWS; i++) y[i] = y[i] > 2;
        crease_regression_settings s = crease_regression_default();
        s.loss = (crease_regression_loss)loss, s.path = 5, s.ratio = 0.1, s.eps = 1e-9;
        crease_regression *m = fit(s, ROWS, COLS);
        const crease_problem *p = crease_regression_problem(m, 3);
        crease_options o = crease_options_default();
        crease_error e = { CREASE_OK, "" };
        o.eps = 1e-7;
        crease_solver *engine = crease_solver_new(p, &o, &e);
        if (!engine) fail_msg("%s", e.text);
        assert_int_equal(crease_solve(engine), CREASE_STATIONARY);
        double f;
        const double *b = crease_regression_point(m, 3);
        assert_true(crease_objective(p, &b, &f, &e));
        assert_close(f, crease_solver_certificate(engine)->objective, 1e-9);
        const double c = crease_regression_used(m)->loss_scale;
        assert_close(f * c * c / ROWS, crease_regression_at(m, 3)->objective, 1e-12);
        crease_solver_free(engine);
        crease_regression_free(m);
    }
}

/* One wild row in five moves least squares far and the robust losses little. */
static void robust_losses_resist_outliers(void **state)
{
    double error[4] = { 0 };
    (void)state;
    for (int loss = 0; loss < 4; loss++) {
        if (loss == CREASE_REGRESSION_LOGISTIC) continue;
        draw_regression(ROWS, COLS, 3, X, y);
        for (int i = 0; i < ROWS; i += 5) y[i] += 100;
        crease_regression_settings s = crease_regression_default();
        s.loss = (crease_regression_loss)loss, s.path = 2, s.ratio = 1e-3;
        crease_regression *m = fit(s, ROWS, COLS);
        error[loss] = fabs(crease_regression_at(m, 1)->coef[1] - 0.5);
        crease_regression_free(m);
    }
    assert_true(error[CREASE_REGRESSION_HUBER] < 0.15);
    assert_true(error[CREASE_REGRESSION_CAUCHY] < 0.15);
    assert_true(error[CREASE_REGRESSION_SQUARED] > 0.5);
}

/* More columns than rows, every loss, penalties of every kind, with and without intercept. l0 does
 * not bound the coefficients of classes that a plane separates: there is no minimizer to find. */
static void every_loss_and_penalty_is_certified(void **state)
{
    const crease_reg penalty[] = { crease_l1(1),       crease_elastic_net(0.5, 0.5),
                                   crease_mcp(1, 12),  crease_scad(1, 11.8),
                                   crease_lsp(1, 0.2), crease_capped_l1(1, 0.3),
                                   crease_l0(1),       crease_l_half(1) };
    enum { WIDE = 60 };
    (void)state;
    for (size_t k = 0; k < sizeof penalty / sizeof *penalty; k++)
        for (int loss = 0; loss < 4; loss++) {
            if (penalty[k].penalty == crease_l0(1).penalty && loss == CREASE_REGRESSION_LOGISTIC)
                continue;
            draw_regression(ROWS, WIDE, 4, X, y);
            for (int i = 0; loss == CREASE_REGRESSION_LOGISTIC && i < ROWS; i++) y[i] = y[i] > 2;
            crease_regression_settings s = crease_regression_default();
            s.loss = (crease_regression_loss)loss, s.path = 8, s.ratio = 0.1,
            s.penalty = penalty[k];
            s.intercept = k % 2 == 0, s.standardize = k % 3 != 0;
            crease_regression *m = fit(s, ROWS, WIDE);
            for (int i = 0; i < 8; i++) {
                crease_regression_certificate c;
                assert_true(crease_regression_certify(m, i, true, &c, NULL));
                assert_true(c.certified && crease_regression_at(m, i)->converged);
            }
            assert_true(crease_regression_at(m, 7)->nonzero > 0);
            crease_regression_free(m);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unpenalized_logistic_is_maximum_likelihood),
        cmocka_unit_test(labels_may_be_signs_or_bits),
        cmocka_unit_test(the_generic_engine_agrees),
        cmocka_unit_test(robust_losses_resist_outliers),
        cmocka_unit_test(every_loss_and_penalty_is_certified),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
