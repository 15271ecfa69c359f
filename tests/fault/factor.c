/* SPDX-License-Identifier: MIT
 * factor: cores of factorizations and of coupled pairs with an allocation that fails */
#include "composite/cores.h"
#include "support/survive.h"

enum { M = 9, N = 12, R = 1 };

static bool turned(const crs_core *core, const crease_problem *p, crease_error *e)
{
    const double tolerance[] = { 1e-6, 1e-6 };
    crs_work work = { 0 };
    crs_composite *c = crs_composite_new(p, 1, &work, NULL, e);
    if (!c) return false;
    const crs_task task = { .c = c, .start = c->start, .tolerance = tolerance };
    void *self = core->suits(c) ? core->open(&task, e) : NULL;
    for (int k = 0; self && k < 3 && core->step(self) == CRS_CORE_GOES_ON; k++) continue;
    core->close(self);
    crs_composite_free(c);
    return self != NULL;
}

static bool factors(const crs_core *core, const crease_set *set, crease_error *e)
{
    double target[M * N], start[M];
    const crease_factorization_data mf = { 0, 1, -1, target };
    const crease_space space[] = { crease_matrix(M, R), crease_matrix(N, R) };
    const crease_block block[] = { { .set = set, .start = start }, { .reg = crease_l1(0.1) } };
    const crease_problem p = { 2, space, block, crease_matrix_factorization(&mf), { 0 }, NULL };
    for (int j = 0; j < M * N; j++) target[j] = sin((double)j);
    fill(M, 0.1, start);
    return turned(core, &p, e);
}

static bool gauss_newton(crease_error *e) { return factors(&crs_core_gauss_newton, NULL, e); }

static bool variable_projection(crease_error *e)
{
    const crease_set ball = crease_l2_ball(1);
    return factors(&crs_core_variable_projection, &ball, e);
}

static bool alternation(crease_error *e)
{
    double c[M * N];
    const int index[] = { 0, 1 };
    const crease_map map[] = { crease_identity(1), crease_identity(1) };
    const crease_predictor u = {
        .count = 2, .block = index, .map = map, .range = crease_matrix(M, N), .rhs = c
    };
    const crease_space space[] = { crease_matrix(M, N), crease_matrix(M, N) };
    const crease_block block[] = { { .reg = crease_nuclear(0.1) }, { .reg = crease_l1(0.1) } };
    const crease_problem p = { 2, space, block, crease_least_squares(&u), { 0 }, NULL };
    for (int j = 0; j < M * N; j++) c[j] = sin((double)j);
    return turned(&crs_core_alternation, &p, e);
}

static void cores(void **state)
{
    (void)state;
    survives(gauss_newton, 3);
    survives(variable_projection, 4);
    survives(alternation, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(cores) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
