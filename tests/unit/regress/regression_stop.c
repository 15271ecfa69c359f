/* SPDX-License-Identifier: MIT
 * regression_stop: a path that ends early is the front of the whole one, in the order of solving */
#include "regress/regress.h"
#include "support/regression_naive.h"

enum { ROWS = 60, COLS = 12, PATH = 20 };
static double X[NAIVE_ROWS * NAIVE_COLS], y[NAIVE_ROWS];

static crease_regression *make(int loss, bool ascending, double seconds)
{
    crease_regression_settings s = crease_regression_default();
    crease_error e = { CREASE_OK, "" };
    draw_regression(ROWS, COLS, 5, X, y);
    for (int i = 0; i < ROWS && loss == CREASE_REGRESSION_LOGISTIC; i++) y[i] = y[i] > 2;
    s.loss = (crease_regression_loss)loss, s.ascending = ascending;
    s.path = PATH, s.max_seconds = seconds;
    crease_regression *m = crease_regression_new(&s, ROWS, COLS, X, y, &e);
    if (!m) fail_msg("%s", e.text);
    return m;
}

static void is_part(const crease_regression *part, const crease_regression *all, ptrdiff_t first)
{
    const ptrdiff_t count = crease_regression_used(part).path;
    for (ptrdiff_t k = 0; k < count; k++) {
        const crease_regression_solution a = crease_regression_at(part, k),
                                         b = crease_regression_at(all, first + k);
        crease_regression_certificate c;
        assert_true(a.lambda == b.lambda && a.nonzero == b.nonzero && a.intercept == b.intercept);
        assert_true(crease_regression_used(part).lambda[k] == a.lambda);
        assert_memory_equal(a.coef, b.coef, COLS * sizeof(double));
        assert_true(crease_regression_certify(part, k, true, &c, NULL) && c.certified);
    }
}

/* Cut at every length, the solutions and their problems keep each other's company. */
static void cut(void **state)
{
    (void)state;
    for (int loss = 0; loss < 4; loss++)
        for (int ascending = 0; ascending < 2; ascending++)
            for (ptrdiff_t solved = 1; solved <= PATH; solved += 6) {
                crease_regression *all = make(loss, ascending, INFINITY);
                crease_regression *part = make(loss, ascending, INFINITY);
                assert_true(crease_regression_fit(all, NULL) && crease_regression_fit(part, NULL));
                assert_false(crease_regression_stopped(part));
                crs_regression_cut(part, solved);
                assert_true(crease_regression_stopped(part));
                assert_true(crease_regression_used(part).path == solved);
                is_part(part, all, ascending ? PATH - solved : 0);
                crease_regression_free(all);
                crease_regression_free(part);
            }
}

/* Stopped before it began, or without any time: one lambda, and no cross-validation. */
static void at_once(void **state)
{
    (void)state;
    for (int loss = 0; loss < 4; loss++)
        for (int k = 0; k < 4; k++) {
            crease_regression *m = make(loss, k % 2, k < 2 ? 0 : INFINITY);
            crease_regression_scores scores;
            if (k >= 2) crease_regression_stop(m);
            assert_true(crease_regression_fit(m, NULL) && crease_regression_stopped(m));
            assert_true(crease_regression_used(m).path == 1);
            assert_true(crease_regression_cv(m, X, y, 3, 0, &scores, NULL));
            assert_true(scores.count == 0);
            crease_regression_scores_free(&scores);
            crease_regression_free(m);
        }
}

/* Stopped after the fit: the path is whole, the cross-validation is left out. */
static void between(void **state)
{
    crease_regression *m = make(0, false, INFINITY);
    crease_regression_scores scores;
    (void)state;
    assert_true(crease_regression_fit(m, NULL) && !crease_regression_stopped(m));
    crease_regression_stop(m);
    assert_true(crease_regression_cv(m, X, y, 3, 0, &scores, NULL) && scores.count == 0);
    assert_true(crease_regression_stopped(m) && crease_regression_used(m).path == PATH);
    crease_regression_scores_free(&scores);
    crease_regression_free(m);
}

static void refusal(void **state)
{
    const double wrong[] = { -1, NAN };
    (void)state;
    for (int k = 0; k < 2; k++) {
        crease_regression_settings s = crease_regression_default();
        crease_error e = { CREASE_OK, "" };
        s.max_seconds = wrong[k];
        assert_null(crease_regression_new(&s, ROWS, COLS, X, y, &e));
        assert_non_null(strstr(e.text, "max_seconds"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(cut), cmocka_unit_test(at_once),
                                        cmocka_unit_test(between), cmocka_unit_test(refusal) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
