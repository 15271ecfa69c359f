/* SPDX-License-Identifier: MIT
 * rows: a regression on rows in slabs, its scores and its checker survive any allocation failing */
#include "support/survive.h"

#include <crease/regression.h>

enum { ROWS = 30, COLS = 4, WIDTH = COLS + 3 };

typedef struct {
    double row[ROWS * WIDTH]; /* X, y, a weight, a fold */
} table;

static bool again(void *user, ptrdiff_t first, ptrdiff_t count, double *out, crease_error *e)
{
    const table *t = user;
    (void)e;
    for (ptrdiff_t i = 0; i < count; i++)
        memcpy(out + i * (WIDTH - 1), t->row + (first + i) * WIDTH, (WIDTH - 1) * sizeof *out);
    return true;
}

static bool check(const crease_regression *m, table *t, crease_error *e)
{
    const crease_regression_solution b = *crease_regression_at(m, 1);
    const crease_regression_reading in = { true, again, t };
    double row[COLS + 1], wanted = 1e-3, objective, bound;
    crease_regression_claim c = { .s = *crease_regression_used(m), .n = ROWS, .p = COLS };
    crease_verification v;
    row[0] = b.intercept;
    memcpy(row + 1, b.coef, sizeof b.coef[0] * COLS);
    c.s.path = 1, c.s.lambda = &b.lambda;
    c.point = crease_regression_point(m, 1), c.coefficients = row;
    if (!crease_regression_verify_on(&c, &in, &wanted, &v, &objective, &bound, e)) return false;
    assert_int_equal(v.verdict, CREASE_VERDICT_VALID);
    crease_verification_free(&v);
    return true;
}

static bool all_of_it(crease_error *e, crease_regression_loss loss, crease_reg penalty)
{
    table t;
    const crease_space shape = crease_matrix(ROWS, WIDTH);
    const crease_regression_rows columns = {
        .size = sizeof columns, .p = COLS, .weighted = true, .folded = true
    };
    crease_regression_settings s = crease_regression_default();
    crease_regression_certificate c;
    crease_regression_scores cv = { .mean = NULL };
    for (int k = 0; k < ROWS * WIDTH; k++) t.row[k] = sin(7 * k + 1);
    for (int i = 0; i < ROWS; i++) {
        double *row = t.row + i * WIDTH;
        row[COLS] = row[0] + 0.5 * cos(9 * i);
        row[COLS + 1] = 1 + i % 3, row[COLS + 2] = i % 2;
    }
    s.loss = loss, s.path = 2, s.ratio = 0.3, s.penalty = penalty, s.threads = 1;
    crease_source *source = crease_source_memory(&shape, t.row, false, e);
    crease_regression *m = source ? crease_regression_new_on(&s, &columns, source, e) : NULL;
    const bool done = m && crease_regression_fit(m, e) &&
                      crease_regression_certify(m, 1, false, &c, e) && check(m, &t, e) &&
                      crease_regression_cv_on(m, &cv, e);
    crease_regression_scores_free(&cv);
    crease_regression_free(m);
    crease_source_free(source);
    return done;
}

static bool squared(crease_error *e)
{
    return all_of_it(e, CREASE_REGRESSION_SQUARED, crease_mcp(1, 3));
}

static bool huber(crease_error *e) { return all_of_it(e, CREASE_REGRESSION_HUBER, crease_l1(1)); }

static void any_allocation_may_fail(void **state)
{
    (void)state;
    survives(squared, 20);
    survives(huber, 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
