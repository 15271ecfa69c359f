/* SPDX-License-Identifier: MIT
 * descent: whole paths against an independent coordinate descent, by every way there is, and the
 * group lasso by its optimality conditions */
#include "regress/regress.h"
#include "support/regression_naive.h"

enum { LAMBDAS = 50, GROUP_ROWS = 50, GROUP_COLS = 9, GROUP_LAMBDAS = 20 };
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
        const crease_regression_solution s = *crease_regression_at(m, i);
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

static void paths_agree_with_an_independent_descent(void **state)
{
    (void)state;
    for (int k = LASSO; k <= SCAD; k++) compare((naive_penalty)k, 100, 20, k, 0.01);
    compare(LASSO, 40, 100, 11, 0.02);
    compare(ELASTIC_NET, 40, 100, 12, 0.02);
    compare(MCP, 60, 90, 13, 0.2);
    compare(SCAD, 60, 90, 14, 0.2);
}

/* Sweeps on the columns when the Gram matrix has no room, and a cold start at the small end, where
 * most columns ask to go to work at once: the same minima. */
static void columns_and_cold_starts_reach_the_same_minimum(void **state)
{
    enum { ROWS = 50, COLS = 110 };
    crease_error e = { CREASE_OK, "" };
    (void)state;
    draw_regression(ROWS, COLS, 15, X, y);
    crease_regression *m = path_of(crease_l1(1), ROWS, COLS, 0.02);
    crease_regression_settings s = *crease_regression_used(m);
    for (int way = 0; way < 2; way++) {
        s.ascending = way == 1;
        crease_regression *other_m = crease_regression_new(&s, ROWS, COLS, X, y, &e);
        assert_non_null(other_m);
        if (way == 0) other_m->descent->room = 3;
        assert_true(crease_regression_fit(other_m, &e));
        assert_true(other_m->descent->gram == (way == 1));
        for (int k = 0; k < LAMBDAS; k++) {
            assert_true(crease_regression_at(other_m, k)->converged);
            assert_close(crease_regression_at(other_m, k)->objective,
                         crease_regression_at(m, k)->objective, 1e-11);
        }
        crease_regression_free(other_m);
    }
    crease_regression_free(m);
}

static crease_regression *fit_groups(crease_reg penalty)
{
    crease_regression_settings s = crease_regression_default();
    crease_error e = { CREASE_OK, "" };
    s.penalty = penalty, s.path = GROUP_LAMBDAS, s.ratio = 0.02, s.eps = 1e-9;
    crease_regression *m = crease_regression_new(&s, GROUP_ROWS, GROUP_COLS, X, y, &e);
    if (!m || !crease_regression_fit(m, &e)) fail_msg("%s", e.text);
    return m;
}

/* z_g'r/n = lambda sqrt(k) b_g/|b_g| where b_g != 0, and |z_g'r/n| <= lambda sqrt(k) elsewhere. */
static void check_conditions(const naive *a, const crease_groups *g, double lambda)
{
    for (ptrdiff_t u = 0; u < g->count; u++) {
        double norm = 0, length = 0, off = 0;
        const double limit = lambda * sqrt((double)(g->start[u + 1] - g->start[u]));
        for (ptrdiff_t k = g->start[u]; k < g->start[u + 1]; k++) norm += square(a->b[g->index[k]]);
        norm = sqrt(norm);
        for (ptrdiff_t k = g->start[u]; k < g->start[u + 1]; k++) {
            const ptrdiff_t j = g->index[k];
            double gradient = 0;
            for (int i = 0; i < GROUP_ROWS; i++) gradient += a->z[i][j] * a->r[i] / GROUP_ROWS;
            length += square(gradient);
            if (norm > 0) off += square(gradient - limit * a->b[j] / norm);
        }
        if (norm > 0)
            assert_true(sqrt(off) < 1e-7);
        else
            assert_true(sqrt(length) <= limit * (1 + 1e-7));
    }
}

static void group_lasso_is_optimal(void **state)
{
    static naive a;
    const ptrdiff_t start[] = { 0, 3, 5, 9 }, index[] = { 1, 4, 7, 0, 2, 8, 3, 6, 5 };
    const crease_groups g = { 3, start, index };
    (void)state;
    draw_regression(GROUP_ROWS, GROUP_COLS, 21, X, y);
    naive_start(&a, GROUP_ROWS, GROUP_COLS, X, y);
    crease_regression *m = fit_groups(crease_group_l1(1, &g));
    for (int k = 0; k < GROUP_LAMBDAS; k++) {
        const double *b = crease_regression_point(m, k);
        for (int j = 0; j < GROUP_COLS; j++)
            for (int i = 0; i < GROUP_ROWS; i++) a.r[i] -= a.z[i][j] * (b[j] - a.b[j]);
        for (int j = 0; j < GROUP_COLS; j++) a.b[j] = b[j];
        check_conditions(&a, &g, crease_regression_at(m, k)->lambda);
        crease_regression_certificate c;
        assert_true(crease_regression_certify(m, k, true, &c, NULL));
        assert_true(c.certified && c.convexity == CREASE_CONVEXITY_GLOBAL);
    }
    crease_regression_free(m);
}

static void groups_of_one_are_entries(void **state)
{
    ptrdiff_t start[GROUP_COLS + 1];
    const crease_groups g = { GROUP_COLS, start, NULL };
    (void)state;
    for (int j = 0; j <= GROUP_COLS; j++) start[j] = j;
    draw_regression(GROUP_ROWS, GROUP_COLS, 22, X, y);
    crease_regression *a = fit_groups(crease_group_l1(1, &g)), *b = fit_groups(crease_l1(1));
    for (int k = 0; k < GROUP_LAMBDAS; k++)
        for (int j = 0; j < GROUP_COLS; j++)
            assert_close(crease_regression_at(a, k)->coef[j], crease_regression_at(b, k)->coef[j],
                         1e-12);
    crease_regression_free(a);
    crease_regression_free(b);
}

/* Groups enter whole, with every loss; nonconvex ones are certified too. */
static void groups_enter_whole(void **state)
{
    const ptrdiff_t start[] = { 0, 4, 6, 9 };
    const crease_groups g = { 3, start, NULL };
    (void)state;
    for (int loss = 0; loss < 4; loss++) {
        draw_regression(GROUP_ROWS, GROUP_COLS, 23, X, y);
        for (int i = 0; loss == CREASE_REGRESSION_LOGISTIC && i < GROUP_ROWS; i++) y[i] = y[i] > 2;
        crease_regression_settings s = crease_regression_default();
        crease_error e = { CREASE_OK, "" };
        s.loss = (crease_regression_loss)loss, s.path = GROUP_LAMBDAS, s.ratio = 0.05;
        s.penalty = crease_group_l1(1, &g);
        s.penalty.penalty = crease_mcp(1, 12).penalty, s.penalty.par[1] = 12;
        crease_regression *m = crease_regression_new(&s, GROUP_ROWS, GROUP_COLS, X, y, &e);
        if (!m || !crease_regression_fit(m, &e)) fail_msg("%s", e.text);
        for (int k = 0; k < GROUP_LAMBDAS; k++) {
            crease_regression_certificate c;
            const double *b = crease_regression_at(m, k)->coef;
            for (int j = 1; j < GROUP_COLS; j++)
                if (j != 4 && j != 6) assert_true((b[j] != 0) == (b[j - 1] != 0));
            assert_true(crease_regression_certify(m, k, true, &c, NULL) && c.certified);
        }
        crease_regression_free(m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(paths_agree_with_an_independent_descent),
        cmocka_unit_test(columns_and_cold_starts_reach_the_same_minimum),
        cmocka_unit_test(group_lasso_is_optimal),
        cmocka_unit_test(groups_of_one_are_entries),
        cmocka_unit_test(groups_enter_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
