/* SPDX-License-Identifier: MIT
 * newton: opening Newton's method without memory says so; where a step finds none for its systems,
 * the method still ends stationary */
#include "composite/cores.h"
#include "support/survive.h"

enum { N = 70, ROWS = 80 };
static double K[ROWS * N], rhs[ROWS];

/* Dense and sparse terms: all systems have a turn. */
static bool solve(crease_error *e)
{
    static const int first = 0;
    const crease_map map = crease_dense(K), difference = crease_finite_difference(0);
    crease_predictor p = { .count = 1, .block = &first, .map = &map, .rhs = rhs };
    crease_predictor q = { .count = 1, .block = &first, .map = &difference };
    p.range = crease_vector(ROWS), q.range = crease_vector(N - 1);
    const crease_smooth term[] = { crease_least_squares(&p), crease_least_squares(&q) };
    const crease_smooth_list list = { .count = 2, .term = term };
    const crease_space space = crease_vector(N);
    const crease_block block = { .reg = crease_l1(0.1) };
    crease_problem problem = { .count = 1, .space = &space, .block = &block };
    const double tolerance = 1e-6;
    crs_work work = { 0 };
    problem.f = crease_smooth_sum(&list);
    crs_composite *c = crs_composite_new(&problem, 1, &work, NULL, e);
    const crs_task task = { .c = c, .start = c ? c->start : NULL, .tolerance = &tolerance };
    void *self = c ? crs_core_newton.open(&task, e) : NULL;
    crs_core_state said = CRS_CORE_GOES_ON;
    for (int k = 0; self && k < 10000 && said == CRS_CORE_GOES_ON; k++)
        said = crs_core_newton.step(self);
    if (self) assert_int_equal(said, CRS_CORE_DONE);
    crs_core_newton.close(self);
    crs_composite_free(c);
    return self;
}

static void a_failing_allocation_is_survived(void **state)
{
    draws d = { { 71, 1 }, 0 };
    (void)state;
    normals(&d, ROWS * N, 0.3, K);
    normals(&d, ROWS, 1, rhs);
    survives(solve, 5);
}

/* From the k-th allocation on there is none at all: those of the steps fail, of which nobody is
 * told. */
static void steps_without_memory_are_plain_steps(void **state)
{
    (void)state;
    for (long n = 15; n < 60; n++) {
        crease_error e = { CREASE_OK, "" };
        allocations_left = n, allocations_recover = 0;
        solve(&e);
        assert_true(allocations_live == 0);
    }
    allocations_left = -1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_failing_allocation_is_survived),
        cmocka_unit_test(steps_without_memory_are_plain_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
