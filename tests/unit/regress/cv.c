/* SPDX-License-Identifier: MIT
 * cv: folds are fair, and scores are those of fits made one by one, weighted rows too */
#include "support/regression_naive.h"

enum { ROWS = 43, COLS = 8, LAMBDAS = 15, FOLDS = 5 };
static double X[ROWS * COLS], y[ROWS];

static void folds_are_fair_and_repeatable(void **state)
{
    int a[ROWS], b[ROWS], c[ROWS], size[FOLDS] = { 0 }, ones[FOLDS] = { 0 };
    (void)state;
    for (int i = 0; i < ROWS; i++) y[i] = i % 3 == 0;
    assert_true(crease_regression_folds(ROWS, y, true, FOLDS, 9, a, NULL));
    assert_true(crease_regression_folds(ROWS, y, true, FOLDS, 9, b, NULL));
    assert_true(crease_regression_folds(ROWS, y, true, FOLDS, 10, c, NULL));
    assert_memory_equal(a, b, sizeof a);
    assert_memory_not_equal(a, c, sizeof a);
    for (int i = 0; i < ROWS; i++) size[a[i]]++, ones[a[i]] += y[i] == 1;
    for (int f = 0; f < FOLDS; f++) {
        assert_in_range(size[f], ROWS / FOLDS, ROWS / FOLDS + 1);
        assert_in_range(ones[f], 3 - 1, 3 + 1); /* 15 ones in 5 folds */
    }
    assert_false(crease_regression_folds(ROWS, y, false, ROWS + 1, 0, a, NULL));
    assert_false(crease_regression_folds(ROWS, y, false, 1, 0, a, NULL));
}

/* The mean deviance of fold f at every lambda, from a model of the other rows. */
static void score(const crease_regression *m, const int *fold, int f, double *out)
{
    double train[ROWS * COLS], target[ROWS];
    ptrdiff_t n = 0;
    for (int i = 0; i < ROWS; i++) {
        if (fold[i] == f) continue;
        for (int j = 0; j < COLS; j++) train[n * COLS + j] = X[i * COLS + j];
        target[n++] = y[i];
    }
    const crease_regression_settings s = *crease_regression_used(m);
    crease_regression *part = crease_regression_new(&s, n, COLS, train, target, NULL);
    assert_true(part && crease_regression_fit(part, NULL));
    for (int k = 0; k < LAMBDAS; k++) {
        const crease_regression_solution b = *crease_regression_at(part, k);
        out[k] = 0;
        for (int i = 0; i < ROWS; i++) {
            double at = b.intercept;
            for (int j = 0; j < COLS; j++) at += b.coef[j] * X[i * COLS + j];
            const double loss = s.loss == CREASE_REGRESSION_LOGISTIC
                                    ? 2 * log1p(exp(y[i] == 1 ? -at : at))
                                    : (y[i] - at) * (y[i] - at);
            if (fold[i] == f) out[k] += loss / (double)(ROWS - n);
        }
    }
    crease_regression_free(part);
}

static void compare(crease_regression_loss loss)
{
    crease_regression_settings s = crease_regression_default();
    crease_regression_scores cv;
    crease_error e = { CREASE_OK, "" };
    int fold[ROWS];
    double part[FOLDS][LAMBDAS], share[FOLDS] = { 0 };
    draw_regression(ROWS, COLS, 31, X, y);
    for (int i = 0; loss == CREASE_REGRESSION_LOGISTIC && i < ROWS; i++) y[i] = y[i] > 2;
    s.loss = loss, s.path = LAMBDAS, s.ratio = 0.05, s.penalty = crease_scad(1, 11);
    crease_regression *m = crease_regression_new(&s, ROWS, COLS, X, y, &e);
    assert_true(m && crease_regression_fit(m, &e));
    if (!crease_regression_cv(m, X, y, FOLDS, 4, &cv, &e)) fail_msg("%s", e.text);
    assert_true(
        crease_regression_folds(ROWS, y, loss == CREASE_REGRESSION_LOGISTIC, FOLDS, 4, fold, NULL));
    for (int i = 0; i < ROWS; i++) share[fold[i]] += 1.0 / ROWS;
    for (int f = 0; f < FOLDS; f++) score(m, fold, f, part[f]);
    for (int k = 0; k < LAMBDAS; k++) {
        double mean = 0, variance = 0;
        for (int f = 0; f < FOLDS; f++) mean += share[f] * part[f][k];
        for (int f = 0; f < FOLDS; f++) variance += share[f] * square(part[f][k] - mean);
        assert_close(cv.mean[k], mean, 1e-10);
        assert_close(cv.error[k], sqrt(variance / (FOLDS - 1)), 1e-10);
        assert_true(cv.mean[k] >= cv.mean[cv.best]);
        if (k < cv.one_se) assert_true(cv.mean[k] > cv.mean[cv.best] + cv.error[cv.best]);
    }
    assert_true(cv.one_se <= cv.best);
    assert_true(cv.mean[cv.one_se] <= cv.mean[cv.best] + cv.error[cv.best]);
    crease_regression_scores_free(&cv);
    crease_regression_free(m);
}

static void scores_are_those_of_separate_fits(void **state)
{
    (void)state;
    compare(CREASE_REGRESSION_SQUARED);
    compare(CREASE_REGRESSION_LOGISTIC);
}

/* The weights of the rows left out weigh their deviance: by separate fits. */
static void weighted_scores_are_those_of_separate_fits(void **state)
{
    crease_regression_settings s = crease_regression_default();
    crease_regression_scores scores;
    int fold[ROWS];
    double v[ROWS], mean[LAMBDAS] = { 0 }, total = 0;
    (void)state;
    draw_regression(ROWS, COLS, 5, X, y);
    for (int i = 0; i < ROWS; i++) v[i] = (i * 7 + 3) % 4, total += v[i];
    s.row_weight = v, s.path = LAMBDAS, s.eps = 1e-12;
    crease_regression *m = crease_regression_new(&s, ROWS, COLS, X, y, NULL);
    assert_true(m && crease_regression_fit(m, NULL));
    assert_true(crease_regression_cv(m, X, y, FOLDS, 3, &scores, NULL));
    assert_true(crease_regression_folds(ROWS, y, false, FOLDS, 3, fold, NULL));
    for (int out = 0; out < FOLDS; out++) {
        double kept[ROWS];
        for (int i = 0; i < ROWS; i++) kept[i] = fold[i] == out ? 0 : v[i];
        s.row_weight = kept, s.lambda = crease_regression_used(m)->lambda;
        crease_regression *f = crease_regression_new(&s, ROWS, COLS, X, y, NULL);
        assert_true(f && crease_regression_fit(f, NULL)); /* weight 0 is as good as not there */
        for (int k = 0; k < LAMBDAS; k++) {
            const crease_regression_solution b = *crease_regression_at(f, k);
            for (int i = 0; i < ROWS; i++) {
                double at = b.intercept;
                for (int j = 0; j < COLS; j++) at += b.coef[j] * X[i * COLS + j];
                if (fold[i] == out) mean[k] += v[i] * square(y[i] - at) / total;
            }
        }
        crease_regression_free(f);
    }
    for (int k = 0; k < LAMBDAS; k++) assert_close(scores.mean[k], mean[k], 1e-8);
    crease_regression_scores_free(&scores);
    crease_regression_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(folds_are_fair_and_repeatable),
        cmocka_unit_test(scores_are_those_of_separate_fits),
        cmocka_unit_test(weighted_scores_are_those_of_separate_fits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
