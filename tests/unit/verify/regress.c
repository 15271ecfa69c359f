/* SPDX-License-Identifier: MIT
 * regress: every path that was fitted is VALID from X, y and its numbers, and nothing else is; no
 * bound of the least objective is wrong */
#include "support/regression_naive.h"

enum { ROWS = 40, COLS = 9, LAMBDAS = 12 };
static double X[ROWS * COLS], y[ROWS], coefficients[LAMBDAS * (COLS + 1)];
static double point[LAMBDAS * (COLS + 1)];
static crease_verification found[LAMBDAS];

static crease_regression *fitted(crease_regression_settings s, crease_regression_claim *c)
{
    crease_error e = { CREASE_OK, "" };
    draw_regression(ROWS, COLS, 3, X, y);
    for (int i = 0; s.loss == CREASE_REGRESSION_LOGISTIC && i < ROWS; i++) y[i] = y[i] > 2;
    s.path = LAMBDAS, s.ratio = 0.05;
    crease_regression *m = crease_regression_new(&s, ROWS, COLS, X, y, &e);
    if (!m || !crease_regression_fit(m, &e)) fail_msg("%s", e.text);
    for (int k = 0; k < LAMBDAS; k++) {
        const crease_regression_solution b = *crease_regression_at(m, k);
        coefficients[k * (COLS + 1)] = b.intercept;
        copy(COLS, b.coef, coefficients + k * (COLS + 1) + 1);
    }
    const bool ones = s.intercept && s.loss != CREASE_REGRESSION_SQUARED;
    copy(LAMBDAS * (COLS + ones), crease_regression_point(m, 0), point);
    *c = (crease_regression_claim){ .s = *crease_regression_used(m),
                                    .n = ROWS,
                                    .p = COLS,
                                    .X = X,
                                    .y = y,
                                    .point = point,
                                    .coefficients = coefficients };
    return m;
}

/* The verdict at lambda k, and the words of its reason. */
static void expect(const crease_regression_claim *c, int k, crease_verdict verdict,
                   const char *words)
{
    crease_error e = { CREASE_OK, "" };
    if (!crease_regression_verify(c, found, &e)) fail_msg("%s", e.text);
    if (found[k].verdict != verdict || !strstr(found[k].text, words))
        fail_msg("%s: %s", crease_verdict_text(found[k].verdict), found[k].text);
    for (int i = 0; i < LAMBDAS; i++) crease_verification_free(&found[i]);
}

static void expect_all_valid(const crease_regression_claim *c)
{
    for (int k = 0; k < LAMBDAS; k++) expect(c, k, CREASE_VERDICT_VALID, "");
}

static void every_loss_and_penalty_is_valid(void **state)
{
    const ptrdiff_t start[] = { 0, 3, 5, 9 }, index[] = { 1, 4, 7, 0, 2, 8, 3, 6, 5 };
    const crease_groups g = { 3, start, index };
    const double weight[COLS] = { 1, 2, 0.5, 0, 1, 1, 3, 1, 1 };
    const crease_reg penalty[] = { crease_l1(1), crease_elastic_net(0.4, 0.6), crease_mcp(1, 12),
                                   crease_weighted(crease_scad(1, 11), weight),
                                   crease_group_l1(1, &g) };
    (void)state;
    for (int loss = 0; loss < 4; loss++)
        for (int k = 0; k < 5; k++)
            for (int way = 0; way < 4; way++) {
                crease_regression_settings s = crease_regression_default();
                crease_regression_claim c;
                s.loss = (crease_regression_loss)loss, s.penalty = penalty[k];
                s.standardize = way & 1, s.intercept = way & 2;
                crease_regression *m = fitted(s, &c);
                expect_all_valid(&c);
                crease_regression_free(m);
            }
}

static void weighted_rows_are_valid(void **state)
{
    double v[ROWS], other[ROWS];
    (void)state;
    for (int i = 0; i < ROWS; i++) v[i] = other[i] = (i * 7 + 3) % 4;
    other[4] += 0.5;
    for (int loss = 0; loss < 4; loss++)
        for (int way = 0; way < 4; way++) {
            crease_regression_settings s = crease_regression_default();
            crease_regression_claim c;
            s.loss = (crease_regression_loss)loss, s.row_weight = v;
            s.standardize = way & 1, s.intercept = way & 2;
            crease_regression *m = fitted(s, &c);
            expect_all_valid(&c);
            c.s.row_weight = v; /* as they were given, not of mean 1 */
            expect_all_valid(&c);
            c.s.row_weight = other;
            expect(&c, 6, CREASE_VERDICT_INVALID, "");
            c.s.row_weight = NULL;
            expect(&c, 6, CREASE_VERDICT_INVALID, "");
            crease_regression_free(m);
        }
}

static void other_data_and_settings_are_invalid(void **state)
{
    crease_regression_claim c, other;
    crease_regression *m = fitted(crease_regression_default(), &c);
    const double lambda[] = { crease_regression_lambda_max(m) / 2 };
    (void)state;
    y[4] += 0.1;
    expect(&c, 6, CREASE_VERDICT_INVALID, "");
    y[4] -= 0.1, X[7] += 0.1;
    expect(&c, 6, CREASE_VERDICT_INVALID, "");
    X[7] -= 0.1;
    other = c, other.s.standardize = false;
    expect(&other, 6, CREASE_VERDICT_INVALID, "");
    other = c, other.s.penalty = crease_mcp(1, 3);
    expect(&other, 6, CREASE_VERDICT_INVALID, "");
    other = c, other.s.lambda = lambda, other.s.path = 1;
    expect(&other, 0, CREASE_VERDICT_INVALID, "");
    expect(&c, 6, CREASE_VERDICT_VALID, "");
    crease_regression_free(m);
}

static void numbers_that_are_not_the_points_are_invalid(void **state)
{
    (void)state;
    for (int loss = 0; loss < 4; loss++) {
        crease_regression_settings s = crease_regression_default();
        crease_regression_claim c;
        s.loss = (crease_regression_loss)loss;
        crease_regression *m = fitted(s, &c);
        double *row = coefficients + 8 * (COLS + 1);
        const double kept[] = { row[0], row[2] };
        row[2] *= 1 + 1e-9;
        expect(&c, 8, CREASE_VERDICT_INVALID, "the coefficient of column 2");
        row[2] = NAN;
        expect(&c, 8, CREASE_VERDICT_INVALID, "the coefficient of column 2");
        row[2] = kept[1], row[0] += 1e-9;
        expect(&c, 8, CREASE_VERDICT_INVALID, "the intercept");
        row[0] = kept[0];
        expect(&c, 8, CREASE_VERDICT_VALID, "");
        crease_regression_free(m);
    }
}

static void a_point_that_is_not_stationary_is_invalid(void **state)
{
    crease_regression_claim c;
    crease_regression *m = fitted(crease_regression_default(), &c);
    (void)state;
    point[8 * COLS + 1] = NAN;
    expect(&c, 8, CREASE_VERDICT_INVALID, "");
    point[8 * COLS + 1] = crease_regression_point(m, 8)[1] * (1 + 1e-4);
    coefficients[8 * (COLS + 1) + 2] *= 1 + 1e-4;
    expect(&c, 8, CREASE_VERDICT_INVALID, "");
    expect(&c, 7, CREASE_VERDICT_VALID, "");
    crease_regression_free(m);
}

/* In double where that settles it, in long double where it does not: eps 1e-6 and 1e-13. */
static void large_designs_are_valid(void **state)
{
    enum { SIDE = 300, FEW = 3 };
    static double A[SIDE * SIDE], b[SIDE], all[FEW * (SIDE + 1)];
    (void)state;
    draw_regression(SIDE, SIDE, 5, A, b);
    for (int fine = 0; fine < 2; fine++) {
        crease_regression_settings s = crease_regression_default();
        crease_error e = { CREASE_OK, "" };
        s.path = FEW, s.ratio = 0.3, s.eps = fine ? 1e-14 : 1e-6;
        crease_regression *m = crease_regression_new(&s, SIDE, SIDE, A, b, &e);
        if (!m || !crease_regression_fit(m, &e)) fail_msg("%s", e.text);
        for (int k = 0; k < FEW; k++) {
            const crease_regression_solution at = *crease_regression_at(m, k);
            all[k * (SIDE + 1)] = at.intercept;
            copy(SIDE, at.coef, all + k * (SIDE + 1) + 1);
        }
        crease_regression_claim c = {
            .s = *crease_regression_used(m), .n = SIDE, .p = SIDE, .X = A, .y = b
        };
        c.s.eps = fine ? 1e-13 : 1e-6;
        c.point = crease_regression_point(m, 0), c.coefficients = all;
        assert_true(crease_regression_verify(&c, found, &e));
        for (int k = 0; k < FEW; k++) {
            if (found[k].verdict != CREASE_VERDICT_VALID)
                fail_msg("%d %d: %s", fine, k, found[k].text);
            crease_verification_free(&found[k]);
        }
        A[1] += 1;
        assert_true(crease_regression_verify(&c, found, &e));
        for (int k = 0; k < FEW; k++) {
            assert_true(k == 0 || found[k].verdict == CREASE_VERDICT_INVALID);
            crease_verification_free(&found[k]);
        }
        A[1] -= 1;
        crease_regression_free(m);
    }
}

static void claims_without_sense_are_refused(void **state)
{
    crease_regression_claim c, wrong;
    crease_error e = { CREASE_OK, "" };
    crease_regression *m = fitted(crease_regression_default(), &c);
    (void)state;
    wrong = c, wrong.s.lambda = NULL;
    assert_false(crease_regression_verify(&wrong, found, &e));
    wrong = c, wrong.s.loss_scale = 0;
    assert_false(crease_regression_verify(&wrong, found, &e));
    assert_non_null(strstr(e.text, "scale"));
    wrong = c, wrong.s.penalty = crease_nuclear(1);
    assert_false(crease_regression_verify(&wrong, found, &e));
    crease_regression_free(m);
}

/* F at lambda k from the definitions, of the squared loss on X and y as they are, and of l1 or the
 * elastic net, halves of both. */
static double squared_by_definition(const crease_regression_claim *c, int k, bool net)
{
    const double *b = c->point + k * COLS, lambda = c->s.lambda[k];
    long double sum = 0;
    for (int i = 0; i < ROWS; i++) {
        long double t = y[i];
        for (int j = 0; j < COLS; j++) t -= (long double)X[i * COLS + j] * b[j];
        sum += t * t / (2 * ROWS);
    }
    for (int j = 0; j < COLS; j++)
        sum += lambda * (net ? fabs(b[j]) / 2 + b[j] * b[j] / 4 : fabs(b[j]));
    return (double)sum;
}

static void the_objective_is_that_of_the_definition(void **state)
{
    const crease_reg penalty[] = { crease_l1(1), crease_elastic_net(0.5, 0.5) };
    double wanted[LAMBDAS], objective[LAMBDAS], bound[LAMBDAS];
    crease_error e = { CREASE_OK, "" };
    (void)state;
    for (int k = 0; k < LAMBDAS; k++) wanted[k] = NAN;
    for (int net = 0; net < 2; net++) {
        crease_regression_settings s = crease_regression_default();
        crease_regression_claim c;
        s.penalty = penalty[net], s.standardize = s.intercept = false;
        crease_regression *m = fitted(s, &c);
        assert_true(crease_regression_bound(&c, wanted, objective, bound, &e));
        for (int k = 0; k < LAMBDAS; k++) {
            assert_true(fabs(objective[k] - squared_by_definition(&c, k, net)) <=
                        1e-14 * objective[k]);
            assert_true(isnan(bound[k]));
        }
        crease_regression_free(m);
    }
}

/* Points off the path by `far` have bounds above what they lack, whatever is wanted; the path's own
 * are small. */
static void no_bound_is_below_the_gap(void **state)
{
    const ptrdiff_t start[] = { 0, 3, 5, 9 };
    const crease_groups g = { 3, start, NULL };
    const double weight[COLS] = { 1, 2, 0.5, 0, 1, 1, 3, 1, 1 };
    const crease_reg penalty[] = { crease_l1(1), crease_elastic_net(0.4, 0.6),
                                   crease_group_l1(1, &g), crease_weighted(crease_l1(1), weight),
                                   crease_mcp(1, 60) };
    double wanted[LAMBDAS] = { 0 }, least[LAMBDAS], objective[LAMBDAS], bound[LAMBDAS];
    crease_error e = { CREASE_OK, "" };
    (void)state;
    for (int way = 0; way < 30; way++) {
        crease_regression_settings s = crease_regression_default();
        crease_regression_claim c;
        const bool bent = way / 6 == 4;
        s.loss = bent ? CREASE_REGRESSION_SQUARED : (crease_regression_loss)(way % 3);
        s.penalty = penalty[way / 6], s.eps = 1e-10, s.standardize = way % 2;
        crease_regression *m = fitted(s, &c);
        const ptrdiff_t cols = COLS + (s.intercept && s.loss != CREASE_REGRESSION_SQUARED);
        for (int k = 0; k < LAMBDAS; k++)
            wanted[k] = bent ? 1e-8 * crease_regression_at(m, k)->objective : 0;
        assert_true(crease_regression_bound(&c, wanted, least, bound, &e));
        for (int k = 0; k < LAMBDAS; k++)
            if (!(bound[k] <= 1.001e-8 * least[k]))
                fail_msg("%d %d: %g of %g", way, k, bound[k], least[k]);
        for (double far = 1e-6; far < 1; far *= 30) {
            for (ptrdiff_t k = 0; k < LAMBDAS * cols; k++)
                point[k] += far * sin((double)(3 * k + way));
            assert_true(crease_regression_bound(&c, wanted, objective, bound, &e));
            for (int k = 0; k < LAMBDAS; k++)
                assert_true(bound[k] >= objective[k] - least[k] && objective[k] > least[k]);
        }
        crease_regression_free(m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_loss_and_penalty_is_valid),
        cmocka_unit_test(weighted_rows_are_valid),
        cmocka_unit_test(other_data_and_settings_are_invalid),
        cmocka_unit_test(numbers_that_are_not_the_points_are_invalid),
        cmocka_unit_test(a_point_that_is_not_stationary_is_invalid),
        cmocka_unit_test(large_designs_are_valid),
        cmocka_unit_test(claims_without_sense_are_refused),
        cmocka_unit_test(the_objective_is_that_of_the_definition),
        cmocka_unit_test(no_bound_is_below_the_gap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
