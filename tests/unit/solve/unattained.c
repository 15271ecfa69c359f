/* SPDX-License-Identifier: MIT
 * unattained: a run is said to have found no minimizer only when F falls, x has grown a
 * thousandfold since residuals were small, and they no longer fall */
#include "solve/solver.h"

#include "support/solving.h"

enum { N = 3 };

typedef struct {
    double settled, size_before, F_before, worst_before;
} memory;

/* A run that stands at x = start with F = 1 and a residual of 1e-3, and what it remembers. */
static crease_outcome judged(const crease_problem *p, const memory *m, char *note)
{
    const crease_options o = options_to(1e-9);
    crease_solver *s = solver_for(p, &o);
    s->run.now.objective = 1;
    s->run.now.worst = 1e-3;
    s->settled = m->settled;
    s->doubted_size = m->size_before;
    s->doubted_F = m->F_before;
    s->doubted_worst = m->worst_before;
    const crease_outcome how = crs_refute_core(s, false, false);
    snprintf(note, 200, "%s", s->run.report.note);
    crease_solver_free(s);
    return how;
}

static void only_a_point_that_grows_while_F_falls_and_residuals_stay_is_judged(void **state)
{
    const double A[N * N] = { 1, 0, 0, 0, 1, 0, 0, 0, 1 }, start[N] = { 4e4, 0, 0 };
    const int block = 0;
    const crease_map map = crease_dense(A);
    const crease_space space = crease_vector(N);
    const crease_predictor u = { .count = 1, .block = &block, .map = &map, .range = space };
    const crease_block b = { .reg = crease_mcp(1, 2), .start = start };
    const crease_problem p = { .count = 1, .space = &space, .block = &b, .f = crease_cauchy(&u) };
    const memory grows = { 10, 1e4, 2, 1e-3 };
    char note[200];
    (void)state;
    assert_int_equal(judged(&p, &grows, note), CREASE_NO_MINIMIZER);
    assert_non_null(strstr(note, "iterations^2,")); /* 1e4 to 4e4 while they doubled */
    for (int k = 0; k < 5; k++) {
        memory m = grows;
        if (k == 0) m.settled = 0;         /* residuals were never small */
        if (k == 1) m.settled = 100;       /* not a thousand times */
        if (k == 2) m.size_before = 3.9e4; /* it grows no more */
        if (k == 3) m.F_before = 1;        /* F does not fall */
        if (k == 4) m.worst_before = 1e-2; /* residuals fall */
        assert_int_equal(judged(&p, &m, note), CREASE_NOT_RUN);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_a_point_that_grows_while_F_falls_and_residuals_stay_is_judged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
