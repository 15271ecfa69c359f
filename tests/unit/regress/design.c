/* SPDX-License-Identifier: MIT
 * design: wrong settings and data are refused in a sentence that says what and where; a row of
 * weight k is k rows */
#include "support/regression_naive.h"

enum { ROWS = 6, COLS = 3, MANY = 40, WIDE = 10, PATH = 12 };
static double X[NAIVE_ROWS * NAIVE_COLS], y[NAIVE_ROWS], v[NAIVE_ROWS];
static double longer[NAIVE_ROWS * NAIVE_COLS], target[NAIVE_ROWS];

typedef struct {
    crease_regression_settings s;
    ptrdiff_t n, p;
    double X[ROWS * COLS], y[ROWS];
} input;

static input good(void)
{
    input a = { .s = crease_regression_default(), .n = ROWS, .p = COLS };
    for (int k = 0; k < ROWS * COLS; k++) a.X[k] = sin(3 * k);
    for (int i = 0; i < ROWS; i++) a.y[i] = cos(i);
    a.s.path = 3;
    return a;
}

static void refused(const input *a, crease_code code, const char *words)
{
    crease_error e = { CREASE_OK, "" };
    crease_regression *m = crease_regression_new(&a->s, a->n, a->p, a->X, a->y, &e);
    if (m || e.code != code || !strstr(e.text, words))
        fail_msg("code %d: %s; wanted %d: %s", (int)e.code, e.text, (int)code, words);
    assert_null(crease_regression_new(&a->s, a->n, a->p, a->X, a->y, NULL));
}

static void wrong_data_are_refused(void **state)
{
    input a = good();
    (void)state;
    a.X[7] = NAN;
    refused(&a, CREASE_BAD_DATA, "row 3, column 2 of X is nan");
    a.X[7] = -INFINITY;
    refused(&a, CREASE_BAD_DATA, "row 3, column 2 of X is -inf");
    a.X[7] = 1e200;
    refused(&a, CREASE_BAD_DATA, "rescale the column");
    a = good(), a.y[4] = INFINITY;
    refused(&a, CREASE_BAD_DATA, "entry 5 of y is inf");
    a = good(), a.y[0] = 1e300;
    refused(&a, CREASE_BAD_DATA, "rescale y");
    a = good(), a.n = 1;
    refused(&a, CREASE_BAD_SHAPE, "X has 1 row and 3 columns");
    a = good(), a.p = 0;
    refused(&a, CREASE_BAD_SHAPE, "0 columns");
    a = good(), a.n = PTRDIFF_MAX / 8;
    refused(&a, CREASE_BAD_SHAPE, "larger than memory");
}

static void wrong_labels_are_refused(void **state)
{
    input a = good();
    (void)state;
    a.s.loss = CREASE_REGRESSION_LOGISTIC;
    for (int i = 0; i < ROWS; i++) a.y[i] = i % 2;
    a.y[3] = 2;
    refused(&a, CREASE_BAD_DATA, "entry 4 of y is 2; logistic");
    a.y[3] = -1;
    refused(&a, CREASE_BAD_DATA, "of y is -1; logistic");
    for (int i = 0; i < ROWS; i++) a.y[i] = 1;
    refused(&a, CREASE_BAD_DATA, "both classes");
    a.s.loss = CREASE_REGRESSION_HUBER;
    refused(&a, CREASE_BAD_DATA, "give it, as huber:1");
}

static void wrong_settings_are_refused(void **state)
{
    const double up[] = { 1, 2, 3 }, negative[] = { 1, 0.5, -1 };
    const double to_0[] = { 1, 0.5, 0 };
    input a = good();
    (void)state;
    a.s.path = 0;
    refused(&a, CREASE_BAD_ARGUMENT, "the path has 0 lambdas");
    a = good(), a.s.ratio = 1;
    refused(&a, CREASE_BAD_ARGUMENT, "in (0, 1)");
    a = good(), a.s.lambda = up;
    refused(&a, CREASE_BAD_ARGUMENT, "lambda 2 is 2");
    a = good(), a.s.lambda = negative;
    refused(&a, CREASE_BAD_ARGUMENT, "lambda 3 is -1");
    a = good(), a.n = 3, a.s.lambda = to_0;
    refused(&a, CREASE_BAD_ARGUMENT, "lambda 0 leaves 3 columns and an intercept without");
    a = good(), a.s.eps = NAN;
    refused(&a, CREASE_BAD_ARGUMENT, "eps is nan");
    a = good(), a.s.loss_scale = -1;
    refused(&a, CREASE_BAD_ARGUMENT, "scale of the loss is -1");
    a = good(), a.s.max_sweeps = -1;
    refused(&a, CREASE_BAD_ARGUMENT, "max_sweeps is -1");
    a = good(), a.s.penalty = crease_nuclear(1);
    refused(&a, CREASE_UNSUPPORTED, "no path here");
    a = good(), a.s.penalty = crease_tv1d(1);
    refused(&a, CREASE_UNSUPPORTED, "no path here");
    a = good(), a.s.penalty = crease_squared_l2(1);
    refused(&a, CREASE_UNSUPPORTED, "selects nothing");
    a = good(), a.s.penalty = crease_scad(1, 2);
    refused(&a, CREASE_BAD_ARGUMENT, "scad");
    a = good(), a.s.penalty = crease_mcp(1, 0);
    refused(&a, CREASE_BAD_ARGUMENT, "mcp");
}

/* A program compiled before max_seconds, the last member, was there: what it has there is not read.
 */
static void settings_of_an_older_program_are_read(void **state)
{
    input a = good();
    (void)state;
    a.s.size = offsetof(crease_regression_settings, max_seconds);
    a.s.max_seconds = -1;
    crease_regression *m = crease_regression_new(&a.s, a.n, a.p, a.X, a.y, NULL);
    assert_non_null(m);
    const crease_regression_settings used = *crease_regression_used(m);
    assert_true(used.max_seconds == INFINITY && used.path == 3 && used.size == sizeof used);
    crease_regression_free(m);
    a.s.size = 0;
    refused(&a, CREASE_BAD_ARGUMENT, "crease_regression_default");
}

/* Weights 0 to 3; the same rows as often as that. Labels are of classes that no column separates.
 */
static int draw_for(crease_regression_loss loss)
{
    int rows = 0;
    draw_regression(MANY, WIDE, 5, X, y);
    for (int i = 0; i < MANY; i++) {
        v[i] = (i * 7 + 3) % 4;
        if (loss == CREASE_REGRESSION_LOGISTIC) y[i] = (y[i] > 2) != (i % 3 == 0);
        for (int k = 0; k < v[i]; k++) {
            copy(WIDE, X + i * WIDE, longer + rows * WIDE);
            target[rows++] = y[i];
        }
    }
    return rows;
}

static int draw(void) { return draw_for(CREASE_REGRESSION_SQUARED); }

static crease_regression *fit(crease_regression_settings s, int n, const double *A, const double *b)
{
    crease_error e = { CREASE_OK, "" };
    s.path = PATH, s.eps = 1e-12;
    crease_regression *m = crease_regression_new(&s, n, WIDE, A, b, &e);
    if (!m || !crease_regression_fit(m, &e)) fail_msg("%s", e.text);
    return m;
}

/* eps bounds the residual; b is off by at most eps |gradient| over the least curvature, which for
 * these columns is above 1e-2. */
static void agree(const crease_regression *a, const crease_regression *b)
{
    assert_close(crease_regression_lambda_max(a), crease_regression_lambda_max(b), 1e-11);
    for (ptrdiff_t k = 0; k < PATH; k++) {
        const crease_regression_solution s = *crease_regression_at(a, k),
                                         t = *crease_regression_at(b, k);
        crease_regression_certificate c;
        assert_close(s.lambda, t.lambda, 1e-11);
        assert_close(s.intercept, t.intercept, 1e-8);
        for (int j = 0; j < WIDE; j++) assert_close(s.coef[j], t.coef[j], 1e-8);
        assert_close(s.deviance, t.deviance, 1e-8);
        assert_close(s.objective, t.objective, 1e-8);
        assert_true(crease_regression_certify(a, k, true, &c, NULL) && c.certified);
    }
}

static void weighed_agrees_with_repeated(crease_regression_settings s)
{
    const int rows = draw_for(s.loss);
    s.ratio = 0.05;
    crease_regression *repeated = fit(s, rows, longer, target);
    s.row_weight = v;
    crease_regression *weighed = fit(s, MANY, X, y);
    assert_close(crease_regression_used(weighed)->loss_scale,
                 crease_regression_used(repeated)->loss_scale, 1e-14);
    agree(weighed, repeated);
    crease_regression_free(repeated);
    crease_regression_free(weighed);
}

static void a_row_of_weight_k_is_k_rows(void **state)
{
    const ptrdiff_t start[] = { 0, 3, 5, 10 }, index[] = { 1, 4, 7, 0, 2, 8, 3, 6, 5, 9 };
    const crease_groups g = { 3, start, index };
    const double weight[WIDE] = { 1, 2, 0.5, 0, 1, 1, 3, 1, 1, 1 };
    (void)state;
    for (int loss = 0; loss < 4; loss++) {
        const double shape = loss == CREASE_REGRESSION_LOGISTIC ? 12 : 3;
        const double mcp[CREASE_PARS] = { 1, shape };
        const crease_reg penalty[] = { crease_l1(1),
                                       crease_elastic_net(0.5, 0.5),
                                       crease_mcp(1, shape),
                                       crease_weighted(crease_scad(1, 1 + shape), weight),
                                       crease_l0(1),
                                       crease_group_l1(1, &g),
                                       crease_group(crease_mcp(1, shape).penalty, mcp, &g) };
        for (int k = 0; k < 28; k++) {
            crease_regression_settings s = crease_regression_default();
            s.loss = (crease_regression_loss)loss;
            s.penalty = penalty[k / 4], s.standardize = k & 1, s.intercept = k & 2;
            weighed_agrees_with_repeated(s);
        }
    }
}

/* Whatever stands in a row of weight 0, as long as it is a number. */
static void a_row_of_weight_0_is_not_there(void **state)
{
    (void)state;
    for (int loss = 0; loss < 4; loss++)
        for (int k = 0; k < 4; k++) {
            crease_regression_settings s = crease_regression_default();
            double kept[MANY * WIDE], rest[MANY];
            int rows = 0;
            draw_for((crease_regression_loss)loss);
            for (int i = 0; i < MANY; i++) {
                v[i] = i % 5 != 0;
                for (int j = 0; v[i] == 0 && j < WIDE; j++) X[i * WIDE + j] = 1e30 * (1 + j);
                if (v[i] == 0 && loss != CREASE_REGRESSION_LOGISTIC) y[i] = -1e30;
                copy(v[i] > 0 ? WIDE : 0, X + i * WIDE, kept + rows * WIDE);
                if (v[i] > 0) rest[rows++] = y[i];
            }
            s.loss = (crease_regression_loss)loss, s.standardize = k & 1, s.intercept = k & 2;
            s.ratio = 0.05;
            crease_regression *fewer = fit(s, rows, kept, rest);
            s.row_weight = v;
            crease_regression *weighed = fit(s, MANY, X, y);
            agree(weighed, fewer);
            crease_regression_free(fewer);
            crease_regression_free(weighed);
        }
}

static void weights_of_rows_have_no_unit(void **state)
{
    crease_regression_settings s = crease_regression_default();
    double other[MANY];
    (void)state;
    draw();
    for (double unit = 1e-120; unit < 1e130; unit *= 1e60) {
        for (int i = 0; i < MANY; i++) other[i] = unit * v[i];
        s.row_weight = v;
        crease_regression *a = fit(s, MANY, X, y);
        s.row_weight = other;
        crease_regression *b = fit(s, MANY, X, y);
        agree(a, b);
        double sum = 0;
        for (int i = 0; i < MANY; i++) sum += crease_regression_used(b)->row_weight[i];
        assert_close(sum, MANY, 1e-14);
        crease_regression_free(a);
        crease_regression_free(b);
    }
}

static void weights_refused(crease_regression_settings s, crease_code code, const char *word)
{
    crease_error e = { CREASE_OK, "" };
    assert_null(crease_regression_new(&s, MANY, WIDE, X, y, &e));
    assert_int_equal(e.code, code);
    if (!strstr(e.text, word)) fail_msg("'%s' does not say '%s'", e.text, word);
}

static void wrong_weights_of_rows_are_refused(void **state)
{
    crease_regression_settings s = crease_regression_default();
    const double wrong[] = { -1, NAN, INFINITY, 1e300 };
    (void)state;
    s.row_weight = v;
    for (int k = 0; k < 4; k++)
        draw(), v[3] = wrong[k], weights_refused(s, CREASE_BAD_DATA, "weight of row 4");
    for (int i = 0; i < MANY; i++) v[i] = i == 5;
    weights_refused(s, CREASE_BAD_DATA, "1 row has");
    v[5] = 0, weights_refused(s, CREASE_BAD_DATA, "0 rows have");
    draw();
    for (int i = 0; i < MANY; i++) y[i] = v[i] > 0;
    s.loss = CREASE_REGRESSION_LOGISTIC;
    weights_refused(s, CREASE_BAD_DATA, "every entry of y with a weight is 1");
    for (int i = 0; i < MANY; i++) y[i] = v[i] > 0 ? -1 : 1;
    weights_refused(s, CREASE_BAD_DATA, "every entry of y with a weight is -1");
}

/* The verdicts of the checker on a path of m */
static void expect_valid(const crease_regression *m, const double *table, ptrdiff_t n, ptrdiff_t p)
{
    double all[PATH * (WIDE + 1)];
    crease_verification found[PATH];
    crease_error e = { CREASE_OK, "" };
    const crease_regression_settings s = *crease_regression_used(m);
    for (ptrdiff_t k = 0; k < s.path; k++) {
        all[k * (p + 1)] = crease_regression_at(m, k)->intercept;
        copy(p, crease_regression_at(m, k)->coef, all + k * (p + 1) + 1);
    }
    const crease_regression_claim c = { .n = n,
                                        .p = p,
                                        .X = table,
                                        .y = y,
                                        .point = crease_regression_point(m, 0),
                                        .coefficients = all,
                                        .s = s };
    if (!crease_regression_verify(&c, found, &e)) fail_msg("%s", e.text);
    for (ptrdiff_t k = 0; k < s.path; k++) {
        if (found[k].verdict != CREASE_VERDICT_VALID) fail_msg("%td: %s", k, found[k].text);
        crease_verification_free(&found[k]);
    }
}

/* Whatever the loss, beside an intercept or a column of zeros, standardized or not, of all rows
 * that count or of those that a fold leaves: the others are fitted as if it were not there. */
static void constant_columns_have_the_coefficient_0(void **state)
{
    static double without[NAIVE_ROWS * NAIVE_COLS];
    const double lambda[] = { 0.2, 0.1, 0.05 };
    (void)state;
    for (int way = 0; way < 16; way++) {
        crease_regression_settings s = crease_regression_default();
        crease_regression_scores cv;
        crease_error e = { CREASE_OK, "" };
        ptrdiff_t first;
        draw_regression(MANY, WIDE, 5, X, y);
        for (int i = 0; i < MANY; i++) {
            v[i] = 1 + i % 3, v[9] = 0;
            X[i * WIDE + 3] = i == 9 ? 4 : way & 1 ? 0.1 : 0;
            X[i * WIDE + 5] = i == 7; /* in one fold alone */
            for (int j = 0, k = 0; j < WIDE; j++)
                if (j != 3) without[i * (WIDE - 1) + k++] = X[i * WIDE + j];
            if (way & 2) y[i] = y[i] > 0 ? 1 : -1;
        }
        s.loss = way & 2 ? CREASE_REGRESSION_LOGISTIC : CREASE_REGRESSION_SQUARED;
        s.standardize = way & 4, s.intercept = (way & 8) || (way & 1);
        s.lambda = lambda, s.path = 3, s.eps = 1e-9, s.row_weight = v;
        crease_regression *m = crease_regression_new(&s, MANY, WIDE, X, y, &e);
        crease_regression *n = crease_regression_new(&s, MANY, WIDE - 1, without, y, &e);
        if (!m || !n || !crease_regression_fit(m, &e) || !crease_regression_fit(n, &e))
            fail_msg("%s", e.text);
        assert_int_equal(crease_regression_constant(m, &first), 1);
        assert_int_equal(first, 3);
        assert_int_equal(crease_regression_constant(n, NULL), 0);
        for (int k = 0; k < 3; k++) {
            const double *b = crease_regression_at(m, k)->coef,
                         *c = crease_regression_at(n, k)->coef;
            assert_true(b[3] == 0);
            for (int j = 0; j < WIDE - 1; j++) assert_close(b[j + (j >= 3)], c[j], 1e-6);
        }
        expect_valid(m, X, MANY, WIDE);
        if (!crease_regression_cv(m, X, y, 4, 1, &cv, &e)) fail_msg("%s", e.text);
        crease_regression_scores_free(&cv);
        crease_regression_free(m);
        crease_regression_free(n);
    }
}

/* Without a penalty the gradient of the loss is 0: whatever the penalty would have been. */
static void at_lambda_0_nothing_is_penalized(void **state)
{
    const crease_reg penalties[] = { crease_l1(1), crease_mcp(1, 3), crease_elastic_net(1, 1),
                                     crease_l0(1) };
    const double lambda[] = { 0.1, 0 };
    (void)state;
    for (int way = 0; way < 16; way++) {
        crease_regression_settings s = crease_regression_default();
        crease_regression_certificate c;
        crease_error e = { CREASE_OK, "" };
        draw_regression(MANY, 4, 5, X, y);
        for (int i = 0; i < MANY && (way & 8); i++) y[i] = (y[i] > 0) != (i % 5 == 0) ? 1 : -1;
        s.loss = way & 8 ? CREASE_REGRESSION_LOGISTIC : CREASE_REGRESSION_SQUARED;
        s.penalty = penalties[way % 4], s.intercept = way & 4;
        s.lambda = lambda, s.path = 2, s.eps = 1e-9;
        crease_regression *m = crease_regression_new(&s, MANY, 4, X, y, &e);
        if (!m || !crease_regression_fit(m, &e)) fail_msg("%s", e.text);
        const crease_regression_solution b = *crease_regression_at(m, 1);
        for (int j = s.intercept ? -1 : 0; j < 4; j++) {
            double g = 0;
            for (int i = 0; i < MANY; i++) {
                double u = b.intercept;
                for (int k = 0; k < 4; k++) u += X[i * 4 + k] * b.coef[k];
                g +=
                    (way & 8 ? -y[i] / (1 + exp(y[i] * u)) : u - y[i]) * (j < 0 ? 1 : X[i * 4 + j]);
            }
            assert_close(g / MANY, 0, 1e-8);
        }
        assert_true(crease_regression_certify(m, 1, true, &c, &e) && c.certified);
        assert_int_equal(c.convexity, CREASE_CONVEXITY_GLOBAL);
        expect_valid(m, X, MANY, 4);
        crease_regression_free(m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_data_are_refused),
        cmocka_unit_test(wrong_labels_are_refused),
        cmocka_unit_test(wrong_settings_are_refused),
        cmocka_unit_test(constant_columns_have_the_coefficient_0),
        cmocka_unit_test(at_lambda_0_nothing_is_penalized),
        cmocka_unit_test(settings_of_an_older_program_are_read),
        cmocka_unit_test(a_row_of_weight_k_is_k_rows),
        cmocka_unit_test(a_row_of_weight_0_is_not_there),
        cmocka_unit_test(weights_of_rows_have_no_unit),
        cmocka_unit_test(wrong_weights_of_rows_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
