/* SPDX-License-Identifier: MIT
 * fit: the streaming certificate and the streaming checker say what the general ones say on the
 * whole problem, and every run that ends stationary is VALID by both checkers; units, order of
 * modes, threads and degenerate data do not matter; what is refused */
#include "rpca/fit.h"
#include "support/cp_fit_case.h"

/* Two residuals of the same condition: equal up to the rounding of their terms. */
static void same_residual(const crease_residual *a, const crease_residual *b, double size)
{
    assert_true(fabs(a->residual - b->residual) <= 1e-10 * b->scale + 1e-13 * size);
    assert_true(fabs(a->scale - b->scale) <= 1e-10 * b->scale + 1e-13 * size);
}

static void compare_certificates(const fit_case *k, const fit_whole *w)
{
    const crease_problem *p = crease_cp_rpca_problem(w->model);
    const crease_certificate *c = crease_cp_fit_certificate(k->fit);
    crease_residual block[CREASE_MAX_ORDER + 3];
    crease_reference *reference = crease_reference_new(p, NULL);
    crease_certificate whole = { .block = block, .reference = reference };
    double *work = malloc((size_t)crease_certify_scratch(p) * sizeof(double));
    crease_certify(p, w->x, w->lambda, &whole, work);
    crease_reference_free(reference);
    free(work);
    const double size = whole.feasibility.scale;
    assert_close(c->objective, whole.objective, 1e-11);
    assert_true(c->count == whole.count);
    for (int i = 0; i < c->count; i++) same_residual(&c->block[i], &block[i], size);
    same_residual(&c->feasibility, &whole.feasibility, size);
}

static void compare_checkers(const fit_case *k, const fit_whole *w, crease_outcome o)
{
    const double *factor[CREASE_MAX_ORDER];
    const crease_cp_claim claim = fit_claim(k, factor);
    const double eps = k->s.run.eps;
    crease_verification a, b;
    assert_true(crease_verify(crease_cp_rpca_problem(w->model), w->x, w->lambda, NULL, false, eps,
                              true, &b, NULL));
    assert_true(crease_cp_verify(&claim, eps, true, &a, NULL));
    if (a.verdict != b.verdict) fail_msg("%s but %s", a.text, b.text);
    assert_true(o != CREASE_STATIONARY || a.verdict == CREASE_VERDICT_VALID);
    assert_true(fabs(a.smallest_eps - b.smallest_eps) <= 1e-3 * b.smallest_eps + 1e-12);
    crease_verification_free(&a);
    crease_verification_free(&b);
}

static void agree(fit_case *k, bool must_end)
{
    const crease_outcome o = fit_run(k);
    if (must_end && o != CREASE_STATIONARY)
        fail_msg("order %d, %s, %s: %s at %g", k->shape.order, crease_method_name(k->s.run.method),
                 k->s.model.penalty.penalty->name, crease_outcome_text(o),
                 crease_cp_fit_certificate(k->fit)->worst_relative);
    fit_whole w = fit_recover(k);
    compare_certificates(k, &w);
    compare_checkers(k, &w, o);
    fit_whole_free(&w);
    fit_free(k);
}

static void certificates_agree_with_the_general_ones_for_every_method(void **state)
{
    (void)state;
    for (int order = 2; order <= 4; order++)
        for (int m = 0; m < 4; m++)
            for (int masked = 0; masked < 2; masked++) {
                const crease_space s = fit_shape(order);
                fit_case k = fit_draw(&s, masked, 1);
                k.s.run.method = fit_methods[m];
                agree(&k, true);
                fit_case single = fit_draw(&s, masked, 1);
                single.s.run.method = fit_methods[m];
                single.s.single = true;
                agree(&single, true);
            }
}

/* Penalties whose E follows from the factors, and those whose E is the iteration's own. */
static void certificates_agree_with_the_general_ones_for_every_penalty(void **state)
{
    const crease_reg list[] = { crease_l1(1),       crease_scad(1, 3.7),
                                crease_mcp(1, 3),   crease_mcp(1, 0.2),
                                crease_lsp(1, 0.5), crease_lsp(1, 0.05),
                                crease_l0(0.5),     crease_capped_l1(1, 1),
                                crease_l_half(1),   crease_elastic_net(1, 0.1) };
    const crease_space s = fit_shape(3);
    (void)state;
    for (size_t p = 0; p < sizeof list / sizeof *list; p++)
        for (int m = 1; m < 3; m++) {
            fit_case k = fit_draw(&s, p % 2, 1);
            k.s.model.penalty = list[p];
            k.s.run.method = fit_methods[m];
            k.s.model.ridge = 1e-3;
            agree(&k, true);
        }
}

static void theory_mode_and_given_starts_are_certified(void **state)
{
    const crease_space s = fit_shape(3);
    (void)state;
    for (int m = 0; m < 3; m++) {
        fit_case k = fit_draw(&s, false, 1);
        k.s.run.method = fit_methods[m];
        k.s.run.mode = CREASE_MODE_THEORY;
        k.s.run.eps = 1e-4;
        agree(&k, true);
        fit_case r = fit_draw(&s, true, 1);
        r.s.run.method = fit_methods[m];
        r.s.model.start = CREASE_START_RANDOM;
        r.s.run.max_iterations = 3; /* far from anything */
        agree(&r, false);
    }
}

/* Nonnegative factors and groups: the other engine under the same loop. */
static void nonnegative_factors_and_groups_are_certified(void **state)
{
    const crease_space s = fit_shape(3);
    (void)state;
    fit_case k = fit_draw(&s, true, 1);
    k.s.model.nonneg = true;
    k.s.model.ridge = 0.1;
    k.s.run.eps = 1e-4;
    fit_case fibres = fit_draw(&s, false, 1);
    fibres.s.model.penalty = crease_group_l1(1, NULL);
    fibres.s.model.groups = CREASE_GROUPS_FIBRES;
    fibres.s.model.axis = 2;
    const crease_outcome o = fit_run(&fibres);
    assert_int_equal(o, CREASE_STATIONARY);
    assert_string_equal(crease_cp_fit_engine(fibres.fit), "generic");
    fit_whole w = fit_recover(&fibres);
    compare_certificates(&fibres, &w);
    crease_verification v;
    assert_true(crease_verify(crease_cp_rpca_problem(w.model), w.x, w.lambda, NULL, false, 1e-6,
                              true, &v, NULL));
    assert_int_equal(v.verdict, CREASE_VERDICT_VALID);
    crease_verification_free(&v);
    fit_whole_free(&w);
    fit_free(&fibres);
    agree(&k, true);
}

static double distance(ptrdiff_t n, const double *x, const double *y, double scale)
{
    double sum = 0, size = 0;
    for (ptrdiff_t j = 0; j < n; j++) sum += square(x[j] / scale - y[j]), size += square(y[j]);
    return sqrt(sum / size);
}

/* Data and alpha in other units: the same parts, in as many iterations. */
static void units_of_the_data_do_not_matter(void **state)
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
                low[k] = fit_part(&c, CREASE_RPCA_LOWRANK);
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
static void the_order_of_the_modes_does_not_matter(void **state)
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
    double *x = fit_part(&a, CREASE_RPCA_SPARSE), *y = fit_part(&b, CREASE_RPCA_SPARSE);
    for (ptrdiff_t j = 0; j < a.size; j++) assert_close(y[at[j]], x[j], 1e-8);
    assert_close(crease_cp_fit_certificate(b.fit)->objective,
                 crease_cp_fit_certificate(a.fit)->objective, 1e-10);
    free(x), free(y), fit_free(&a), fit_free(&b);
}

static void the_number_of_threads_does_not_matter(void **state)
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
        low[k] = fit_part(&c, CREASE_RPCA_LOWRANK);
        fit_free(&c);
    }
    assert_memory_equal(low[0], low[1], sizeof(double) * 40 * 70 * 60);
    free(low[0]), free(low[1]);
}

/* The analysis of the fused engine is that of the whole model. */
static void the_analysis_is_that_of_the_whole_model(void **state)
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

/* No time, or told to stop: one look at the data, whatever the number of starts, and an answer. */
static void a_run_without_time_still_answers(void **state)
{
    const crease_space s = fit_shape(3);
    (void)state;
    for (int k = 0; k < 4; k++) {
        crease_watch *watch = crease_watch_new(NULL);
        fit_case c = fit_draw(&s, false, 1);
        c.s.starts = k % 2 ? 5 : 0, c.s.learn = 3, c.s.run.eps = 0;
        if (k < 2) c.s.run.max_seconds = 0;
        if (k >= 2) c.s.run.watch = watch, crease_watch_stop(watch);
        assert_int_equal(fit_run(&c), k < 2 ? CREASE_TIME_LIMIT : CREASE_STOPPED);
        const crease_cp_pilot p = crease_cp_fit_pilot(c.fit);
        assert_true(p.starts == 1 && p.passes <= 4);
        const crease_report r = crease_cp_fit_report(c.fit);
        assert_true(r.iterations <= 1 && r.seconds > 0);
        assert_true(isfinite(crease_cp_fit_certificate(c.fit)->objective));
        fit_free(&c);
        crease_watch_free(watch);
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

static void unsuitable_settings_are_refused(void **state)
{
    const crease_space s = fit_shape(3);
    fit_case c = fit_draw(&s, false, 1);
    crease_cp_fit_settings bad = c.s;
    (void)state;
    bad.model.rank = 0, refused(&bad, c.tensor, CREASE_BAD_ARGUMENT, "rank is 0");
    bad = c.s, bad.single = bad.model.nonneg = true;
    refused(&bad, c.tensor, CREASE_UNSUPPORTED, "single");
    bad = c.s, bad.single = true, refused(&bad, c.tensor, CREASE_UNSUPPORTED, "envelope");
    bad = c.s, bad.threads = -1, refused(&bad, c.tensor, CREASE_BAD_ARGUMENT, "threads");
    bad = c.s, bad.run.method = CREASE_METHOD_GCG;
    refused(&bad, c.tensor, CREASE_UNSUPPORTED, "gcg");
    bad = c.s, bad.run.eps = NAN, refused(&bad, c.tensor, CREASE_BAD_ARGUMENT, "eps");
    c.tensor[12] = NAN, refused(&c.s, c.tensor, CREASE_BAD_DATA, "entry 13 (at 1,2,2)");
    c.tensor[12] = INFINITY, refused(&c.s, c.tensor, CREASE_BAD_DATA, "is inf");
    c.s.model.missing = true, refused(&c.s, c.tensor, CREASE_BAD_DATA, "is inf");
    for (ptrdiff_t j = 0, n = crease_size(&s); j < n; j++) c.tensor[j] = NAN;
    refused(&c.s, c.tensor, CREASE_BAD_DATA, "no entry was observed");
    fit_free(&c);
}

static void judge(fit_case *c)
{
    const double *factor[CREASE_MAX_ORDER];
    const crease_outcome o = fit_run(c);
    if (o != CREASE_STATIONARY)
        fail_msg("%s: %s at %g", crease_method_name(c->s.run.method), crease_outcome_text(o),
                 crease_cp_fit_certificate(c->fit)->worst_relative);
    const crease_cp_claim claim = fit_claim(c, factor);
    crease_verification v;
    assert_true(crease_cp_verify(&claim, 1e-6, true, &v, NULL));
    if (v.verdict != CREASE_VERDICT_VALID) fail_msg("%s", v.text);
    crease_verification_free(&v);
    fit_free(c);
}

enum { PLAIN, OVER_RANK, ZERO, CONSTANT, SLICE_MISSING, TRIALS };

/* Degenerate data and shapes end certified, whatever the method. */
static void degenerate_data_end_certified(void **state)
{
    const crease_space shapes[] = { fit_shape(3),
                                    { .order = 3, .dim = { 1, 9, 11 } },
                                    { .order = 3, .dim = { 1, 1, 1 } },
                                    { .order = 4, .dim = { 3, 1, 5, 1 } },
                                    { .order = 2, .dim = { 12, 1 } } };
    (void)state;
    for (int m = 0; m < 4; m++)
        for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++)
            for (int trial = 0; trial < TRIALS; trial++) {
                fit_case c = fit_draw(&shapes[k], false, 1);
                c.s.run.method = fit_methods[m];
                const ptrdiff_t slice = c.size / c.shape.dim[0];
                if (trial == SLICE_MISSING && slice == c.size) { /* nothing would be left */
                    fit_free(&c);
                    continue;
                }
                c.s.model.missing = trial == SLICE_MISSING;
                if (trial == OVER_RANK) c.s.model.rank = 14, c.s.model.ridge = 0.1;
                for (ptrdiff_t j = 0; j < c.size; j++) {
                    if (trial == ZERO) c.tensor[j] = 0;
                    if (trial == CONSTANT) c.tensor[j] = 2.5;
                    if (trial == SLICE_MISSING && j < slice) c.tensor[j] = NAN;
                    c.given[j] = c.tensor[j];
                }
                judge(&c);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(certificates_agree_with_the_general_ones_for_every_method),
        cmocka_unit_test(certificates_agree_with_the_general_ones_for_every_penalty),
        cmocka_unit_test(theory_mode_and_given_starts_are_certified),
        cmocka_unit_test(nonnegative_factors_and_groups_are_certified),
        cmocka_unit_test(units_of_the_data_do_not_matter),
        cmocka_unit_test(the_order_of_the_modes_does_not_matter),
        cmocka_unit_test(the_number_of_threads_does_not_matter),
        cmocka_unit_test(the_analysis_is_that_of_the_whole_model),
        cmocka_unit_test(a_run_without_time_still_answers),
        cmocka_unit_test(unsuitable_settings_are_refused),
        cmocka_unit_test(degenerate_data_end_certified),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
