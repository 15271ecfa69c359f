/* SPDX-License-Identifier: MIT
 * regression_refusals: wrong settings and data are refused in a sentence that says what and where
 */
#include "support/test.h"

enum { ROWS = 6, COLS = 3 };

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

static void wrong_data(void **state)
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
    a = good();
    for (int i = 0; i < ROWS; i++) a.X[i * COLS + 1] = 5;
    refused(&a, CREASE_BAD_DATA, "column 2 of X is 5 in every row");
    for (int i = 0; i < ROWS; i++) a.X[i * COLS + 1] = 0;
    a.s.intercept = false;
    refused(&a, CREASE_BAD_DATA, "column 2 of X is 0 in every row");
}

static void wrong_labels(void **state)
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

static void wrong_settings(void **state)
{
    const double up[] = { 1, 2, 3 }, negative[] = { 1, 0.5, -1 };
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

/* No sweeps: nothing converged, and the certificate says so. */
static void a_limit_is_told(void **state)
{
    crease_regression_certificate c;
    input a = good();
    (void)state;
    a.s.max_sweeps = 0;
    crease_regression *m = crease_regression_new(&a.s, a.n, a.p, a.X, a.y, NULL);
    assert_true(m && crease_regression_fit(m, NULL));
    assert_false(crease_regression_at(m, 2).converged);
    assert_true(crease_regression_certify(m, 2, true, &c, NULL));
    assert_false(c.certified);
    crease_regression_free(m);
    crease_regression_free(NULL);
    assert_string_equal(crease_convexity_text((crease_convexity)99), "unknown convexity");
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(wrong_data),
                                        cmocka_unit_test(wrong_labels),
                                        cmocka_unit_test(wrong_settings),
                                        cmocka_unit_test(a_limit_is_told) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
