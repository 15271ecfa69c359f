/* SPDX-License-Identifier: MIT
 * sparse: a path on a sparse X is that of the same X made dense, whatever the loss, the penalty and
 * the weights; it is certified, cross-validated and VALID; nothing of the size of X is filled in */
#include "support/regression_naive.h"

enum { ROWS = 60, COLS = 12, LAMBDAS = 6, FOLDS = 4 };
static double X[ROWS * COLS], y[ROWS], v[ROWS], value[ROWS * COLS];
static ptrdiff_t start[ROWS + 1], col[ROWS * COLS];
static const crease_csr_matrix S = { ROWS, COLS, start, col, value };

static void compress(void)
{
    ptrdiff_t k = 0;
    for (int i = 0; i < ROWS; i++) {
        start[i] = k;
        for (int j = 0; j < COLS; j++)
            if (X[i * COLS + j] != 0) col[k] = j, value[k++] = X[i * COLS + j];
    }
    start[ROWS] = k;
}

/* A third of the entries, of columns that are of one sign or of both. */
static void draw(crease_regression_loss loss)
{
    const crease_random r = { 5, 1 };
    draw_regression(ROWS, COLS, 5, X, y);
    for (int k = 0; k < ROWS * COLS; k++) {
        if (crease_random_normal(r, (uint64_t)k) < 0.4) X[k] = 0;
        if (k % COLS % 2) X[k] = 3 * fabs(X[k]);
    }
    for (int i = 0; i < ROWS; i++) {
        y[i] = X[i * COLS] - X[i * COLS + 3] + 2 * X[i * COLS + 4] + 0.5 * cos(7 * i);
        if (loss == CREASE_REGRESSION_LOGISTIC) y[i] = (y[i] > 0) != (i % 4 == 0);
        v[i] = (i * 7 + 3) % 4;
    }
    compress();
}

static crease_regression *fitted(crease_regression *m, const crease_error *e)
{
    if (!m || !crease_regression_fit(m, NULL)) fail_msg("%s", e->text);
    return m;
}

/* The first entry of a row with a weight in the column of the largest coefficient */
static ptrdiff_t entry_that_matters(const double *b)
{
    int best = 0;
    for (int j = 1; j < COLS; j++)
        if (fabs(b[j]) > fabs(b[best])) best = j;
    for (int i = 0; i < ROWS; i++)
        for (ptrdiff_t k = start[i]; v[i] > 0 && k < start[i + 1]; k++)
            if (col[k] == best) return k;
    fail_msg("a column without entries is selected");
    return 0;
}

/* And not so with another coefficient, or another entry of a column that matters. */
static void expect_valid(const crease_regression *m)
{
    double all[LAMBDAS * (COLS + 1)];
    crease_verification found[LAMBDAS];
    crease_error e = { CREASE_OK, "" };
    for (int k = 0; k < LAMBDAS; k++) {
        const crease_regression_solution b = *crease_regression_at(m, k);
        all[k * (COLS + 1)] = b.intercept;
        copy(COLS, b.coef, all + k * (COLS + 1) + 1);
    }
    double *other = all + (LAMBDAS - 1) * (COLS + 1) + 1;
    const ptrdiff_t at = entry_that_matters(other);
    crease_regression_claim c = { .s = *crease_regression_used(m),
                                  .n = ROWS,
                                  .p = COLS,
                                  .sparse = &S,
                                  .y = y,
                                  .point = crease_regression_point(m, 0),
                                  .coefficients = all };
    for (int wrong = 0; wrong < 3; wrong++) {
        if (wrong == 1) *other += 1e-3;
        if (wrong == 2) *other -= 1e-3, value[at] += 0.5;
        if (!crease_regression_verify(&c, found, &e)) fail_msg("%s", e.text);
        for (int k = 0; k < LAMBDAS; k++) {
            if (wrong == 0 && found[k].verdict != CREASE_VERDICT_VALID)
                fail_msg("lambda %d: %s", k, found[k].text);
            if (wrong > 0 && k == LAMBDAS - 1)
                assert_int_equal(found[k].verdict, CREASE_VERDICT_INVALID);
            crease_verification_free(&found[k]);
        }
    }
    value[at] -= 0.5;
}

static void agree(const crease_regression *a, const crease_regression *b)
{
    assert_close(crease_regression_lambda_max(a), crease_regression_lambda_max(b), 1e-10);
    for (int k = 0; k < LAMBDAS; k++) {
        const crease_regression_solution s = *crease_regression_at(a, k),
                                         t = *crease_regression_at(b, k);
        crease_regression_certificate c, d;
        assert_close(s.intercept, t.intercept, 1e-8);
        for (int j = 0; j < COLS; j++) assert_close(s.coef[j], t.coef[j], 1e-8);
        assert_close(s.deviance, t.deviance, 1e-8);
        assert_close(s.objective, t.objective, 1e-8);
        assert_true(crease_regression_certify(a, k, true, &c, NULL) && c.certified);
        assert_true(crease_regression_certify(b, k, false, &d, NULL) && d.certified);
        assert_int_equal(c.convexity, d.convexity);
        if (!isnan(d.eigenvalue)) assert_close(c.eigenvalue, d.eigenvalue, 1e-8);
    }
}

static void cross_validate(const crease_regression *a, const crease_regression *b)
{
    crease_regression_scores s, t;
    crease_error e = { CREASE_OK, "" };
    int fold[ROWS];
    for (int i = 0; i < ROWS; i++) fold[i] = i % 5 - 1;
    if (!crease_regression_cv_sparse(a, &S, y, FOLDS, fold, &s, &e)) fail_msg("%s", e.text);
    if (!crease_regression_cv_by(b, X, y, FOLDS, fold, &t, &e)) fail_msg("%s", e.text);
    for (int k = 0; k < LAMBDAS; k++) {
        assert_close(s.mean[k], t.mean[k], 1e-7);
        assert_close(s.error[k], t.error[k], 1e-6);
    }
    crease_regression_scores_free(&s);
    crease_regression_scores_free(&t);
}

static void compare(crease_regression_settings s, bool weighed)
{
    crease_error e = { CREASE_OK, "" };
    draw(s.loss);
    s.path = LAMBDAS, s.ratio = 0.1, s.eps = 1e-11, s.row_weight = weighed ? v : NULL;
    crease_regression *a = fitted(crease_regression_new_sparse(&s, &S, y, &e), &e);
    crease_regression *b = fitted(crease_regression_new(&s, ROWS, COLS, X, y, &e), &e);
    agree(a, b);
    /* columns may separate the classes of a fold: no solution under a penalty that levels off */
    if (s.loss != CREASE_REGRESSION_LOGISTIC || s.penalty.penalty->convex) cross_validate(a, b);
    expect_valid(a);
    crease_regression_free(a);
    crease_regression_free(b);
}

static void sparse_is_dense(void **state)
{
    const ptrdiff_t from[] = { 0, 3, 5, 12 }, index[] = { 1, 4, 7, 0, 2, 8, 3, 6, 5, 9, 11, 10 };
    const crease_groups g = { 3, from, index };
    const double weight[COLS] = { 1, 2, 0.5, 0, 1, 1, 3, 1, 1, 1, 1, 2 };
    (void)state;
    for (int loss = 0; loss < 4; loss++) {
        const double shape = loss == CREASE_REGRESSION_LOGISTIC ? 12 : 3;
        const crease_reg penalty[] = { crease_l1(1), crease_elastic_net(0.5, 0.5),
                                       crease_mcp(1, shape),
                                       crease_weighted(crease_scad(1, 1 + shape), weight),
                                       crease_group_l1(1, &g) };
        for (int k = 0; k < 40; k++) {
            crease_regression_settings s = crease_regression_default();
            s.loss = (crease_regression_loss)loss, s.penalty = penalty[k / 8];
            s.standardize = k & 1, s.intercept = k & 2;
            compare(s, k & 4);
        }
    }
}

/* Where a column is constant, as it may become in a fold, its coefficient is 0. */
static void constant_columns_are_left_out(void **state)
{
    crease_error e = { CREASE_OK, "" };
    (void)state;
    for (int loss = 0; loss < 4; loss++)
        for (int way = 0; way < 4; way++) {
            crease_regression_settings s = crease_regression_default();
            draw((crease_regression_loss)loss);
            for (int i = 0; i < ROWS; i++)
                X[i * COLS + 2] = way & 1 ? 0.1 : 0, X[i * COLS + 7] = v[i] > 0 ? 0 : 3;
            compress();
            s.loss = (crease_regression_loss)loss, s.standardize = way & 2, s.row_weight = v;
            s.path = LAMBDAS, s.ratio = 0.1;
            crease_regression *m = fitted(crease_regression_new_sparse(&s, &S, y, &e), &e);
            for (int k = 0; k < LAMBDAS; k++) {
                const double *b = crease_regression_at(m, k)->coef;
                assert_true(b[2] == 0 && b[7] == 0);
            }
            expect_valid(m);
            crease_regression_free(m);
        }
}

static void wrong_rows_are_refused(void **state)
{
    crease_regression_settings s = crease_regression_default();
    crease_error e;
    (void)state;
    draw(CREASE_REGRESSION_SQUARED);
    col[1] = col[0];
    assert_null(crease_regression_new_sparse(&s, &S, y, &e));
    assert_non_null(strstr(e.text, "row 1 of X has column"));
    compress();
    value[start[2]] = NAN;
    assert_null(crease_regression_new_sparse(&s, &S, y, &e));
    assert_non_null(strstr(e.text, "row 3, column"));
    compress();
    col[start[ROWS] - 1] = COLS;
    assert_null(crease_regression_new_sparse(&s, &S, y, &e));
    assert_non_null(strstr(e.text, "from 1 to 12"));
}

/* Where MCP has levelled off for many columns, more than a Hessian is made of, and these nearly
 * separate the classes, coordinate descent alone takes tens of thousands of sweeps. */
static void many_columns_that_are_level_settle(void **state)
{
    enum { LONG = 2400, WIDE = 3600, MANY = LONG * WIDE / 60 };
    static double number[MANY], label[LONG];
    static ptrdiff_t first[LONG + 1], at[MANY];
    const crease_random r = { 23, 2 };
    const double lambda = 3e-4;
    ptrdiff_t count = 0;
    (void)state;
    for (ptrdiff_t i = 0; i < LONG; i++) {
        double score = crease_random_normal(r, (uint64_t)(LONG * WIDE + i));
        first[i] = count;
        for (ptrdiff_t j = 0; j < WIDE; j++) {
            const uint64_t k = (uint64_t)(i * WIDE + j);
            if (crease_random_uniform(r, 2 * k) >= 0.01) continue;
            at[count] = j, number[count] = crease_random_normal((crease_random){ 24, 0 }, k);
            if (j < 50) score += (double)(j % 9 - 4) * number[count];
            count++;
        }
        label[i] = score > 0;
    }
    first[LONG] = count;
    const crease_csr_matrix rows = { LONG, WIDE, first, at, number };
    crease_regression_settings s = crease_regression_default();
    s.loss = CREASE_REGRESSION_LOGISTIC, s.penalty = crease_mcp(1, 12);
    s.standardize = s.intercept = false;
    s.path = 1, s.lambda = &lambda, s.max_sweeps = 4000;
    crease_error e = { CREASE_OK, "" };
    crease_regression_certificate c;
    crease_regression *m = fitted(crease_regression_new_sparse(&s, &rows, label, &e), &e);
    assert_true(crease_regression_at(m, 0)->nonzero > 500);
    assert_true(crease_regression_certify(m, 0, true, &c, &e) && c.certified);
    crease_regression_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sparse_is_dense),
        cmocka_unit_test(constant_columns_are_left_out),
        cmocka_unit_test(wrong_rows_are_refused),
        cmocka_unit_test(many_columns_that_are_level_settle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
