/* SPDX-License-Identifier: MIT
 * certificates of a path, whose gradients are made together, against crease_certify of every lambda
 * on the problem by itself */
#include <stdlib.h>

#include <crease/certificate.h>
#include <crease/regression.h>

#include "support/regression_naive.h"
#include "support/test.h"

enum { ROWS = 40, COLS = 60, PATH = 12 };

static double X[ROWS * COLS], y[ROWS];
static ptrdiff_t start[ROWS + 1], column[ROWS * COLS];

static crease_regression *fitted(crease_regression_settings s, const crease_csr_matrix *sparse)
{
    crease_error e = { CREASE_OK, "" };
    s.path = PATH, s.ratio = 0.1;
    crease_regression *m = sparse ? crease_regression_new_sparse(&s, sparse, y, &e)
                                  : crease_regression_new(&s, ROWS, COLS, X, y, &e);
    if (!m || !crease_regression_fit(m, &e)) fail_msg("%s", e.text);
    return m;
}

static void near(double a, double b, double size)
{
    if (!(fabs(a - b) <= 1e-10 * size)) fail_msg("%.17g is not %.17g", a, b);
}

static void agrees(const crease_regression *m, ptrdiff_t k)
{
    const crease_problem *p = crease_regression_problem(m, k);
    const double *x = crease_regression_point(m, k);
    crease_regression_certificate found;
    crease_residual block;
    crease_reference *r = crease_reference_new(p, NULL);
    crease_certificate c = { .block = &block, .reference = r };
    double *work = calloc((size_t)crease_certify_scratch(p), sizeof *work);
    assert_true(r && work && crease_regression_certify(m, k, false, &found, NULL));
    crease_certify(p, &x, NULL, &c, work);
    assert_true(found.certified);
    near(found.residual.scale, block.scale, block.scale);
    near(found.residual.residual, block.residual, block.scale);
    near(found.relative, c.worst_relative, 1);
    free(work);
    crease_reference_free(r);
}

static void agree(crease_regression_settings s, const crease_csr_matrix *sparse)
{
    crease_regression *m = fitted(s, sparse);
    for (ptrdiff_t k = 0; k < PATH; k++) agrees(m, k);
    crease_regression_free(m);
}

static void certificates_made_together_are_those_of_each(void **state)
{
    crease_regression_settings s = crease_regression_default();
    (void)state;
    draw_regression(ROWS, COLS, 3, X, y);
    agree(s, NULL);
    s.penalty = crease_mcp(1, 3);
    agree(s, NULL);
    for (int i = 0; i < ROWS; i++) y[i] = y[i] > 0;
    s.loss = CREASE_REGRESSION_LOGISTIC, s.penalty = crease_l1(1);
    agree(s, NULL);
}

/* Whose problem has rows of its own */
static void so_are_those_of_groups_and_of_weighted_rows(void **state)
{
    static ptrdiff_t index[COLS], first[COLS / 3 + 1];
    double weight[ROWS];
    crease_regression_settings s = crease_regression_default();
    (void)state;
    draw_regression(ROWS, COLS, 4, X, y);
    for (int j = 0; j < COLS; j++) index[j] = COLS - 1 - j;
    for (int k = 0; k <= COLS / 3; k++) first[k] = 3 * k;
    const crease_groups groups = { COLS / 3, first, index };
    for (int i = 0; i < ROWS; i++) weight[i] = i % 4;
    s.penalty = crease_group_l1(1, &groups);
    agree(s, NULL);
    s.row_weight = weight, s.loss = CREASE_REGRESSION_HUBER, s.penalty = crease_l1(1);
    agree(s, NULL);
}

static void so_are_those_of_a_sparse_design(void **state)
{
    crease_regression_settings s = crease_regression_default();
    ptrdiff_t k = 0;
    (void)state;
    draw_regression(ROWS, COLS, 5, X, y);
    for (int i = 0; i < ROWS; i++) {
        start[i] = k;
        for (int j = i % 3; j < COLS; j += 3) X[k] = X[i * COLS + j], column[k++] = j;
    }
    start[ROWS] = k;
    const crease_csr_matrix sparse = { ROWS, COLS, start, column, X };
    agree(s, &sparse);
}

/* Columns that are nearly alike, along a long path in small steps: what the screening leaves out
 * stays out of what is wrong. */
static void nothing_is_left_out_by_mistake(void **state)
{
    crease_regression_settings s = crease_regression_default();
    (void)state;
    draw_regression(ROWS, COLS, 6, X, y);
    for (int i = 0; i < ROWS; i++)
        for (int j = 1; j < COLS; j++) X[i * COLS + j] += 3 * X[i * COLS + j - 1] / 4;
    for (int convex = 0; convex < 2; convex++) {
        crease_error e = { CREASE_OK, "" };
        s.penalty = convex ? crease_l1(1) : crease_mcp(1, 2);
        s.path = 200, s.ratio = 0.01, s.eps = 1e-8;
        crease_regression *m = crease_regression_new(&s, ROWS, COLS, X, y, &e);
        assert_true(m && crease_regression_fit(m, &e));
        for (ptrdiff_t k = 0; k < s.path; k++) {
            crease_regression_certificate c;
            assert_true(crease_regression_certify(m, k, false, &c, &e) && c.certified);
        }
        crease_regression_free(m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(certificates_made_together_are_those_of_each),
        cmocka_unit_test(so_are_those_of_groups_and_of_weighted_rows),
        cmocka_unit_test(so_are_those_of_a_sparse_design),
        cmocka_unit_test(nothing_is_left_out_by_mistake),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
