/* SPDX-License-Identifier: MIT
 * regression: building, fitting, certifying, verifying and crossing survive any one allocation
 * failing */
#include "support/survive.h"

enum { ROWS = 12, COLS = 5 };

/* At the last of three lambdas. */
static bool verify(const crease_regression *m, const double *X, const double *y, crease_error *e)
{
    double row[COLS + 1];
    const crease_regression_solution b = *crease_regression_at(m, 2);
    crease_regression_claim c = {
        .s = *crease_regression_used(m), .n = ROWS, .p = COLS, .X = X, .y = y
    };
    crease_verification v;
    row[0] = b.intercept;
    copy(COLS, b.coef, row + 1);
    c.s.path = 1, c.s.lambda = &b.lambda;
    c.point = crease_regression_point(m, 2), c.coefficients = row;
    if (!crease_regression_verify(&c, &v, e)) return false;
    assert_int_equal(v.verdict, CREASE_VERDICT_VALID);
    crease_verification_free(&v);
    double wanted = 1e-9, objective = 0, bound = 0;
    return crease_regression_bound(&c, &wanted, &objective, &bound, e);
}

static bool all_of_it(crease_error *e, crease_regression_loss loss, crease_reg penalty)
{
    double X[ROWS * COLS], y[ROWS], weight[ROWS];
    crease_regression_settings s = crease_regression_default();
    crease_regression_certificate c;
    crease_regression_scores cv = { .mean = NULL };
    for (int k = 0; k < ROWS * COLS; k++) X[k] = sin(7 * k + 1);
    for (int i = 0; i < ROWS; i++) y[i] = X[i * COLS] + 0.1 * cos(i), weight[i] = 1 + i % 3;
    s.loss = loss, s.path = 3, s.penalty = penalty;
    s.row_weight = weight;
    crease_regression *m = crease_regression_new(&s, ROWS, COLS, X, y, e);
    const bool done = m && crease_regression_fit(m, e) &&
                      crease_regression_certify(m, 2, true, &c, e) && verify(m, X, y, e) &&
                      crease_regression_cv(m, X, y, 3, 1, &cv, e);
    crease_regression_scores_free(&cv);
    crease_regression_free(m);
    return done;
}

/* The same on sparse rows. */
static bool sparse(crease_error *e)
{
    double value[ROWS * COLS], y[ROWS], row[COLS + 1];
    ptrdiff_t start[ROWS + 1], col[ROWS * COLS], k = 0;
    int fold[ROWS];
    crease_regression_settings s = crease_regression_default();
    crease_regression_certificate c;
    crease_regression_scores cv = { .mean = NULL };
    crease_verification found = { .verdict = CREASE_VERDICT_UNSUPPORTED };
    for (int i = 0; i < ROWS; i++) {
        start[i] = k, fold[i] = i % 2;
        for (int j = 0; j < COLS; j++)
            if (j != i % COLS) col[k] = j, value[k++] = sin(7 * (i * COLS + j) + 1);
        y[i] = value[start[i]] + 0.1 * cos(i);
    }
    start[ROWS] = k;
    const crease_csr_matrix X = { ROWS, COLS, start, col, value };
    s.loss = CREASE_REGRESSION_HUBER, s.path = 1, s.ratio = 0;
    crease_regression *m = crease_regression_new_sparse(&s, &X, y, e);
    bool done = m && crease_regression_fit(m, e) && crease_regression_certify(m, 0, true, &c, e) &&
                crease_regression_cv_sparse(m, &X, y, 2, fold, &cv, e);
    if (done) {
        const crease_regression_solution b = *crease_regression_at(m, 0);
        row[0] = b.intercept, copy(COLS, b.coef, row + 1);
        const crease_regression_claim claim = { .n = ROWS,
                                                .p = COLS,
                                                .sparse = &X,
                                                .y = y,
                                                .point = crease_regression_point(m, 0),
                                                .coefficients = row,
                                                .s = *crease_regression_used(m) };
        done = crease_regression_verify(&claim, &found, e);
    }
    crease_verification_free(&found);
    crease_regression_scores_free(&cv);
    crease_regression_free(m);
    return done;
}

static bool squared(crease_error *e)
{
    return all_of_it(e, CREASE_REGRESSION_SQUARED, crease_mcp(1, 3));
}

static bool cauchy(crease_error *e) { return all_of_it(e, CREASE_REGRESSION_CAUCHY, crease_l1(1)); }

static bool groups(crease_error *e)
{
    static const ptrdiff_t start[] = { 0, 2, 5 };
    static const crease_groups g = { 2, start, NULL };
    return all_of_it(e, CREASE_REGRESSION_HUBER, crease_group_l1(1, &g));
}

static void any_failed_allocation_is_survived(void **state)
{
    fallible *const call[] = { squared, cauchy, groups, sparse };
    (void)state;
    for (size_t k = 0; k < sizeof call / sizeof *call; k++) survives(call[k], 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(any_failed_allocation_is_survived) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
