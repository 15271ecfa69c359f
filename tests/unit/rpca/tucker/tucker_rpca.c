/* SPDX-License-Identifier: MIT
 * tucker_rpca: every form is an ordinary problem; the fit's point is stationary for it by the
 * checker's own count, and the engine agrees with independent solutions */
#include <crease/crease.h>

#include "core/core.h"
#include "rpca/tucker/tucker.h"
#include "support/test.h"

enum { ROWS = 30, COLUMNS = 24, SIZE = ROWS * COLUMNS };

/* rank 2, outliers ten times as large, noise of one percent */
static void plant(uint64_t seed, double outliers, double *T, double *truth)
{
    draws d = { { seed, 3 }, 0 };
    double x[2 * ROWS], y[2 * COLUMNS];
    for (int j = 0; j < 2 * ROWS; j++) x[j] = normal(&d);
    for (int j = 0; j < 2 * COLUMNS; j++) y[j] = normal(&d);
    for (int j = 0; j < SIZE; j++) {
        const int i = j / COLUMNS, k = j % COLUMNS;
        truth[j] = x[2 * i] * y[2 * k] + x[2 * i + 1] * y[2 * k + 1];
        T[j] = truth[j] + 0.01 * normal(&d);
        if (uniform(&d, 0, 1) < outliers) T[j] += 10 * normal(&d);
    }
}

static void starts(const crease_problem *p, const double **x)
{
    for (int i = 0; i < p->count; i++) x[i] = p->block[i].start;
}

static void assert_valid(const crease_tucker_rpca *m, const double *const *x, const double *lambda,
                         double eps)
{
    crease_error e;
    crease_verification v;
    const crease_problem *p = crease_tucker_rpca_problem(m);
    if (!crease_verify(p, x, lambda, NULL, false, eps, true, &v, &e)) fail_msg("%s", e.text);
    if (v.verdict != CREASE_VERDICT_VALID) fail_msg("%s", v.text);
    crease_verification_free(&v);
}

static double error_of(const crease_tucker_rpca *m, const double *const *x, const double *truth)
{
    double low[SIZE];
    assert_true(crease_tucker_rpca_lowrank(m, x, low, NULL));
    return crease_relative_error(SIZE, low, truth);
}

static crease_tucker_rpca_settings settings(crease_rpca_kind form)
{
    const crease_space shape = crease_matrix(ROWS, COLUMNS), ranks = crease_matrix(2, 2);
    crease_tucker_rpca_settings s = crease_tucker_rpca_default(&shape, &ranks);
    s.form = form;
    return s;
}

static crease_tucker_rpca *model(const crease_tucker_rpca_settings *s, const double *T)
{
    crease_error e;
    crease_tucker_rpca *m = crease_tucker_rpca_new(s, T, &e);
    if (!m) fail_msg("%s", e.text);
    return m;
}

static void fits_are_stationary(void **state)
{
    static const crease_rpca_kind form[] = { CREASE_RPCA_TUCKER, CREASE_RPCA_BALL };
    double T[SIZE], truth[SIZE];
    const double *x[8];
    (void)state;
    for (int k = 0; k < 2; k++)
        for (int mcp = 0; mcp < 2; mcp++)
            for (uint64_t seed = 1; seed < 4; seed++) {
                crease_tucker_rpca_settings s = settings(form[k]);
                if (mcp) s.penalty = crease_mcp(1, 3);
                plant(seed, 0.1, T, truth);
                crease_tucker_rpca *m = model(&s, T);
                starts(crease_tucker_rpca_problem(m), x);
                assert_valid(m, x, crease_tucker_rpca_multiplier(m), 1.1e-6);
                assert_true(error_of(m, x, truth) < 0.02);
                crease_tucker_rpca_free(m);
            }
}

/* From a fit that was cut short the paper's methods go on to a stationary point. */
static void engine_goes_on(void **state)
{
    static const crease_method method[] = { CREASE_METHOD_ADMM_G, CREASE_METHOD_ADMM_M };
    double T[SIZE], truth[SIZE];
    const double *x[8];
    crease_error e;
    (void)state;
    plant(5, 0.05, T, truth);
    crease_tucker_rpca_settings s = settings(CREASE_RPCA_TUCKER);
    s.alpha = 0.05;
    s.passes = 12;
    crease_tucker_rpca *m = model(&s, T);
    for (int k = 0; k < 2; k++) {
        crease_options o = crease_options_default();
        o.method = method[k];
        o.relative = 1;
        crease_solver *solver = crease_solver_new(crease_tucker_rpca_problem(m), &o, &e);
        if (!solver) fail_msg("%s", e.text);
        assert_int_equal(crease_solve(solver), CREASE_STATIONARY);
        for (int i = 0; i < 6; i++) x[i] = crease_solution(solver, i);
        assert_valid(m, x, crease_multiplier(solver), 1e-6);
        assert_true(error_of(m, x, truth) < 0.05);
        crease_solver_free(solver);
    }
    crease_tucker_rpca_free(m);
}

static void refusals(void **state)
{
    double T[SIZE], truth[SIZE];
    crease_error e;
    (void)state;
    plant(1, 0, T, truth);
    crease_tucker_rpca_settings s = settings(CREASE_RPCA_BALL);
    s.ranks.dim[1] = 3;
    assert_null(crease_tucker_rpca_new(&s, T, &e));
    assert_non_null(strstr(e.text, "ranks of a matrix are 2 and 3"));
    s = settings(CREASE_RPCA_BALL);
    s.missing = true;
    assert_null(crease_tucker_rpca_new(&s, T, &e));
    s = settings(CREASE_RPCA_TUCKER);
    s.penalty = crease_nuclear(1);
    assert_null(crease_tucker_rpca_new(&s, T, &e));
    assert_non_null(strstr(e.text, "by entries"));
    s = settings(CREASE_RPCA_TUCKER);
    s.alpha_noise = NAN;
    assert_null(crease_tucker_rpca_new(&s, T, &e));
    s = settings(CREASE_RPCA_PCP);
    s.shape = (crease_space){ .order = 3, .dim = { 5, 6, 24 } };
    assert_null(crease_tucker_rpca_new(&s, T, &e));
    assert_non_null(strstr(e.text, "of matrices"));
    T[COLUMNS + 2] = NAN;
    s = settings(CREASE_RPCA_TUCKER);
    assert_null(crease_tucker_rpca_new(&s, T, &e));
    assert_non_null(strstr(e.text, "(at 2,3)"));
    assert_true(crease_tucker_rpca_size(&s) > 5 * SIZE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fits_are_stationary),
        cmocka_unit_test(engine_goes_on),
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
