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
    return true;
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
    if (loss == CREASE_REGRESSION_SQUARED) s.row_weight = weight;
    crease_regression *m = crease_regression_new(&s, ROWS, COLS, X, y, e);
    const bool done = m && crease_regression_fit(m, e) &&
                      crease_regression_certify(m, 2, true, &c, e) && verify(m, X, y, e) &&
                      crease_regression_cv(m, X, y, 3, 1, &cv, e);
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
    fallible *const call[] = { squared, cauchy, groups };
    (void)state;
    for (size_t k = 0; k < sizeof call / sizeof *call; k++) survives(call[k], 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(any_failed_allocation_is_survived) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
