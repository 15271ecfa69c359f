/* SPDX-License-Identifier: MIT
 * multipliers: whichever allocation fails, the method of multipliers, its reweighted start, a
 * solver that goes on with new numbers and one with several starts say so and leave nothing behind
 */
#include "support/survive.h"

#include "composite/cores.h"

enum { N = 8, M = 3 };

static double A[M * N], b[M] = { 1, -2, 0.5 };
static const crease_space space = { .order = 1, .dim = { N } };

static crease_problem problem_of(crease_block *block, crease_reg r)
{
    for (int k = 0; k < M * N; k++) A[k] = sin(1 + 3.7 * k);
    *block = (crease_block){ .reg = r, .map = crease_dense(A) };
    return (crease_problem){
        .count = 1, .space = &space, .block = block, .range = crease_vector(M), .rhs = b
    };
}

static bool run_core(crease_reg r, crease_error *e)
{
    crease_block block;
    crs_work work = { 0 };
    const crease_problem p = problem_of(&block, r);
    const double eps = 1e-6;
    crs_composite *c = crs_composite_new(&p, 0, &work, NULL, e);
    const crs_task task = {
        .c = c, .tolerance = &eps, .feasible = &eps, .start = c ? c->start : NULL
    };
    void *self = c ? crs_core_multipliers.open(&task, e) : NULL;
    if (self) crs_core_multipliers.step(self);
    if (self) crs_core_multipliers.close(self);
    crs_composite_free(c);
    return self;
}

static bool run_l1(crease_error *e) { return run_core(crease_l1(1), e); }
static bool run_l0(crease_error *e) { return run_core(crease_l0(1), e); }

static bool run_update(crease_error *e)
{
    crease_block block;
    const crease_problem p = problem_of(&block, crease_l1(1));
    const crease_options o = crease_options_default();
    crease_solver *s = crease_solver_new(&p, &o, e);
    bool done = s;
    if (s) {
        crease_solve(s);
        block.reg = crease_l1(0.5);
        done = crease_solver_update(s, e);
        if (done) crease_solve(s);
    }
    crease_solver_free(s);
    return done;
}

static bool run_starts(crease_error *e)
{
    crease_block block;
    const crease_problem p = problem_of(&block, crease_mcp(1, 2));
    crease_options o = crease_options_default();
    o.starts = 4;
    crease_solver *s = crease_solver_new(&p, &o, e);
    if (s && crease_solve(s) == CREASE_STATIONARY)
        assert_true(crease_solver_certificate(s)->worst <= o.eps && crease_point_count(s) > 0);
    crease_solver_free(s);
    return s;
}

static void the_core_survives(void **state)
{
    (void)state;
    survives(run_l1, 3);
    survives(run_l0, 4);
}

/* Within a run that is short of memory the outcome tells; only new and update fail. */
static void an_update_survives(void **state)
{
    (void)state;
    for (long n = 0; n < 400; n++) {
        crease_error e = { CREASE_OK, "" };
        allocations_left = n, allocations_recover = n % 2;
        const bool done = run_update(&e);
        allocations_left = -1;
        assert_true(allocations_live == 0);
        if (!done && e.code == CREASE_OK) fail_msg("allocation %ld failed without a sentence", n);
    }
}

/* A run that finds no memory is left out; the first one's outcome and note tell. */
static void several_starts_survive(void **state)
{
    (void)state;
    for (long n = 0; n < 900; n += n < 200 ? 1 : 7) {
        crease_error e = { CREASE_OK, "" };
        allocations_left = n, allocations_recover = n % 2;
        const bool done = run_starts(&e);
        allocations_left = -1;
        assert_true(allocations_live == 0);
        if (!done && e.code == CREASE_OK) fail_msg("allocation %ld failed without a sentence", n);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_core_survives),
        cmocka_unit_test(an_update_survives),
        cmocka_unit_test(several_starts_survive),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
