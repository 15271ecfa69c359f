/* SPDX-License-Identifier: MIT
 * path: lambda_max, both directions, scaling, degenerate data; and a path that ends early is the
 * front of the whole one, in the order of solving */
#include <crease/random.h>

#include "regress/regress.h"
#include "support/regression_naive.h"

enum { ROWS = 60, COLS = 12, PATH = 20 };
static double X[NAIVE_ROWS * NAIVE_COLS], y[NAIVE_ROWS];

static crease_regression *fit(crease_regression_settings s)
{
    crease_error e = { CREASE_OK, "" };
    crease_regression *m = crease_regression_new(&s, ROWS, COLS, X, y, &e);
    if (!m || !crease_regression_fit(m, &e)) fail_msg("%s", e.text);
    return m;
}

static bool certified(const crease_regression *m, ptrdiff_t k)
{
    crease_regression_certificate c;
    crease_error e;
    return crease_regression_certify(m, k, true, &c, &e) && c.certified;
}

static void labels(void)
{
    for (int i = 0; i < ROWS; i++) y[i] = y[i] > 2;
}

/* Zero at lambda_max, and just below it not: for every loss and penalty. */
static void lambda_max_is_exact(void **state)
{
    const crease_reg penalty[] = { crease_l1(1),           crease_elastic_net(0.3, 0.7),
                                   crease_mcp(1, 3),       crease_scad(1, 3.7),
                                   crease_lsp(1, 0.5),     crease_capped_l1(1, 0.01),
                                   crease_l0(1),           crease_l_half(1),
                                   crease_l_two_thirds(1), crease_lq(1, 0.3),
                                   crease_mcp(1, 0.5) };
    (void)state;
    for (size_t k = 0; k < sizeof penalty / sizeof *penalty; k++)
        for (int loss = 0; loss < 4; loss++) {
            draw_regression(ROWS, COLS, 5, X, y);
            if (loss == CREASE_REGRESSION_LOGISTIC) labels();
            crease_regression_settings s = crease_regression_default();
            s.penalty = penalty[k], s.loss = (crease_regression_loss)loss, s.path = 1;
            crease_regression *m = fit(s);
            const double most = crease_regression_lambda_max(m);
            assert_int_equal(crease_regression_at(m, 0)->nonzero, 0);
            assert_true(certified(m, 0));
            crease_regression_free(m);
            const double below[] = { most * (1 - 1e-6) };
            s.lambda = below;
            m = fit(s);
            if (penalty[k].penalty->slope(penalty[k].par, 0) < INFINITY || loss == 0)
                assert_true(crease_regression_at(m, 0)->nonzero > 0);
            assert_true(certified(m, 0));
            crease_regression_free(m);
        }
}

/* lambda_max of the lasso is max_j |z_j'y|/n, z_j standardized. */
static void lambda_max_of_the_lasso_is_its_formula(void **state)
{
    static naive a;
    double most = 0;
    (void)state;
    draw_regression(ROWS, COLS, 6, X, y);
    naive_start(&a, ROWS, COLS, X, y);
    for (int j = 0; j < COLS; j++) {
        double g = 0;
        for (int i = 0; i < ROWS; i++) g += a.z[i][j] * a.r[i] / ROWS;
        most = fabs(g) > most ? fabs(g) : most;
    }
    crease_regression *m = fit(crease_regression_default());
    assert_close(crease_regression_lambda_max(m), most, 0x1p-35);
    assert_close(crease_regression_at(m, 99)->lambda, 0.001 * most, 0x1p-35);
    crease_regression_free(m);
}

/* Upwards and downwards: the same minima where F is convex, certified in any case. */
static void either_direction_reaches_the_same_minima(void **state)
{
    (void)state;
    for (int loss = 0; loss < 3; loss++) {
        draw_regression(ROWS, COLS, 7, X, y);
        if (loss == CREASE_REGRESSION_LOGISTIC) labels();
        crease_regression_settings s = crease_regression_default();
        s.loss = (crease_regression_loss)loss, s.path = 40, s.ratio = 0.01, s.eps = 1e-9;
        crease_regression *down = fit(s);
        s.ascending = true;
        crease_regression *up = fit(s);
        for (int k = 0; k < 40; k++) {
            const crease_regression_solution a = *crease_regression_at(down, k);
            const crease_regression_solution b = *crease_regression_at(up, k);
            assert_close(a.objective, b.objective, 1e-11);
            for (int j = 0; j < COLS; j++) assert_close(a.coef[j], b.coef[j], 1e-5);
            assert_true(certified(up, k));
        }
        crease_regression_free(up);
        crease_regression_free(down);
        s.penalty = crease_scad(1, 3.7);
        up = fit(s);
        for (int k = 0; k < 40; k++) assert_true(certified(up, k));
        crease_regression_free(up);
    }
}

/* y times c and lambda times c: b times c. A column times c: its b divided by c. */
static void coefficients_scale_with_the_data(void **state)
{
    crease_regression_settings s = crease_regression_default();
    (void)state;
    s.path = 20, s.ratio = 0.05, s.eps = 1e-10, s.penalty = crease_mcp(1, 3);
    draw_regression(ROWS, COLS, 8, X, y);
    crease_regression *m = fit(s);
    for (int scale = -1; scale <= 1; scale += 2) {
        const double c = pow(10, 6 * scale);
        for (int i = 0; i < ROWS; i++) y[i] *= c, X[i * COLS + 3] *= -c;
        crease_regression *n = fit(s);
        for (int k = 0; k < 20; k++) {
            const crease_regression_solution a = *crease_regression_at(m, k);
            const crease_regression_solution b = *crease_regression_at(n, k);
            assert_close(b.lambda / c, a.lambda, 1e-8);
            for (int j = 0; j < COLS; j++)
                assert_close(j == 3 ? -b.coef[j] : b.coef[j] / c, a.coef[j], 1e-8);
        }
        crease_regression_free(n);
        for (int i = 0; i < ROWS; i++) y[i] /= c, X[i * COLS + 3] /= -c;
    }
    crease_regression_free(m);
}

/* y = 0, constant y, a repeated column, a column of zeros, a weight of 0. */
static void degenerate_data_are_certified(void **state)
{
    crease_regression_settings s = crease_regression_default();
    (void)state;
    s.path = 10, s.ratio = 0.01;
    draw_regression(ROWS, COLS, 9, X, y);
    for (int i = 0; i < ROWS; i++) y[i] = 4;
    crease_regression *m = fit(s);
    assert_int_equal(crease_regression_at(m, 9)->nonzero, 0);
    assert_close(crease_regression_at(m, 9)->intercept, 4, 1e-14);
    assert_true(certified(m, 9));
    crease_regression_free(m);
    draw_regression(ROWS, COLS, 9, X, y);
    double weight[COLS];
    for (int j = 0; j < COLS; j++) weight[j] = j != 1;
    for (int i = 0; i < ROWS; i++) X[i * COLS + 2] = X[i * COLS + 1], X[i * COLS + 4] = 0;
    s.standardize = false;
    s.penalty = crease_weighted(crease_l1(1), weight);
    m = fit(s);
    assert_true(crease_regression_at(m, 0)->coef[1] != 0);
    for (int k = 0; k < 10; k++) {
        assert_true(certified(m, k));
        assert_true(crease_regression_at(m, k)->coef[2] == 0); /* its twin costs nothing */
        assert_true(crease_regression_at(m, k)->coef[4] == 0);
    }
    crease_regression_free(m);
}

static crease_regression *make(int loss, bool ascending, double seconds)
{
    crease_regression_settings s = crease_regression_default();
    crease_error e = { CREASE_OK, "" };
    draw_regression(ROWS, COLS, 5, X, y);
    for (int i = 0; i < ROWS && loss == CREASE_REGRESSION_LOGISTIC; i++) y[i] = y[i] > 2;
    s.loss = (crease_regression_loss)loss, s.ascending = ascending;
    s.path = PATH, s.max_seconds = seconds;
    crease_regression *m = crease_regression_new(&s, ROWS, COLS, X, y, &e);
    if (!m) fail_msg("%s", e.text);
    return m;
}

static void is_part(const crease_regression *part, const crease_regression *all, ptrdiff_t first)
{
    const ptrdiff_t count = crease_regression_used(part)->path;
    for (ptrdiff_t k = 0; k < count; k++) {
        const crease_regression_solution a = *crease_regression_at(part, k),
                                         b = *crease_regression_at(all, first + k);
        crease_regression_certificate c;
        assert_true(a.lambda == b.lambda && a.nonzero == b.nonzero && a.intercept == b.intercept);
        assert_true(crease_regression_used(part)->lambda[k] == a.lambda);
        assert_memory_equal(a.coef, b.coef, COLS * sizeof(double));
        assert_true(crease_regression_certify(part, k, true, &c, NULL) && c.certified);
    }
}

/* Cut at every length, the solutions and their problems keep each other's company. */
static void a_cut_path_is_part_of_the_whole(void **state)
{
    (void)state;
    for (int loss = 0; loss < 4; loss++)
        for (int ascending = 0; ascending < 2; ascending++)
            for (ptrdiff_t solved = 1; solved <= PATH; solved += 6) {
                crease_regression *all = make(loss, ascending, INFINITY);
                crease_regression *part = make(loss, ascending, INFINITY);
                assert_true(crease_regression_fit(all, NULL) && crease_regression_fit(part, NULL));
                assert_false(crease_regression_stopped(part));
                crs_regression_cut(part, solved);
                assert_true(crease_regression_stopped(part));
                assert_true(crease_regression_used(part)->path == solved);
                is_part(part, all, ascending ? PATH - solved : 0);
                crease_regression_free(all);
                crease_regression_free(part);
            }
}

/* Stopped before it began, or without any time: one lambda, and no cross-validation. */
static void stopped_at_once_leaves_one_lambda(void **state)
{
    (void)state;
    for (int loss = 0; loss < 4; loss++)
        for (int k = 0; k < 4; k++) {
            crease_regression *m = make(loss, k % 2, k < 2 ? 0 : INFINITY);
            crease_regression_scores scores;
            if (k >= 2) crease_regression_stop(m);
            assert_true(crease_regression_fit(m, NULL) && crease_regression_stopped(m));
            assert_true(crease_regression_used(m)->path == 1);
            assert_true(crease_regression_cv(m, X, y, 3, 0, &scores, NULL));
            assert_true(scores.count == 0);
            crease_regression_scores_free(&scores);
            crease_regression_free(m);
        }
}

/* Stopped after the fit: the path is whole, the cross-validation is left out. */
static void stopped_after_the_fit_leaves_out_cross_validation(void **state)
{
    crease_regression *m = make(0, false, INFINITY);
    crease_regression_scores scores;
    (void)state;
    assert_true(crease_regression_fit(m, NULL) && !crease_regression_stopped(m));
    crease_regression_stop(m);
    assert_true(crease_regression_cv(m, X, y, 3, 0, &scores, NULL) && scores.count == 0);
    assert_true(crease_regression_stopped(m) && crease_regression_used(m)->path == PATH);
    crease_regression_scores_free(&scores);
    crease_regression_free(m);
}

/* The same bits from rows that were given away */
static void given(crease_regression_loss loss, bool grouped, const double *target)
{
    const ptrdiff_t start[] = { 0, COLS / 2, COLS };
    ptrdiff_t index[COLS];
    for (int j = 0; j < COLS; j++) index[j] = j * 2 % COLS + j * 2 / COLS;
    const crease_groups groups = { 2, start, index };
    crease_regression_settings s = crease_regression_default();
    crease_reg l1 = crease_l1(1);
    s.path = PATH, s.loss = loss;
    s.penalty = grouped ? crease_group(l1.penalty, l1.par, &groups) : l1;
    double *rows = crs_alloc(ROWS * COLS, sizeof *rows);
    assert_non_null(rows);
    memcpy(rows, X, ROWS * COLS * sizeof *rows);
    crease_regression *kept = crease_regression_new(&s, ROWS, COLS, X, target, NULL);
    crease_regression *own = crs_regression_of(&s, ROWS, COLS, &rows, target, NULL);
    assert_true(kept && own && !rows);
    assert_true(crease_regression_fit(kept, NULL) && crease_regression_fit(own, NULL));
    for (ptrdiff_t k = 0; k < PATH; k++) {
        const crease_regression_solution *a = crease_regression_at(kept, k),
                                         *b = crease_regression_at(own, k);
        assert_memory_equal(a->coef, b->coef, COLS * sizeof *a->coef);
        assert_true(a->intercept == b->intercept && a->objective == b->objective);
    }
    crs_regression_forget(own);
    assert_true(crease_regression_at(own, 0)->lambda == crease_regression_at(kept, 0)->lambda);
    crease_regression_free(kept);
    crease_regression_free(own);
}

static void rows_that_are_given_away_are_the_same(void **state)
{
    double classes[ROWS];
    (void)state;
    draw_regression(ROWS, COLS, 9, X, y);
    for (int i = 0; i < ROWS; i++) classes[i] = i % 3 == 0;
    for (int grouped = 0; grouped < 2; grouped++) {
        given(CREASE_REGRESSION_SQUARED, grouped, y);
        given(CREASE_REGRESSION_LOGISTIC, grouped, classes);
    }
}

/* Columns that hide one another: each is the sum of all before it. */
static void draw_wide(int n, int p, double *wide, double *target)
{
    const crease_random r = { 77, 0 };
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int j = 0; j < p; j++) {
            const double t = crease_random_normal(r, (uint64_t)(i * p + j));
            sum = 0.8 * sum + t;
            wide[i * p + j] = sum;
        }
        target[i] = wide[i * p] - wide[i * p + 1] + wide[i * p + 3] - wide[i * p + 5] +
                    0.1 * crease_random_normal(r, (uint64_t)(n * p + i));
    }
}

/* Lambdas that are solved together, on the columns that are likely, are what each is alone. */
static void a_path_is_what_its_lambdas_are_alone(void **state)
{
    enum { WIDE_ROWS = 30, WIDE = 90, LAMBDAS = 30 };
    static double wide[WIDE_ROWS * WIDE], target[WIDE_ROWS];
    (void)state;
    for (int loss = 0; loss < 3; loss++)
        for (int up = 0; up < 2; up++) {
            crease_regression_settings s = crease_regression_default();
            crease_regression_certificate c;
            draw_wide(WIDE_ROWS, WIDE, wide, target);
            for (int i = 0; i < WIDE_ROWS && loss == CREASE_REGRESSION_LOGISTIC; i++)
                target[i] = target[i] > 0;
            s.loss = (crease_regression_loss)loss, s.eps = 1e-9, s.ascending = up;
            s.path = LAMBDAS, s.ratio = 0.05;
            crease_regression *m = crease_regression_new(&s, WIDE_ROWS, WIDE, wide, target, NULL);
            assert_true(m && crease_regression_fit(m, NULL));
            for (int k = 0; k < LAMBDAS; k++) {
                const double lambda = crease_regression_at(m, k)->lambda;
                s.path = 1, s.lambda = &lambda, s.ascending = false;
                crease_regression *one =
                    crease_regression_new(&s, WIDE_ROWS, WIDE, wide, target, NULL);
                assert_true(one && crease_regression_fit(one, NULL));
                assert_true(crease_regression_certify(m, k, true, &c, NULL) && c.certified);
                assert_close(crease_regression_at(m, k)->objective,
                             crease_regression_at(one, 0)->objective, 1e-10);
                crease_regression_free(one);
            }
            crease_regression_free(m);
        }
}

static void a_wrong_time_limit_is_refused(void **state)
{
    const double wrong[] = { -1, NAN };
    (void)state;
    for (int k = 0; k < 2; k++) {
        crease_regression_settings s = crease_regression_default();
        crease_error e = { CREASE_OK, "" };
        s.max_seconds = wrong[k];
        assert_null(crease_regression_new(&s, ROWS, COLS, X, y, &e));
        assert_non_null(strstr(e.text, "max_seconds"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lambda_max_is_exact),
        cmocka_unit_test(lambda_max_of_the_lasso_is_its_formula),
        cmocka_unit_test(either_direction_reaches_the_same_minima),
        cmocka_unit_test(coefficients_scale_with_the_data),
        cmocka_unit_test(degenerate_data_are_certified),
        cmocka_unit_test(a_cut_path_is_part_of_the_whole),
        cmocka_unit_test(stopped_at_once_leaves_one_lambda),
        cmocka_unit_test(stopped_after_the_fit_leaves_out_cross_validation),
        cmocka_unit_test(rows_that_are_given_away_are_the_same),
        cmocka_unit_test(a_path_is_what_its_lambdas_are_alone),
        cmocka_unit_test(a_wrong_time_limit_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
