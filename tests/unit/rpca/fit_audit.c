/* SPDX-License-Identifier: MIT
 * fit_audit: along extrapolated fits the potential never rises and the answer is certified;
 * without extrapolation the iteration is the plain one; an audit that should fail does */
#include <string.h>

#include "rpca/fit.h"
#include "support/cp_fit_case.h"

static const crease_method methods[] = { CREASE_METHOD_ADMM_G, CREASE_METHOD_ADMM_M,
                                         CREASE_METHOD_PROX_BCD, CREASE_METHOD_BCD };

typedef struct {
    double last, rounding;
    long rows;
} descent;

static bool falls(const crease_progress *p, void *user)
{
    descent *d = user;
    if (p->iteration == 0) return true;
    assert_true(isfinite(p->potential));
    if (d->rows++ > 0) {
        const double slack = d->rounding * (1 + fabs(d->last));
        assert_true(p->potential <= d->last + slack && p->decrease >= -slack);
        assert_true(p->decrease <= d->last - p->potential + slack); /* the rest came before */
    } else {
        assert_true(isnan(p->decrease));
    }
    d->last = p->potential;
    return true;
}

static crease_report run(fit_case *k)
{
    descent d = { .rounding = k->s.single ? 1e-5 : 1e-12 };
    crease_error e = { CREASE_OK, "" };
    k->fit = crease_cp_fit_new(&k->s, k->tensor, &e);
    if (!k->fit) fail_msg("%s", e.text);
    crease_cp_fit_callback(k->fit, falls, &d);
    crease_cp_fit_run(k->fit);
    return crease_cp_fit_report(k->fit);
}

static void certified(const fit_case *k)
{
    const double *factor[CREASE_MAX_ORDER];
    const crease_cp_claim claim = fit_claim(k, factor);
    crease_verification v;
    assert_true(crease_cp_verify(&claim, k->s.run.eps, true, &v, NULL));
    assert_int_equal(v.verdict, CREASE_VERDICT_VALID);
    crease_verification_free(&v);
}

static fit_case draw(int method, bool masked, bool single, double ridge)
{
    const crease_space s = fit_shape(2 + (method + masked) % 3);
    fit_case k = fit_draw(&s, masked, 1);
    k.s.run.method = methods[method];
    k.s.single = single;
    k.s.model.ridge = ridge;
    k.s.model.start = CREASE_START_RANDOM;
    return k;
}

static void the_potential_falls(void **state)
{
    (void)state;
    for (int k = 0; k < 32; k++) {
        fit_case c = draw(k / 8, k & 1, k & 2, k & 4 ? 1e-2 : 0);
        const crease_report r = run(&c);
        assert_int_equal(r.outcome, CREASE_STATIONARY);
        assert_int_equal(r.audit_violations, 0);
        assert_true(r.accelerated > 0 && r.accelerated < r.iterations && !r.note[0]);
        assert_true(crease_cp_fit_readings(c.fit) > 2 * r.iterations);
        certified(&c);
        fit_free(&c);
    }
}

static void modes_of_theory_are_plain(void **state)
{
    (void)state;
    for (int k = 0; k < 9; k++) {
        fit_case c = draw(k / 3, k % 2, false, 0);
        c.s.run.max_iterations = 60;
        if (k % 3 < 2) c.s.run.mode = k % 3 ? CREASE_MODE_PAPER : CREASE_MODE_THEORY;
        if (k % 3 == 2) c.s.run.accelerate = 0;
        c.s.run.audit = 1;
        const double more = crease_cp_fit_bytes(&c.s, k % 2, false);
        const crease_report r = run(&c);
        assert_true(r.accelerated == 0 && r.audit_violations == 0);
        c.s.run.mode = CREASE_MODE_PRACTICAL;
        c.s.run.accelerate = 1;
        c.s.run.method = methods[k / 3];
        assert_true(k % 3 == 1 || crease_cp_fit_bytes(&c.s, k % 2, false) > more);
        fit_free(&c);
    }
}

/* Below its bound beta promises nothing: no extrapolation, and rises are told. */
static void a_small_beta_is_found_out(void **state)
{
    const crease_space s = fit_shape(3);
    (void)state;
    fit_case k = fit_draw(&s, false, 1);
    k.s.run.method = CREASE_METHOD_ADMM_G;
    k.s.run.beta = 1.2;
    k.s.model.start = CREASE_START_RANDOM;
    k.s.run.max_iterations = 50;
    fit_run(&k);
    const crease_report r = crease_cp_fit_report(k.fit);
    assert_true(r.accelerated == 0);
    assert_true(r.audit_violations > 0 && r.audit_worst > 1e-10 && strstr(r.note, "admm-g"));
    fit_free(&k);
}

/* What is promised counts too, and so does a rise before the step. */
static void every_shortfall_counts(void **state)
{
    crease_analysis a = { .method = CREASE_METHOD_PROX_BCD, .theorem = "T", .guarantee = true };
    crease_cp_fit f = { .a = &a, .run = { .progress = { .potential = NAN } } };
    (void)state;
    crs_cp_fit_audit(&f, &(crs_cp_statistics){ .potential = 5, .from = NAN, .moves = 9 }, 1, 1);
    assert_int_equal(f.run.report.audit_violations, 0);
    crs_cp_fit_audit(&f, &(crs_cp_statistics){ .potential = 4, .from = 5, .moves = 1 }, 1, 0.9);
    assert_int_equal(f.run.report.audit_violations, 0);
    crs_cp_fit_audit(&f, &(crs_cp_statistics){ .potential = 3, .from = 4, .moves = 1 }, 1, 1.1);
    assert_int_equal(f.run.report.audit_violations, 1);
    crs_cp_fit_audit(&f, &(crs_cp_statistics){ .potential = 3, .from = 3.1 }, 1, 1);
    assert_int_equal(f.run.report.audit_violations, 2);
    assert_close(f.run.progress.decrease, 0.1, 1e-12);
    f.s.single = true;
    crs_cp_fit_audit(&f, &(crs_cp_statistics){ .potential = 3.000001, .from = 3 }, 1, 1);
    assert_int_equal(f.run.report.audit_violations, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(the_potential_falls),
                                        cmocka_unit_test(modes_of_theory_are_plain),
                                        cmocka_unit_test(a_small_beta_is_found_out),
                                        cmocka_unit_test(every_shortfall_counts) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
