/* SPDX-License-Identifier: MIT
 * fit_options: whatever option of a run a caller sets, the engine of the fit reads it or refuses it
 * by name; limits end a fit on every engine */
#include "method/method.h"
#include "support/cp_fit_case.h"
#include "support/options.h"

enum { ENVELOPE, FUSED, GENERIC, ENGINES };

static fit_case draw(crease_method method, int engine)
{
    const crease_space s = fit_shape(3);
    fit_case k = fit_draw(&s, false, 1);
    k.s.run.method = method;
    k.s.run.max_iterations = 60;
    k.s.run.eps = 1e-9;
    k.s.model.start = CREASE_START_RANDOM;
    k.s.model.nonneg = engine == GENERIC;
    k.s.starts = engine == ENVELOPE;
    return k;
}

static trace run(crease_method method, int engine, const crease_options *o)
{
    fit_case k = draw(method, engine);
    trace t = { 0 };
    crease_error e = { CREASE_OK, "" };
    k.s.run = *o;
    k.fit = crease_cp_fit_new(&k.s, k.tensor, &e);
    if (!k.fit) fail_msg("%s", e.text);
    crease_cp_fit_callback(k.fit, trace_row, &t);
    t.outcome = crease_cp_fit_run(k.fit);
    t.iterations = crease_cp_fit_report(k.fit).iterations;
    t.evaluations = crease_cp_fit_report(k.fit).evaluations;
    t.objective = crease_cp_fit_certificate(k.fit)->objective;
    fit_free(&k);
    return t;
}

static void refused(crease_method method, int engine, int option, const crease_options *o)
{
    fit_case k = draw(method, engine);
    crease_error e = { CREASE_OK, "" };
    k.s.run = *o;
    assert_null(crease_cp_fit_new(&k.s, k.tensor, &e));
    assert_refusal(&e, option, crease_method_name(method));
    fit_free(&k);
}

static void go_through(crease_method method, int engine)
{
    const crs_method *m = crs_method_at(method);
    for (int k = 0; k < crease_option_count(); k++) {
        fit_case c = draw(method, engine);
        crease_options o = c.s.run;
        fit_free(&c);
        if (k == CRS_OPTION_audit && m->accelerate) o.accelerate = 0;
        if (k == CRS_OPTION_eps || k == CRS_OPTION_relative) o.eps = 1e-4, o.max_iterations = 2000;
        crease_options other = o;
        set_unusual(&other, k);
        if (!(m->reads & 1u << k)) {
            refused(method, engine, k, &other);
            continue;
        }
        const trace usual = run(method, engine, &o), changed = run(method, engine, &other);
        if (same_trace(&usual, &changed))
            fail_msg("%s, engine %d: %s changes nothing", crease_method_name(method), engine,
                     crease_option_at(k).name);
    }
}

static void every_option_is_read_or_refused(void **state)
{
    (void)state;
    go_through(CREASE_METHOD_ENVELOPE, ENVELOPE);
    for (int k = 0; k < 4; k++) go_through(fit_methods[k], FUSED);
    for (int k = 0; k < 4; k++) go_through(fit_methods[k], GENERIC);
}

static bool never(const crease_progress *p, void *user) { return (void)p, (void)user, false; }

/* The driver judges for all of them: a limit of iterations or seconds, a callback, a stop. */
static void every_engine_ends_by_the_same_rules(void **state)
{
    const crease_outcome wanted[] = { CREASE_ITERATION_LIMIT, CREASE_TIME_LIMIT, CREASE_STOPPED,
                                      CREASE_STOPPED };
    (void)state;
    for (int engine = 0; engine < ENGINES; engine++)
        for (int rule = 0; rule < 4; rule++) {
            fit_case k =
                draw(engine == ENVELOPE ? CREASE_METHOD_ENVELOPE : CREASE_METHOD_ADMM_M, engine);
            k.s.run.eps = 0;
            if (rule == 0) k.s.run.max_iterations = 1;
            if (rule == 1) k.s.run.max_seconds = 0;
            k.fit = crease_cp_fit_new(&k.s, k.tensor, NULL);
            assert_non_null(k.fit);
            if (rule == 2) crease_cp_fit_callback(k.fit, never, NULL);
            if (rule == 3) crease_cp_fit_stop(k.fit);
            assert_int_equal(crease_cp_fit_run(k.fit), wanted[rule]);
            assert_int_equal(crease_cp_fit_step(k.fit), wanted[rule]);
            assert_true(crease_cp_fit_report(k.fit).iterations <= 1);
            assert_true(isfinite(crease_cp_fit_certificate(k.fit)->worst));
            fit_free(&k);
        }
}

/* The envelope's pilot counts too. */
static void evaluations_are_limited_on_every_engine(void **state)
{
    (void)state;
    for (int engine = 0; engine < ENGINES; engine++) {
        const crease_method method =
            engine == ENVELOPE ? CREASE_METHOD_ENVELOPE : CREASE_METHOD_ADMM_G;
        fit_case k = draw(method, engine);
        k.s.run.max_evaluations = 2;
        assert_int_equal(fit_run(&k), CREASE_EVALUATION_LIMIT);
        const crease_report r = crease_cp_fit_report(k.fit);
        assert_true(r.evaluations >= 2 && r.evaluations <= 8 && r.iterations <= 2);
        fit_free(&k);
    }
}

/* The analysis of a run by the envelope shows nothing of a method that does not run. */
static void the_envelope_has_no_parameters(void **state)
{
    fit_case k = draw(CREASE_METHOD_AUTO, ENVELOPE);
    (void)state;
    fit_run(&k);
    const crease_analysis *a = crease_cp_fit_analysis(k.fit);
    assert_int_equal(a->method, CREASE_METHOD_ENVELOPE);
    assert_true(a->count == 0 && a->assumptions == 0 && !a->guarantee);
    assert_true(isnan(a->beta) && isnan(a->gamma) && isnan(a->ell) && isnan(a->mu));
    fit_free(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_option_is_read_or_refused),
        cmocka_unit_test(every_engine_ends_by_the_same_rules),
        cmocka_unit_test(evaluations_are_limited_on_every_engine),
        cmocka_unit_test(the_envelope_has_no_parameters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
