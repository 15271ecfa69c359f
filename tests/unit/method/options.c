/* SPDX-License-Identifier: MIT
 * options: whatever option a caller sets, the method of the run reads it or refuses it by name */
#include "support/options.h"
#include "method/method.h"
#include "support/sharing.h"

/* min (1/2) x'Qx - <1, x> over the simplex: for every method that takes no constraint */
static crease_problem on_the_simplex(void)
{
    static const double Q[] = { 2, 1, 0, 1, 3, 1, 0, 1, 4 }, c[] = { -1, -1, -1 };
    static const double *const matrices[] = { Q }, *const linear[] = { c };
    static const int zero = 0;
    static const crease_quadratic_data q = { 1, &zero, &zero, matrices, linear, 1 };
    static crease_space space;
    static crease_set set;
    static crease_block block;
    space = crease_vector(3);
    set = crease_simplex(1);
    block = (crease_block){ .set = &set };
    return (crease_problem){ 1, &space, &block, crease_quadratic(&q), { 0 }, NULL };
}

static crease_problem problem_for(crease_method m)
{
    static sharing s;
    make_sharing(&s, 1, 0);
    return crs_method_at(m)->constrained ? s.problem : on_the_simplex();
}

static trace run(crease_method m, const crease_options *o)
{
    const crease_problem p = problem_for(m);
    trace t = { 0 };
    crease_solver *s = solver_for(&p, o);
    crease_solver_callback(s, trace_row, &t);
    t.outcome = crease_solve(s);
    t.iterations = crease_solver_report(s).iterations;
    t.evaluations = crease_solver_report(s).evaluations;
    t.objective = crease_solver_certificate(s)->objective;
    crease_solver_free(s);
    return t;
}

static void refused(crease_method m, int k, const crease_options *o)
{
    const crease_problem p = problem_for(m);
    crease_error e = { CREASE_OK, "" };
    assert_null(crease_solver_new(&p, o, &e));
    assert_refusal(&e, k, crease_method_name(m));
}

/* Cores end these problems within few steps whatever is asked for. An audit shows only where no
 * extrapolation needs the potential anyway; a seed only where something is random. */
static void every_option_is_read_or_refused(void **state)
{
    int read = 0;
    (void)state;
    for (int m = CREASE_METHOD_AUTO + 1; crs_method_at((crease_method)m); m++) {
        const crs_method *method = crs_method_at((crease_method)m);
        const bool other_problems = method->core && m != CREASE_METHOD_PANOC &&
                                    m != CREASE_METHOD_PLAIN && m != CREASE_METHOD_MULTIPLIERS;
        if (other_problems) continue; /* their options are those of these three */
        for (int k = 0; k < crease_option_count() && !method->elsewhere; k++) {
            crease_options o = options_to(1e-9);
            o.method = (crease_method)m;
            o.max_iterations = 60;
            if (k == CRS_OPTION_audit && method->accelerate) o.accelerate = 0;
            if (k == CRS_OPTION_eps || k == CRS_OPTION_relative)
                o.eps = 0.02, o.certify_every = 1, o.max_iterations = 5000;
            crease_options other = o;
            set_unusual(&other, k);
            if (!(method->reads & 1u << k)) {
                refused((crease_method)m, k, &other);
                continue;
            }
            const trace usual = run((crease_method)m, &o), changed = run((crease_method)m, &other);
            if (k != CRS_OPTION_seed && !method->core && same_trace(&usual, &changed))
                fail_msg("%s: %s changes nothing", crease_method_name((crease_method)m),
                         crease_option_at(k).name);
            read++;
        }
    }
    print_message("%d pairs of method and option read\n", read);
}

static void defaults_are_never_refused(void **state)
{
    const crease_options o = crease_options_default();
    (void)state;
    assert_true(crs_options_read(&o, 0, "nothing", NULL));
}

static void a_method_of_one_model_is_refused_elsewhere(void **state)
{
    const crease_problem p = on_the_simplex();
    crease_options o = crease_options_default();
    crease_error e;
    (void)state;
    o.method = CREASE_METHOD_ENVELOPE;
    assert_null(crease_solver_new(&p, &o, &e));
    assert_int_equal(e.code, CREASE_UNSUPPORTED);
    assert_non_null(strstr(e.text, "CP robust PCA alone"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_option_is_read_or_refused),
        cmocka_unit_test(defaults_are_never_refused),
        cmocka_unit_test(a_method_of_one_model_is_refused_elsewhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
