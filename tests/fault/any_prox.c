/* SPDX-License-Identifier: MIT
 * any_prox: panoc, tangent and splitting without memory say so and leave nothing behind */
#include "composite/cores.h"
#include "support/survive.h"

enum { ROWS = 6, COLS = 5, N = ROWS * COLS, SEEN = 20 };
static double rhs[N];

static bool run(const crs_core *core, const crease_problem *p, crease_error *e)
{
    const double tolerance[] = { 1e-6, 1e-6 }, feasible = 1e-6;
    crs_work work = { 0 };
    crs_composite *c = crs_composite_new(p, 1, &work, NULL, e);
    crs_task task = { .c = c, .start = c ? c->start : NULL, .tolerance = tolerance };
    if (core->constrained) task.feasible = &feasible;
    void *self = c ? core->open(&task, e) : NULL;
    crs_core_state said = CRS_CORE_GOES_ON;
    for (int k = 0; self && k < 10000 && said == CRS_CORE_GOES_ON; k++) said = core->step(self);
    if (self) assert_int_equal(said, CRS_CORE_DONE);
    core->close(self);
    crs_composite_free(c);
    return self;
}

/* A matrix of which some entries are seen. */
static bool complete(const crs_core *core, crease_error *e)
{
    static const int first = 0;
    ptrdiff_t index[SEEN];
    for (int i = 0; i < SEEN; i++) index[i] = (i * 7) % N;
    const crease_index_list list = { .count = SEEN, .index = index };
    const crease_map map = crease_selection(&list);
    crease_predictor u = { .count = 1, .block = &first, .map = &map, .rhs = rhs };
    u.range = crease_vector(SEEN);
    const crease_space space = crease_matrix(ROWS, COLS);
    const crease_block block = { .reg = crease_nuclear(0.2) };
    crease_problem p = { .count = 1, .space = &space, .block = &block };
    p.f = crease_least_squares(&u);
    return run(core, &p, e);
}

static bool by_panoc(crease_error *e) { return complete(&crs_core_panoc, e); }
static bool by_tangent(crease_error *e) { return complete(&crs_core_tangent, e); }

static bool by_splitting(crease_error *e)
{
    const crease_space spaces[] = { crease_matrix(ROWS, COLS), crease_matrix(ROWS, COLS) };
    const crease_block blocks[] = { { .reg = crease_nuclear(1), .map = crease_identity(1) },
                                    { .reg = crease_l1(0.5), .map = crease_identity(1) } };
    const crease_problem p = {
        .count = 2, .space = spaces, .block = blocks, .range = crease_matrix(ROWS, COLS), .rhs = rhs
    };
    return run(&crs_core_splitting, &p, e);
}

static void a_failing_allocation_is_survived(void **state)
{
    draws d = { { 81, 1 }, 0 };
    (void)state;
    normals(&d, N, 1, rhs);
    survives(by_panoc, 4);
    survives(by_tangent, 6);
    survives(by_splitting, 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(a_failing_allocation_is_survived) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
