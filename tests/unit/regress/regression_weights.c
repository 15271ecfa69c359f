/* SPDX-License-Identifier: MIT
 * regression_weights: a row of weight k is k rows; weights have no unit; what is refused */
#include "support/regression_naive.h"

enum { ROWS = 40, COLS = 10, PATH = 12 };
static double X[NAIVE_ROWS * NAIVE_COLS], y[NAIVE_ROWS], v[NAIVE_ROWS];
static double longer[NAIVE_ROWS * NAIVE_COLS], target[NAIVE_ROWS];

/* Weights 0 to 3; the same rows as often as that. */
static int draw(void)
{
    int rows = 0;
    draw_regression(ROWS, COLS, 5, X, y);
    for (int i = 0; i < ROWS; i++) {
        v[i] = (i * 7 + 3) % 4;
        for (int k = 0; k < v[i]; k++) {
            copy(COLS, X + i * COLS, longer + rows * COLS);
            target[rows++] = y[i];
        }
    }
    return rows;
}

static crease_regression *fit(crease_regression_settings s, int n, const double *A, const double *b)
{
    crease_error e = { CREASE_OK, "" };
    s.path = PATH, s.eps = 1e-12;
    crease_regression *m = crease_regression_new(&s, n, COLS, A, b, &e);
    if (!m || !crease_regression_fit(m, &e)) fail_msg("%s", e.text);
    return m;
}

/* eps bounds the residual; b is off by at most eps |gradient| over the least curvature, which for
 * these columns is above 1e-2. */
static void agree(const crease_regression *a, const crease_regression *b)
{
    assert_close(crease_regression_lambda_max(a), crease_regression_lambda_max(b), 1e-11);
    for (ptrdiff_t k = 0; k < PATH; k++) {
        const crease_regression_solution s = crease_regression_at(a, k),
                                         t = crease_regression_at(b, k);
        crease_regression_certificate c;
        assert_close(s.lambda, t.lambda, 1e-11);
        assert_close(s.intercept, t.intercept, 1e-8);
        for (int j = 0; j < COLS; j++) assert_close(s.coef[j], t.coef[j], 1e-8);
        assert_close(s.deviance, t.deviance, 1e-8);
        assert_close(s.objective, t.objective, 1e-8);
        assert_true(crease_regression_certify(a, k, true, &c, NULL) && c.certified);
    }
}

static void rows_repeat(void **state)
{
    const crease_reg penalty[] = { crease_l1(1), crease_elastic_net(0.5, 0.5), crease_mcp(1, 3) };
    const int rows = draw();
    (void)state;
    for (int k = 0; k < 12; k++) {
        crease_regression_settings s = crease_regression_default();
        s.penalty = penalty[k / 4], s.standardize = k & 1, s.intercept = k & 2;
        s.ratio = 0.05;
        crease_regression *repeated = fit(s, rows, longer, target);
        s.row_weight = v;
        crease_regression *weighed = fit(s, ROWS, X, y);
        agree(weighed, repeated);
        crease_regression_free(repeated);
        crease_regression_free(weighed);
    }
}

static void no_unit(void **state)
{
    crease_regression_settings s = crease_regression_default();
    double other[ROWS];
    (void)state;
    draw();
    for (double unit = 1e-120; unit < 1e130; unit *= 1e60) {
        for (int i = 0; i < ROWS; i++) other[i] = unit * v[i];
        s.row_weight = v;
        crease_regression *a = fit(s, ROWS, X, y);
        s.row_weight = other;
        crease_regression *b = fit(s, ROWS, X, y);
        agree(a, b);
        double sum = 0;
        for (int i = 0; i < ROWS; i++) sum += crease_regression_used(b).row_weight[i];
        assert_close(sum, ROWS, 1e-14);
        crease_regression_free(a);
        crease_regression_free(b);
    }
}

/* The weights of the rows left out weigh their deviance: by separate fits. */
static void cross_validation(void **state)
{
    enum { FOLDS = 4 };
    crease_regression_settings s = crease_regression_default();
    crease_regression_scores scores;
    int fold[ROWS];
    double mean[PATH] = { 0 }, total = 0;
    (void)state;
    draw();
    for (int i = 0; i < ROWS; i++) total += v[i];
    s.row_weight = v;
    crease_regression *m = fit(s, ROWS, X, y);
    assert_true(crease_regression_cv(m, X, y, FOLDS, 3, &scores, NULL));
    assert_true(crease_regression_folds(ROWS, y, false, FOLDS, 3, fold, NULL));
    for (int out = 0; out < FOLDS; out++) {
        double kept[ROWS];
        for (int i = 0; i < ROWS; i++) kept[i] = fold[i] == out ? 0 : v[i];
        s.row_weight = kept, s.lambda = crease_regression_used(m).lambda;
        crease_regression *f = fit(s, ROWS, X, y); /* weight 0 is as good as not there */
        for (int k = 0; k < PATH; k++) {
            const crease_regression_solution b = crease_regression_at(f, k);
            for (int i = 0; i < ROWS; i++) {
                double at = b.intercept;
                for (int j = 0; j < COLS; j++) at += b.coef[j] * X[i * COLS + j];
                if (fold[i] == out) mean[k] += v[i] * square(y[i] - at) / total;
            }
        }
        crease_regression_free(f);
    }
    for (int k = 0; k < PATH; k++) assert_close(scores.mean[k], mean[k], 1e-8);
    crease_regression_scores_free(&scores);
    crease_regression_free(m);
}

static void refused(crease_regression_settings s, crease_code code, const char *word)
{
    crease_error e = { CREASE_OK, "" };
    assert_null(crease_regression_new(&s, ROWS, COLS, X, y, &e));
    assert_int_equal(e.code, code);
    if (!strstr(e.text, word)) fail_msg("'%s' does not say '%s'", e.text, word);
}

static void refusals(void **state)
{
    crease_regression_settings s = crease_regression_default();
    const double wrong[] = { -1, NAN, INFINITY, 1e300 };
    (void)state;
    s.row_weight = v;
    for (int k = 0; k < 4; k++)
        draw(), v[3] = wrong[k], refused(s, CREASE_BAD_DATA, "weight of row 4");
    for (int i = 0; i < ROWS; i++) v[i] = i == 5;
    refused(s, CREASE_BAD_DATA, "1 row has");
    v[5] = 0, refused(s, CREASE_BAD_DATA, "0 rows have");
    draw();
    for (int i = 0; i < ROWS; i++)
        if (v[i] > 0) X[i * COLS + 2] = 5;
    refused(s, CREASE_BAD_DATA, "column 3 of X is 5");
    s.loss = CREASE_REGRESSION_HUBER, refused(s, CREASE_UNSUPPORTED, "squared loss");
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(rows_repeat), cmocka_unit_test(no_unit),
                                        cmocka_unit_test(cross_validation),
                                        cmocka_unit_test(refusals) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
