/* SPDX-License-Identifier: MIT
 * solver: whichever allocation fails, the engine says so, leaks nothing, and works again */
#include "support/fail_alloc.h"
#include "support/sharing.h"

typedef struct {
    const char *what;
    crease_problem problem;
    crease_options options;
} sample;

typedef bool call(const sample *s, crease_error *e);

static bool analyse(const sample *s, crease_error *e)
{
    crease_analysis *a = crease_analyse(&s->problem, &s->options, e);
    crease_analysis_free(a);
    return a;
}

static bool new_solver(const sample *s, crease_error *e)
{
    crease_solver *a = crease_solver_new(&s->problem, &s->options, e);
    if (a) crease_step(a);
    crease_solver_free(a);
    return a;
}

static const double origin[ROWS * COLS];
static const double *const at_origin[] = { origin, origin, origin };

static bool objective(const sample *s, crease_error *e)
{
    double value;
    return crease_objective(&s->problem, at_origin, &value, e);
}

static bool certify_gcg(const sample *s, crease_error *e)
{
    double psi;
    return crease_certify_gcg(&s->problem, at_origin, &psi, e);
}

/* How many allocations had to be allowed. */
static int until_success(call *f, const sample *s)
{
    int k = 0;
    for (bool ok = false; !ok; k++) {
        crease_error e = { CREASE_OK, "" };
        allocations_left = k;
        ok = f(s, &e);
        allocations_left = -1;
        if (!ok && (e.code != CREASE_NO_MEMORY || !e.text[0]))
            fail_msg("%s: allocation %d failed with %d \"%s\"", s->what, k + 1, e.code, e.text);
        assert_int_equal(allocations_live, 0);
        assert_true(k < 1000);
    }
    return k - 1;
}

/* Once and for ever, and once only. */
static int survives(call *f, const sample *s)
{
    int failures = 0;
    for (int recover = 0; recover < 2; recover++) {
        allocations_recover = recover;
        failures += until_success(f, s);
    }
    allocations_recover = false;
    return failures;
}

static void constrained_problems(void **state)
{
    const crease_method methods[] = { CREASE_METHOD_ADMM_G, CREASE_METHOD_ADMM_M,
                                      CREASE_METHOD_EXTENSION };
    sharing s;
    int failures = 0;
    (void)state;
    make_sharing(&s, 1, 0);
    for (int k = 0; k < 6; k++) {
        const double grid[ROWS * ROWS] = { 0 };
        double tall[ROWS * ROWS];
        memcpy(tall, grid, sizeof grid);
        for (int i = 0; i < ROWS; i++) tall[i * ROWS + i] = 1 + i;
        if (k >= 3) s.block[2].map = crease_dense(tall);
        if (k == 3) continue; /* admm-g needs c I */
        sample a = { crease_method_name(methods[k % 3]), s.problem, options_to(1e-6) };
        a.options.method = methods[k % 3];
        failures += survives(analyse, &a) + survives(new_solver, &a) + survives(objective, &a);
    }
    print_message("%d failures survived\n", failures);
    assert_true(failures > 100);
}

static double value(void *user, const double *const *x) { return (void)user, x[0][0] * x[0][0]; }
static void grad(void *user, const double *const *x, int i, double *g)
{
    (void)user;
    if (i == 0) g[0] += 2 * x[0][0];
}

static void unconstrained_problems(void **state)
{
    const crease_method methods[] = { CREASE_METHOD_PROX_BCD, CREASE_METHOD_GCG };
    const double hull[] = { 1, 2, 3 }, matrix[] = { 2, 1, 0, 1, 2, 1, 0, 1, 2 };
    const double *const matrices[] = { matrix };
    const int zero = 0;
    const crease_space space[] = { crease_vector(3), crease_vector(3) };
    const crease_set sets[] = { crease_permutahedron(hull), crease_simplex(1) };
    const crease_block block[] = { { .set = &sets[0] }, { .set = &sets[1] } };
    const crease_block free[] = { { .reg = crease_l1(1) }, { .name = "second" } };
    const crease_quadratic_data q = { 1, &zero, &zero, matrices, NULL, 0 };
    const crease_callback_smooth own = { .value = value,
                                         .grad = grad,
                                         .constants = { .L = 2, .M = 2 } };
    const crease_distance_data near = { 0, 1, 1, NULL };
    const crease_smooth term[] = { crease_quadratic(&q), crease_squared_distance(&near),
                                   crease_smooth_callback(&own) };
    const crease_smooth_list f = { 3, term };
    int failures = 0;
    (void)state;
    for (int k = 0; k < 3; k++) {
        sample a = { k == 1 ? "gcg" : "bcd",
                     { 2, space, k < 2 ? block : free, crease_smooth_sum(&f), { 0 }, NULL },
                     options_to(1e-6) };
        a.options.method = methods[k == 1];
        failures += survives(analyse, &a) + survives(new_solver, &a) + survives(objective, &a);
        if (k < 2) failures += survives(certify_gcg, &a);
    }
    print_message("%d failures survived\n", failures);
    assert_true(failures > 60);
}

/* A proof that fails for want of memory is none, nor is a core that cannot begin: the run goes on,
 * or ends without a claim, and leaks nothing. */
static int proofs_survive(const sample *a, crease_outcome proved)
{
    int k = 0;
    for (crease_outcome how = CREASE_NOT_RUN; how != proved; k++) {
        crease_solver *s = solver_for(&a->problem, &a->options);
        allocations_left = k;
        how = crease_solve(s);
        allocations_left = -1;
        assert_true(how == proved || (how != CREASE_STATIONARY && how != CREASE_INFEASIBLE &&
                                      how != CREASE_UNBOUNDED));
        crease_solver_free(s);
        assert_int_equal(allocations_live, 0);
        assert_true(k < 1000);
    }
    return k;
}

static void problems_without_an_answer(void **state)
{
    static const double A[] = { 1, 1, 1, 1, 1, 1 }, b[] = { 1, 2 }, q[] = { -1, 0, 0 };
    const double *const linear[] = { q };
    const crease_quadratic_data line = { 0, NULL, NULL, NULL, linear, 1 };
    const crease_space space = crease_vector(3), rows = crease_vector(2);
    const crease_set box = crease_box(0, 1), half = crease_orthant();
    const crease_block held = { .set = &box, .map = crease_dense(A) }, loose = { .set = &half };
    sample a = { "infeasible", { 1, &space, &held, { .ops = NULL }, rows, b }, options_to(1e-6) };
    const sample u = { "unbounded",
                       { 1, &space, &loose, crease_quadratic(&line), { 0 }, NULL },
                       options_to(1e-6) };
    (void)state;
    a.options.max_iterations = 300;
    int failures = survives(analyse, &a) + proofs_survive(&a, CREASE_INFEASIBLE);
    failures += survives(analyse, &u) + proofs_survive(&u, CREASE_UNBOUNDED);
    print_message("%d failures survived\n", failures);
    assert_true(failures > 60);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(problems_without_an_answer),
        cmocka_unit_test(constrained_problems),
        cmocka_unit_test(unconstrained_problems),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
