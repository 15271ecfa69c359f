/* SPDX-License-Identifier: MIT
 * driver: stepping, stopping, limits, memory and repeatability of a run; the last iterate is
 * certified however it ends */
#define _POSIX_C_SOURCE 200809L
#include <time.h>

#include "support/fail_alloc.h"
#include "support/sharing.h"

static void same_run(const crease_solver *a, const crease_solver *b, const crease_problem *p)
{
    const crease_report ra = crease_solver_report(a), rb = crease_solver_report(b);
    assert_int_equal(ra.iterations, rb.iterations);
    assert_int_equal(ra.outcome, rb.outcome);
    assert_int_equal(ra.evaluations, rb.evaluations);
    for (int i = 0; i < p->count; i++)
        assert_memory_equal(crease_solution(a, i), crease_solution(b, i),
                            (size_t)crease_size(&p->space[i]) * sizeof(double));
    assert_true(crease_solver_certificate(a)->worst == crease_solver_certificate(b)->worst);
}

static bool dawdle(const crease_progress *progress, void *user)
{
    const struct timespec pause = { 0, 100000 };
    (void)user;
    if (progress->iteration < 50) nanosleep(&pause, NULL);
    return true;
}

static void steps_are_the_run_and_runs_repeat(void **state)
{
    sharing s;
    const crease_options o = options_to(1e-8);
    (void)state;
    make_sharing(&s, 1, 0);
    crease_solver *a = certified(&s.problem, &o), *b = certified(&s.problem, &o),
                  *c = solver_for(&s.problem, &o), *d = solver_for(&s.problem, &o);
    while (crease_step(c) == CREASE_NOT_RUN) continue;
    crease_solver_callback(d, dawdle, NULL);
    crease_solve(d);
    same_run(a, b, &s.problem);
    same_run(a, c, &s.problem);
    same_run(a, d, &s.problem);
    assert_int_equal(crease_step(c), CREASE_STATIONARY); /* a finished run stays finished */
    same_run(a, c, &s.problem);
    crease_solver_free(a), crease_solver_free(b), crease_solver_free(c), crease_solver_free(d);
}

static bool until_seven(const crease_progress *progress, void *user)
{
    return *(long *)user = progress->iteration, progress->iteration < 7;
}

static bool pull_the_cord(const crease_progress *progress, void *user)
{
    if (progress->iteration == 5) crease_solver_stop(user);
    return true;
}

static void the_caller_can_stop(void **state)
{
    sharing s;
    long seen = -1;
    crease_options o = options_to(1e-12);
    (void)state;
    o.method = CREASE_METHOD_ADMM_G;
    make_sharing(&s, 1, 0);
    crease_solver *a = solver_for(&s.problem, &o), *b = solver_for(&s.problem, &o),
                  *c = solver_for(&s.problem, &o);
    crease_solver_callback(a, until_seven, &seen);
    assert_int_equal(crease_solve(a), CREASE_STOPPED);
    assert_int_equal(crease_solver_report(a).iterations, 7);
    assert_int_equal(seen, 7);
    crease_solver_callback(b, pull_the_cord, b);
    assert_int_equal(crease_solve(b), CREASE_STOPPED);
    assert_int_equal(crease_solver_report(b).iterations, 5);
    crease_solver_stop(c);
    assert_int_equal(crease_solve(c), CREASE_STOPPED);
    assert_true(crease_solver_report(c).iterations <= 1);
    assert_true(crease_solver_certificate(c)->worst < INFINITY);
    crease_solver_free(a), crease_solver_free(b), crease_solver_free(c);
}

static void ends(const crease_problem *p, crease_options o, crease_outcome how, long most)
{
    crease_solver *s = solver_for(p, &o);
    assert_int_equal(crease_solve(s), how);
    assert_in_range(crease_solver_report(s).iterations, 0, most);
    assert_true(crease_solver_certificate(s)->worst < INFINITY);
    crease_solver_free(s);
}

static void limits_end_a_run(void **state)
{
    sharing s;
    const crease_options o = options_to(0);
    (void)state;
    make_sharing(&s, 1, 0);
    for (long most = 0; most < 30; most += 13) {
        crease_options few = o;
        few.max_iterations = most;
        ends(&s.problem, few, CREASE_ITERATION_LIMIT, most);
    }
    for (int k = 0; k < 3; k++) {
        crease_options quick = o;
        quick.max_seconds = (double[]){ 0, 1e-300, 1e-9 }[k];
        ends(&s.problem, quick, CREASE_TIME_LIMIT, 1);
    }
    crease_options cheap = o;
    for (cheap.max_evaluations = 0; cheap.max_evaluations <= 50; cheap.max_evaluations += 25)
        ends(&s.problem, cheap, CREASE_EVALUATION_LIMIT, cheap.max_evaluations + 1);
    cheap = o;
    cheap.theta = 1e-3;
    ends(&s.problem, cheap, CREASE_STOPPED, 1000);
}

static bool keep_least(const crease_progress *progress, void *user)
{
    double *least = user;
    if (progress->worst < *least) *least = progress->worst;
    return true;
}

/* An iteration limit falls where the residual is not at its least; the least one is returned. */
static void the_best_iterate_is_returned(void **state)
{
    sharing s;
    int rises = 0;
    (void)state;
    make_sharing(&s, 2, 0);
    for (long most = 2; most < 120; most++) {
        double least = INFINITY;
        crease_options o = options_to(1e-12);
        o.method = CREASE_METHOD_ADMM_G;
        o.certify_every = 1;
        o.max_iterations = most;
        crease_solver *a = solver_for(&s.problem, &o);
        crease_solver_callback(a, keep_least, &least);
        crease_solve(a);
        assert_true(crease_solver_certificate(a)->worst == least);
        rises += crease_solver_progress(a).worst > least;
        const double *x[] = { crease_solution(a, 0), crease_solution(a, 1), crease_solution(a, 2) };
        double value;
        assert_true(crease_objective(&s.problem, x, &value, NULL));
        assert_true(value == crease_solver_certificate(a)->objective);
        crease_solver_free(a);
    }
    assert_true(rises > 0);
}

static void a_start_outside_is_moved_and_counted(void **state)
{
    const double t[] = { 5, 0.25 }, outside[] = { 7, -7 }, inside[] = { 1, 0 };
    const crease_set box = crease_box(0, 1);
    const crease_space space[] = { crease_vector(2), crease_vector(2) };
    const crease_distance_data near = { 0, 1, 1, t };
    const crease_block block[] = { { .set = &box, .start = outside },
                                   { .set = &box, .start = inside } };
    const crease_problem p = { 2, space, block, crease_squared_distance(&near), { 0 }, NULL };
    crease_options o = options_to(1e-9);
    (void)state;
    o.max_iterations = 0;
    crease_solver *s = solver_for(&p, &o);
    crease_solve(s);
    assert_int_equal(crease_solver_report(s).moved_starts, 1);
    assert_true(crease_solution(s, 0)[0] == 1 && crease_solution(s, 0)[1] == 0);
    assert_true(crease_solution(s, 1)[0] == 1 && crease_solution(s, 1)[1] == 0);
    crease_solver_free(s);
}

static void steps_allocate_nothing(void **state)
{
    const crease_method methods[] = { CREASE_METHOD_ADMM_G, CREASE_METHOD_ADMM_M,
                                      CREASE_METHOD_EXTENSION };
    (void)state;
    for (int k = 0; k < 3; k++) {
        sharing s;
        crease_options o = options_to(0);
        o.method = methods[k];
        make_sharing(&s, 1, 0);
        crease_solver *a = solver_for(&s.problem, &o);
        allocations_left = 1000;
        for (int j = 0; j < 100; j++) assert_int_equal(crease_step(a), CREASE_NOT_RUN);
        assert_int_equal(allocations_left, 1000);
        allocations_left = -1;
        crease_solver_free(a);
        assert_int_equal(allocations_live, 0);
    }
}

static bool seven_iterations(const crease_progress *progress, void *user)
{
    (void)user;
    return progress->iteration < 7;
}

static double worst_after(const crease_options *o, crease_callback *call, crease_outcome *how)
{
    sharing s;
    make_sharing(&s, 1, 0);
    crease_solver *a = solver_for(&s.problem, o);
    crease_solver_callback(a, call, NULL);
    *how = crease_solve(a);
    const double worst = crease_solver_certificate(a)->worst;
    crease_solver_free(a);
    return worst;
}

/* Between two certificates as at one of them. */
static void the_iterate_of_a_stop_is_certified(void **state)
{
    crease_outcome how;
    (void)state;
    for (int k = 0; k < 3; k++) {
        double worst[2];
        for (int rare = 0; rare < 2; rare++) {
            crease_options o = options_to(1e-12);
            o.method = CREASE_METHOD_ADMM_G;
            o.certify_every = rare ? 1000000 : 1;
            if (k == 1) o.max_evaluations = 100;
            if (k == 2) o.theta = 1e-3;
            worst[rare] = worst_after(&o, k == 0 ? seven_iterations : NULL, &how);
            assert_int_equal(how, k == 1 ? CREASE_EVALUATION_LIMIT : CREASE_STOPPED);
        }
        assert_true(worst[0] == worst[1]);
    }
}

static void a_stationary_point_at_a_limit_is_called_so(void **state)
{
    crease_options o = options_to(1e-6);
    crease_outcome how;
    (void)state;
    o.certify_every = 1000000;
    o.max_evaluations = 20000;
    assert_true(worst_after(&o, NULL, &how) <= 1e-6);
    assert_int_equal(how, CREASE_STATIONARY);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_are_the_run_and_runs_repeat),
        cmocka_unit_test(the_caller_can_stop),
        cmocka_unit_test(limits_end_a_run),
        cmocka_unit_test(the_best_iterate_is_returned),
        cmocka_unit_test(a_start_outside_is_moved_and_counted),
        cmocka_unit_test(steps_allocate_nothing),
        cmocka_unit_test(the_iterate_of_a_stop_is_certified),
        cmocka_unit_test(a_stationary_point_at_a_limit_is_called_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
