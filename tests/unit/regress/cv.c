/* SPDX-License-Identifier: MIT
 * cv: folds are fair, and scores are those of fits made one by one, weighted rows too; folds of the
 * caller's */
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
static double deviance_of(const crease_regression_settings *s, double at, double b)
{
    const double c = s->loss_scale, u = fabs(at - b) / c;
    if (s->loss == CREASE_REGRESSION_LOGISTIC) return 2 * log1p(exp(b == 1 ? -at : at));
    if (s->loss == CREASE_REGRESSION_HUBER) return c * c * (u <= 1 ? u * u : 2 * u - 1);
    return c * c * (s->loss == CREASE_REGRESSION_CAUCHY ? log1p(u * u) : u * u);
}

static void compare_weighted(crease_regression_loss loss)
{
    crease_regression_settings s = crease_regression_default();
    crease_regression_scores scores;
    int fold[ROWS];
    double v[ROWS], mean[LAMBDAS] = { 0 }, total = 0;
    draw_regression(ROWS, COLS, 5, X, y);
    for (int i = 0; loss == CREASE_REGRESSION_LOGISTIC && i < ROWS; i++) y[i] = y[i] > 2;
    for (int i = 0; i < ROWS; i++) v[i] = (i * 7 + 3) % 4, total += v[i];
    s.row_weight = v, s.path = LAMBDAS, s.eps = 1e-12, s.loss = loss, s.ratio = 0.05;
    crease_regression *m = crease_regression_new(&s, ROWS, COLS, X, y, NULL);
    assert_true(m && crease_regression_fit(m, NULL));
    assert_true(crease_regression_cv(m, X, y, FOLDS, 3, &scores, NULL));
    assert_true(
        crease_regression_folds(ROWS, y, loss == CREASE_REGRESSION_LOGISTIC, FOLDS, 3, fold, NULL));
    s.loss_scale = crease_regression_used(m)->loss_scale;
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
                if (fold[i] == out) mean[k] += v[i] * deviance_of(&s, at, y[i]) / total;
            }
        }
        crease_regression_free(f);
    }
    for (int k = 0; k < LAMBDAS; k++) assert_close(scores.mean[k], mean[k], 1e-8);
    crease_regression_scores_free(&scores);
    crease_regression_free(m);
}

static void weighted_scores_are_those_of_separate_fits(void **state)
{
    (void)state;
    for (int loss = 0; loss < 4; loss++) compare_weighted((crease_regression_loss)loss);
}

static void scored(const crease_regression *m, int folds, const int *fold,
                   crease_regression_scores *out)
{
    crease_error e = { CREASE_OK, "" };
    if (!crease_regression_cv_by(m, X, y, folds, fold, out, &e)) fail_msg("%s", e.text);
}

static void folds_of_the_caller_are_scored_as_dealt_ones(void **state)
{
    crease_regression_settings s = crease_regression_default();
    crease_regression_scores dealt, given;
    int fold[ROWS];
    (void)state;
    draw_regression(ROWS, COLS, 5, X, y);
    s.path = LAMBDAS;
    crease_regression *m = crease_regression_new(&s, ROWS, COLS, X, y, NULL);
    assert_true(m && crease_regression_fit(m, NULL));
    assert_true(crease_regression_cv(m, X, y, FOLDS, 3, &dealt, NULL));
    assert_true(crease_regression_folds(ROWS, y, false, FOLDS, 3, fold, NULL));
    scored(m, FOLDS, fold, &given);
    assert_memory_equal(dealt.mean, given.mean, sizeof(double[LAMBDAS]));
    assert_memory_equal(dealt.error, given.error, sizeof(double[LAMBDAS]));
    assert_true(dealt.best == given.best && dealt.one_se == given.one_se);
    crease_regression_scores_free(&dealt);
    crease_regression_scores_free(&given);
    crease_regression_free(m);
}

/* Two folds of five rows each, and one of them alone; the mean is over the rows left out. */
static void some_rows_may_never_be_left_out(void **state)
{
    crease_regression_settings s = crease_regression_default();
    crease_regression_scores two, one;
    int fold[ROWS];
    double part[2][LAMBDAS];
    (void)state;
    draw_regression(ROWS, COLS, 5, X, y);
    s.path = LAMBDAS;
    crease_regression *m = crease_regression_new(&s, ROWS, COLS, X, y, NULL);
    assert_true(m && crease_regression_fit(m, NULL));
    for (int i = 0; i < ROWS; i++) fold[i] = i < 10 ? i % 2 : -1;
    for (int f = 0; f < 2; f++) score(m, fold, f, part[f]);
    scored(m, 2, fold, &two);
    for (int i = 0; i < ROWS; i++) fold[i] = fold[i] == 0 ? 0 : -1;
    scored(m, 1, fold, &one);
    for (int k = 0; k < LAMBDAS; k++) {
        assert_close(two.mean[k], (part[0][k] + part[1][k]) / 2, 1e-10);
        assert_close(two.error[k], fabs(part[0][k] - part[1][k]) / 2, 1e-10);
        assert_close(one.mean[k], part[0][k], 1e-10);
        assert_true(one.error[k] == 0);
    }
    assert_true(one.best == one.one_se);
    crease_regression_scores_free(&one);
    crease_regression_scores_free(&two);
    crease_regression_free(m);
}

/* As many folds at once as there are threads: the same bits, of rows in full and of sparse ones. */
static void any_number_of_threads_scores_the_same(void **state)
{
    (void)state;
    enum { MANY = 200, WIDE = 40, PATH = 50 };
    static double x[MANY * WIDE], z[MANY];
    static ptrdiff_t start[MANY + 1], col[MANY * WIDE];
    draws d = { { 8, 2 }, 0 };
    for (int i = 0; i < MANY; i++) {
        for (int j = 0; j < WIDE; j++) x[i * WIDE + j] = normal(&d), col[i * WIDE + j] = j;
        z[i] = x[i * WIDE] - 2 * x[i * WIDE + 3] + normal(&d);
        start[i + 1] = start[i] + WIDE;
    }
    const crease_csr_matrix rows = { MANY, WIDE, start, col, x };
    crease_regression_scores dense[3], sparse[3];
    int fold[MANY];
    assert_true(crease_regression_folds(MANY, z, false, FOLDS, 1, fold, NULL));
    for (int k = 0; k < 3; k++) {
        crease_regression_settings s = crease_regression_default();
        s.path = PATH;
        s.threads = k + 1;
        crease_regression *a = crease_regression_new(&s, MANY, WIDE, x, z, NULL);
        crease_regression *b = crease_regression_new_sparse(&s, &rows, z, NULL);
        assert_true(a && b);
        assert_true(crease_regression_cv_by(a, x, z, FOLDS, fold, &dense[k], NULL));
        assert_true(crease_regression_cv_sparse(b, &rows, z, FOLDS, fold, &sparse[k], NULL));
        assert_memory_equal(dense[k].mean, dense[0].mean, PATH * sizeof(double));
        assert_memory_equal(dense[k].error, dense[0].error, PATH * sizeof(double));
        assert_memory_equal(sparse[k].mean, sparse[0].mean, PATH * sizeof(double));
        crease_regression_free(a);
        crease_regression_free(b);
    }
    for (int k = 0; k < 3; k++) {
        crease_regression_scores_free(&dense[k]);
        crease_regression_scores_free(&sparse[k]);
    }
}

/* A model that is stopped before its folds are fitted has no scores, and says that it was. */
static void a_stop_leaves_the_folds_out(void **state)
{
    (void)state;
    crease_regression_settings s = crease_regression_default();
    s.path = 5;
    crease_regression *m = crease_regression_new(&s, ROWS, COLS, X, y, NULL);
    assert_non_null(m);
    crease_regression_stop(m);
    crease_regression_scores out;
    assert_true(crease_regression_cv(m, X, y, FOLDS, 1, &out, NULL));
    assert_int_equal(out.count, 0);
    assert_true(crease_regression_stopped(m));
    crease_regression_scores_free(&out);
    crease_regression_free(m);
}

static void wrong_folds_are_refused(void **state)
{
    crease_regression_settings s = crease_regression_default();
    crease_regression_scores out;
    double v[ROWS];
    int fold[ROWS];
    const struct {
        int folds, first, rest;
        const char *words;
    } wrong[] = { { 2, 2, 0, "fold of row 1 is 2" },  { 2, -2, 1, "fold of row 1 is -2" },
                  { 3, 0, 2, "no row is of fold 1" }, { 0, 0, 0, "0 folds" },
                  { 1, 0, 0, "without the rows" },    { 1, 0, -1, "has the weight 0" } };
    (void)state;
    draw_regression(ROWS, COLS, 5, X, y);
    for (int i = 0; i < ROWS; i++) v[i] = i > 0;
    s.path = LAMBDAS, s.row_weight = v;
    crease_regression *m = crease_regression_new(&s, ROWS, COLS, X, y, NULL);
    assert_true(m && crease_regression_fit(m, NULL));
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        crease_error e = { CREASE_OK, "" };
        for (int i = 0; i < ROWS; i++) fold[i] = i == 0 ? wrong[k].first : wrong[k].rest;
        assert_false(crease_regression_cv_by(m, X, y, wrong[k].folds, fold, &out, &e));
        if (!strstr(e.text, wrong[k].words)) fail_msg("%s: %s", wrong[k].words, e.text);
        crease_regression_scores_free(&out);
    }
    crease_regression_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(folds_are_fair_and_repeatable),
        cmocka_unit_test(scores_are_those_of_separate_fits),
        cmocka_unit_test(weighted_scores_are_those_of_separate_fits),
        cmocka_unit_test(folds_of_the_caller_are_scored_as_dealt_ones),
        cmocka_unit_test(some_rows_may_never_be_left_out),
        cmocka_unit_test(any_number_of_threads_scores_the_same),
        cmocka_unit_test(a_stop_leaves_the_folds_out),
        cmocka_unit_test(wrong_folds_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
