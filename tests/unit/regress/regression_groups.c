/* SPDX-License-Identifier: MIT
 * regression_groups: the group lasso by its optimality conditions, groups of one, order of columns
 */
#include "support/regression_naive.h"

enum { ROWS = 50, COLS = 9, LAMBDAS = 20 };
static double X[NAIVE_ROWS * NAIVE_COLS], y[NAIVE_ROWS];

static crease_regression *fit(crease_reg penalty)
{
    crease_regression_settings s = crease_regression_default();
    crease_error e = { CREASE_OK, "" };
    s.penalty = penalty, s.path = LAMBDAS, s.ratio = 0.02, s.eps = 1e-9;
    crease_regression *m = crease_regression_new(&s, ROWS, COLS, X, y, &e);
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
            for (int i = 0; i < ROWS; i++) gradient += a->z[i][j] * a->r[i] / ROWS;
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
    draw_regression(ROWS, COLS, 21, X, y);
    naive_start(&a, ROWS, COLS, X, y);
    crease_regression *m = fit(crease_group_l1(1, &g));
    for (int k = 0; k < LAMBDAS; k++) {
        const double *b = crease_regression_point(m, k);
        for (int j = 0; j < COLS; j++)
            for (int i = 0; i < ROWS; i++) a.r[i] -= a.z[i][j] * (b[j] - a.b[j]);
        for (int j = 0; j < COLS; j++) a.b[j] = b[j];
        check_conditions(&a, &g, crease_regression_at(m, k).lambda);
        crease_regression_certificate c;
        assert_true(crease_regression_certify(m, k, true, &c, NULL));
        assert_true(c.certified && c.convexity == CREASE_CONVEXITY_GLOBAL);
    }
    crease_regression_free(m);
}

static void groups_of_one_are_entries(void **state)
{
    ptrdiff_t start[COLS + 1];
    const crease_groups g = { COLS, start, NULL };
    (void)state;
    for (int j = 0; j <= COLS; j++) start[j] = j;
    draw_regression(ROWS, COLS, 22, X, y);
    crease_regression *a = fit(crease_group_l1(1, &g)), *b = fit(crease_l1(1));
    for (int k = 0; k < LAMBDAS; k++)
        for (int j = 0; j < COLS; j++)
            assert_close(crease_regression_at(a, k).coef[j], crease_regression_at(b, k).coef[j],
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
        draw_regression(ROWS, COLS, 23, X, y);
        for (int i = 0; loss == CREASE_REGRESSION_LOGISTIC && i < ROWS; i++) y[i] = y[i] > 2;
        crease_regression_settings s = crease_regression_default();
        crease_error e = { CREASE_OK, "" };
        s.loss = (crease_regression_loss)loss, s.path = LAMBDAS, s.ratio = 0.05;
        s.penalty = crease_group_l1(1, &g);
        s.penalty.penalty = crease_mcp(1, 12).penalty, s.penalty.par[1] = 12;
        crease_regression *m = crease_regression_new(&s, ROWS, COLS, X, y, &e);
        if (!m || !crease_regression_fit(m, &e)) fail_msg("%s", e.text);
        for (int k = 0; k < LAMBDAS; k++) {
            crease_regression_certificate c;
            const double *b = crease_regression_at(m, k).coef;
            for (int j = 1; j < COLS; j++)
                if (j != 4 && j != 6) assert_true((b[j] != 0) == (b[j - 1] != 0));
            assert_true(crease_regression_certify(m, k, true, &c, NULL) && c.certified);
        }
        crease_regression_free(m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(group_lasso_is_optimal),
                                        cmocka_unit_test(groups_of_one_are_entries),
                                        cmocka_unit_test(groups_enter_whole) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
