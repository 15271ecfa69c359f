/* SPDX-License-Identifier: MIT
 * model: the starts of every form are stationary and the engine goes on from them; recovery reaches
 * the floor of the noise; refusals */
#include <crease/crease.h>

#include <stdio.h>
#include <stdlib.h>

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
static void the_engine_goes_on_from_the_fit(void **state)
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

static void settings_out_of_range_are_refused(void **state)
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

/* MCP with a learned threshold reaches the noise floor at 5, 20 and 40 % outliers: least squares on
 * the entries without outliers has relative error
 *     noise sqrt(dof / (1 - outliers) / size)
 * in the mean; with l1 every outlier pulls with the force of its threshold. CREASE_INSTANCES in the
 * environment draws so many instances, and the table is printed. */
static const struct {
    crease_space shape, ranks;
} kind[] = {
    { { .order = 3, .dim = { 20, 25, 30 } }, { .order = 3, .dim = { 3, 4, 5 } } },
    { { .order = 2, .dim = { 200, 150 } }, { .order = 2, .dim = { 3, 3 } } },
};

static double floor_of(int k, double outliers, double noise)
{
    const crease_space *s = &kind[k].shape, *r = &kind[k].ranks;
    double dof = (double)crease_size(r);
    for (int n = 0; n < s->order; n++) dof += (double)((s->dim[n] - r->dim[n]) * r->dim[n]);
    return noise * sqrt(dof / (1 - outliers) / (double)crease_size(s));
}

/* error of the low-rank part by the size of noise it has */
static double recovery_error(int k, double outliers, bool mcp, uint64_t seed)
{
    crease_tucker_recipe r = { .parts = crease_cp_recipe_default(&kind[k].shape, 1),
                               .ranks = kind[k].ranks,
                               .diagonal = kind[k].shape.order == 2 };
    crease_error e;
    const double *x[CREASE_MAX_ORDER + 4];
    r.parts.outliers = outliers;
    r.parts.magnitude = 10;
    r.parts.noise = 0.01;
    r.parts.seed = seed;
    crease_tucker_instance *c = crease_tucker_generate(&r, &e);
    if (!c) fail_msg("%s", e.text);
    crease_tucker_rpca_settings s = crease_tucker_rpca_default(&kind[k].shape, &kind[k].ranks);
    if (mcp) s.penalty = crease_mcp(1, 3);
    s.threads = 1;
    crease_tucker_rpca *m = crease_tucker_rpca_new(&s, c->parts->tensor, &e);
    if (!m) fail_msg("%s", e.text);
    const crease_problem *p = crease_tucker_rpca_problem(m);
    for (int i = 0; i < p->count; i++) x[i] = p->block[i].start;
    const ptrdiff_t size = crease_size(&kind[k].shape);
    double *low = test_malloc(sizeof *low * (size_t)size), off = 0;
    assert_true(crease_tucker_rpca_lowrank(m, x, low, &e));
    for (ptrdiff_t j = 0; j < size; j++) off += square(low[j] - c->parts->lowrank[j]);
    test_free(low);
    crease_tucker_rpca_free(m);
    crease_tucker_instance_free(c);
    return sqrt(off / (double)size);
}

/* The deviation of the root of a mean of some hundred squares is below five percent; outliers as
 * small as the noise and inliers beyond the threshold cost a little more: a quarter is allowed.
 * With l1 an outlier pulls by the threshold, 3 deviations: the variance (1 - p) + 9p in place of 1
 * - p, and half as much again for a scale that the outliers have widened. */
static double allowed(double outliers, bool mcp)
{
    return mcp ? 1.25 : 1.5 * sqrt(1 + 9 * outliers / (1 - outliers));
}

static void recovery_reaches_the_floor_of_the_noise(void **state)
{
    static const double outliers[] = { 0.05, 0.2, 0.4 };
    const char *text = getenv("CREASE_INSTANCES");
    const int count = text ? atoi(text) : 2;
    int failures = 0;
    (void)state;
    for (int k = 0; k < 2; k++)
        for (int o = 0; o < 3; o++)
            for (int mcp = 1; mcp >= 0; mcp--) {
                const double least = floor_of(k, outliers[o], 0.01);
                double worst = 0, sum = 0;
                int good = 0;
                for (int seed = 1; seed <= count; seed++) {
                    const double ratio =
                        recovery_error(k, outliers[o], mcp, (uint64_t)seed) / least;
                    good += ratio <= allowed(outliers[o], mcp);
                    worst = larger(worst, ratio);
                    sum += ratio / count;
                }
                printf("%-6s %2.0f %% outliers, %-3s: error/floor mean %.3f, worst %.3f of %.2f; "
                       "%d/%d\n",
                       k ? "matrix" : "tucker", 100 * outliers[o], mcp ? "mcp" : "l1", sum, worst,
                       allowed(outliers[o], mcp), good, count);
                failures += count - good;
            }
    assert_int_equal(failures, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fits_are_stationary),
        cmocka_unit_test(the_engine_goes_on_from_the_fit),
        cmocka_unit_test(settings_out_of_range_are_refused),
        cmocka_unit_test(recovery_reaches_the_floor_of_the_noise),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
