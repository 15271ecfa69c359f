/* SPDX-License-Identifier: MIT
 * regression: whole paths against an independent coordinate descent, and their certificates */
#include "regress/regress.h"
#include "support/regression_naive.h"

enum { LAMBDAS = 50 };
static double X[NAIVE_ROWS * NAIVE_COLS], y[NAIVE_ROWS];
static naive other;

static crease_reg penalty_of(naive_penalty k)
{
    return k == LASSO         ? crease_l1(1)
           : k == ELASTIC_NET ? crease_elastic_net(0.5, 0.5)
           : k == MCP         ? crease_mcp(1, 3)
                              : crease_scad(1, 3.7);
}

static crease_regression *path_of(crease_reg penalty, int n, int p, double ratio)
{
    crease_regression_settings s = crease_regression_default();
    crease_error e = { CREASE_OK, "" };
    s.penalty = penalty, s.path = LAMBDAS, s.ratio = ratio, s.eps = 1e-9;
    crease_regression *m = crease_regression_new(&s, n, p, X, y, &e);
    if (!m || !crease_regression_fit(m, &e)) fail_msg("%s", e.text);
    return m;
}

/* F is the same to 1e-9 at every lambda, and so are the coefficients where F has one minimizer. */
static void compare(naive_penalty k, int n, int p, int seed, double ratio)
{
    draw_regression(n, p, seed, X, y);
    naive_start(&other, n, p, X, y);
    crease_regression *m = path_of(penalty_of(k), n, p, ratio);
    for (int i = 0; i < LAMBDAS; i++) {
        const crease_regression_solution s = crease_regression_at(m, i);
        naive_solve(&other, k, s.lambda);
        assert_close(s.objective, naive_objective(&other, k, s.lambda), 1e-9);
        assert_true(s.converged);
        double rest = 0;
        for (int row = 0; row < n; row++) {
            double at = s.intercept;
            for (int j = 0; j < p; j++) at += X[row * p + j] * s.coef[j];
            rest += (y[row] - at) * (y[row] - at) / n;
        }
        assert_close(rest, s.deviance, 1e-12);
    }
    crease_regression_free(m);
}

static void agrees_with_an_independent_descent(void **state)
{
    (void)state;
    for (int k = LASSO; k <= SCAD; k++) compare((naive_penalty)k, 100, 20, k, 0.01);
    compare(LASSO, 40, 100, 11, 0.02);
    compare(ELASTIC_NET, 40, 100, 12, 0.02);
    compare(MCP, 60, 90, 13, 0.2);
    compare(SCAD, 60, 90, 14, 0.2);
}

/* The residual by hand: |x_j's/n + ...| coordinate by coordinate from the problem's own data. */
static double residual_by_hand(const crease_regression *m, int k, int n, int p)
{
    const crease_problem *q = crease_regression_problem(m, k);
    const crease_reg *r = &q->block->reg;
    const crease_predictor *f = q->f.data;
    const double *x = f->map->data, *b = crease_regression_point(m, k);
    double sum = 0;
    for (int j = 0; j < p; j++) {
        double g = 0;
        for (int i = 0; i < n; i++) {
            double u = -f->rhs[i];
            for (int l = 0; l < p; l++) u += x[i * p + l] * b[l];
            g += u * x[i * p + j];
        }
        const double slope = r->weight[j] * r->penalty->slope(r->par, fabs(b[j]));
        const double off = b[j] == 0 ? fabs(g) - slope : fabs(g + (b[j] > 0 ? slope : -slope));
        if (off > 0) sum += off * off;
    }
    return sqrt(sum);
}

static void certificates_follow_the_definition(void **state)
{
    enum { ROWS = 30, COLS = 45 };
    (void)state;
    draw_regression(ROWS, COLS, 3, X, y);
    crease_regression *m = path_of(crease_mcp(1, 3), ROWS, COLS, 0.1);
    for (int k = 0; k < LAMBDAS; k++) {
        crease_regression_certificate c;
        crease_error e;
        assert_true(crease_regression_certify(m, k, true, &c, &e));
        assert_true(c.certified && c.checked && c.verdict == CREASE_VERDICT_VALID);
        assert_true(c.relative <= 1e-9);
        assert_close(c.residual.residual - c.residual.rounding, residual_by_hand(m, k, ROWS, COLS),
                     1e-12 * c.residual.scale);
        assert_close(c.margin, 1 - 1 / 3.0, 1e-12); /* columns of mean square 1 */
    }
    crease_regression_free(m);
}

/* Sweeps on the columns when the Gram matrix has no room, and a cold start at the small end, where
 * most columns ask to go to work at once: the same minima. */
static void other_ways_to_the_same_minimum(void **state)
{
    enum { ROWS = 50, COLS = 110 };
    crease_error e = { CREASE_OK, "" };
    (void)state;
    draw_regression(ROWS, COLS, 15, X, y);
    crease_regression *m = path_of(crease_l1(1), ROWS, COLS, 0.02);
    crease_regression_settings s = crease_regression_used(m);
    for (int way = 0; way < 2; way++) {
        s.ascending = way == 1;
        crease_regression *other_m = crease_regression_new(&s, ROWS, COLS, X, y, &e);
        assert_non_null(other_m);
        if (way == 0) other_m->descent->room = 3;
        assert_true(crease_regression_fit(other_m, &e));
        assert_true(other_m->descent->gram == (way == 1));
        for (int k = 0; k < LAMBDAS; k++) {
            assert_true(crease_regression_at(other_m, k).converged);
            assert_close(crease_regression_at(other_m, k).objective,
                         crease_regression_at(m, k).objective, 1e-11);
        }
        crease_regression_free(other_m);
    }
    crease_regression_free(m);
}

/* A point that was spoiled is not certified. */
static void a_wrong_point_is_refused(void **state)
{
    crease_regression_certificate c;
    (void)state;
    draw_regression(50, 10, 4, X, y);
    crease_regression *m = path_of(crease_l1(1), 50, 10, 0.1);
    double *b = (double *)(uintptr_t)crease_regression_point(m, 30);
    b[1] += 1e-3;
    assert_true(crease_regression_certify(m, 30, true, &c, NULL));
    assert_false(c.certified);
    crease_regression_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_an_independent_descent),
        cmocka_unit_test(certificates_follow_the_definition),
        cmocka_unit_test(other_ways_to_the_same_minimum),
        cmocka_unit_test(a_wrong_point_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
