/* SPDX-License-Identifier: MIT
 * cp_fit_edges: units of the data, order of the modes, numbers of threads; what is refused */
#include "support/cp_fit_case.h"

#include "rpca/fit.h"

static double distance(ptrdiff_t n, const double *x, const double *y, double scale)
{
    double sum = 0, size = 0;
    for (ptrdiff_t j = 0; j < n; j++) sum += square(x[j] / scale - y[j]), size += square(y[j]);
    return sqrt(sum / size);
}

/* Data and alpha in other units: the same parts, in as many iterations. */
static void test_scale(void **state)
{
    const crease_space s = fit_shape(3);
    (void)state;
    for (int m = 0; m < 4; m++)
        for (int start = 0; start < 2; start++) {
            double *low[3];
            long iterations[3];
            for (int k = 0; k < 3; k++) {
                const double scale[] = { 1, 1e-6, 1e6 };
                fit_case c = fit_draw(&s, m % 2, scale[k]);
                c.s.run.method = fit_methods[m];
                c.s.run.eps = 1e-8;
                if (start) c.s.model.start = CREASE_START_RANDOM;
                if (fit_run(&c) != CREASE_STATIONARY)
                    fail_msg("method %d, start %d, scale %g: %g", m, start, scale[k],
                             crease_cp_fit_certificate(c.fit)->worst_relative);
                iterations[k] = crease_cp_fit_report(c.fit).iterations;
                low[k] = fit_part(&c, CREASE_CP_LOWRANK);
                if (k > 0) assert_true(distance(c.size, low[k], low[0], scale[k]) <= 1e-8);
                fit_free(&c);
            }
            for (int k = 0; k < 3; k++) {
                assert_true(labs(iterations[k] - iterations[0]) <= 20);
                free(low[k]);
            }
        }
}

/* (i,j,k) -> (k,i,j) in the data gives the same in the answer. */
static void test_permutation(void **state)
{
    const crease_space s = fit_shape(3);
    const crease_space turned = { .order = 3, .dim = { s.dim[2], s.dim[0], s.dim[1] } };
    (void)state;
    fit_case a = fit_draw(&s, false, 1), b = fit_draw(&turned, false, 1);
    a.s.run.eps = b.s.run.eps = 1e-11;
    ptrdiff_t at[7 * 9 * 11];
    for (ptrdiff_t j = 0; j < a.size; j++) {
        const ptrdiff_t k = j % s.dim[2];
        at[j] = k * s.dim[0] * s.dim[1] + j / s.dim[2];
        b.tensor[at[j]] = b.given[at[j]] = a.tensor[j];
    }
    assert_true(fit_run(&a) == CREASE_STATIONARY && fit_run(&b) == CREASE_STATIONARY);
    double *x = fit_part(&a, CREASE_CP_SPARSE), *y = fit_part(&b, CREASE_CP_SPARSE);
    for (ptrdiff_t j = 0; j < a.size; j++) assert_close(y[at[j]], x[j], 1e-8);
    assert_close(crease_cp_fit_certificate(b.fit)->objective,
                 crease_cp_fit_certificate(a.fit)->objective, 1e-10);
    free(x), free(y), fit_free(&a), fit_free(&b);
}

static void test_threads(void **state)
{
    const crease_space s = { .order = 3, .dim = { 40, 70, 60 } };
    double *low[2];
    (void)state;
    for (int k = 0; k < 2; k++) {
        fit_case c = fit_draw(&s, false, 1);
        c.s.threads = k + 1;
        c.s.run.method = CREASE_METHOD_ADMM_M;
        c.s.run.max_iterations = 6;
        c.s.run.eps = 0;
        assert_int_equal(fit_run(&c), CREASE_ITERATION_LIMIT);
        low[k] = fit_part(&c, CREASE_CP_LOWRANK);
        fit_free(&c);
    }
    assert_memory_equal(low[0], low[1], sizeof(double) * 40 * 70 * 60);
    free(low[0]), free(low[1]);
}

/* The analysis of the fused engine is that of the whole model. */
static void test_analysis(void **state)
{
    const crease_space s = fit_shape(3);
    (void)state;
    for (int m = 0; m < 4; m++)
        for (int masked = 0; masked < 2; masked++) {
            fit_case c = fit_draw(&s, masked, 1);
            c.s.run.method = fit_methods[m];
            c.s.run.max_iterations = 0;
            fit_run(&c);
            const crease_analysis *a = crease_cp_fit_analysis(c.fit);
            const crease_cp_rpca_settings used = crease_cp_fit_used(c.fit).model;
            crease_cp_rpca *model = crease_cp_rpca_new(&used, c.given, NULL);
            crease_analysis *b = crease_analyse(crease_cp_rpca_problem(model), &c.fit->o, NULL);
            assert_int_equal(a->method, b->method);
            assert_int_equal(a->guarantee, b->guarantee);
            assert_string_equal(a->theorem, b->theorem);
            assert_int_equal(a->assumptions, b->assumptions);
            assert_close(a->beta, b->beta, 1e-14);
            assert_close(a->gamma, b->gamma, 1e-14);
            assert_close(a->slack, b->slack, 1e-12);
            for (int i = 0; i < a->count; i++) assert_close(a->block[i].h, b->block[i].h, 1e-12);
            for (int i = 0; i < a->assumptions; i++)
                assert_int_equal(a->assumption[i].status, b->assumption[i].status);
            crease_analysis_free(b);
            crease_cp_rpca_free(model);
            fit_free(&c);
        }
}

static bool at_once(void *asked) { return ++*(int *)asked, true; }

/* No time, or told to stop: one look at the data, whatever the number of starts, and an answer. */
static void test_time(void **state)
{
    const crease_space s = fit_shape(3);
    (void)state;
    for (int k = 0; k < 4; k++) {
        int asked = 0;
        fit_case c = fit_draw(&s, false, 1);
        c.s.starts = k % 2 ? 5 : 0, c.s.learn = 3, c.s.run.eps = 0;
        if (k < 2) c.s.run.max_seconds = 0;
        if (k >= 2) c.s.stop = at_once, c.s.user = &asked, c.s.run.max_iterations = 1;
        assert_int_equal(fit_run(&c), k < 2 ? CREASE_TIME_LIMIT : CREASE_ITERATION_LIMIT);
        assert_true(k < 2 || asked > 0);
        const crease_cp_pilot p = crease_cp_fit_pilot(c.fit);
        assert_true(p.starts == 1 && p.passes <= 4);
        const crease_report r = crease_cp_fit_report(c.fit);
        assert_true(r.iterations <= 1 && r.seconds > 0);
        assert_true(isfinite(crease_cp_fit_certificate(c.fit)->objective));
        fit_free(&c);
    }
}

static void refused(const crease_cp_fit_settings *s, double *t, crease_code code, const char *word)
{
    crease_error e = { CREASE_OK, "" };
    assert_null(crease_cp_fit_new(s, t, &e));
    assert_int_equal(e.code, code);
    if (!strstr(e.text, word)) fail_msg("'%s' does not say '%s'", e.text, word);
    assert_null(crease_cp_fit_new(s, t, NULL));
}

static void test_refusals(void **state)
{
    const crease_space s = fit_shape(3);
    fit_case c = fit_draw(&s, false, 1);
    crease_cp_fit_settings bad = c.s;
    (void)state;
    bad.model.rank = 0, refused(&bad, c.tensor, CREASE_BAD_ARGUMENT, "rank is 0");
    bad = c.s, bad.single = bad.model.nonneg = true;
    refused(&bad, c.tensor, CREASE_UNSUPPORTED, "single");
    bad = c.s, bad.threads = -1, refused(&bad, c.tensor, CREASE_BAD_ARGUMENT, "threads");
    bad = c.s, bad.run.method = CREASE_METHOD_GCG;
    refused(&bad, c.tensor, CREASE_UNSUPPORTED, "gcg");
    bad = c.s, bad.run.eps = NAN, refused(&bad, c.tensor, CREASE_BAD_ARGUMENT, "eps");
    c.tensor[12] = NAN, refused(&c.s, c.tensor, CREASE_BAD_DATA, "entry 13 (at 1,2,2)");
    c.tensor[12] = INFINITY, refused(&c.s, c.tensor, CREASE_BAD_DATA, "is inf");
    c.s.model.missing = true, refused(&c.s, c.tensor, CREASE_BAD_DATA, "is inf");
    fit_free(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scale),   cmocka_unit_test(test_permutation),
        cmocka_unit_test(test_threads), cmocka_unit_test(test_analysis),
        cmocka_unit_test(test_time),    cmocka_unit_test(test_refusals)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
