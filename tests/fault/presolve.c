/* SPDX-License-Identifier: MIT
 * presolve: every reduction, and every kind of map, without memory for some of it says so and
 * leaves nothing behind */
#include "presolve/presolve.h"
#include "support/survive.h"

enum { N = 6, ROWS = 4 };

static double A[ROWS * N], rhs[N];
static int wanted;
static const char *const said[] = { "eliminated", "minimized out", "un-split",
                                    "doubly stochastic" };

static void identity_or_square(crease_block *block, bool square)
{
    block[0] = (crease_block){ .reg = crease_l1(0.1), .map = crease_dense(A) };
    block[1] = (crease_block){ .map = square ? crease_dense(A) : crease_identity(2) };
}

static bool reduce(crease_error *e)
{
    const crease_set set = crease_birkhoff();
    crease_block block[2];
    const bool pair = wanted < 3;
    crease_space space[2] = { crease_vector(N), crease_vector(wanted == 1 ? N : ROWS) };
    crease_distance_data half = { 1, -1, 1, rhs };
    crease_problem p = { .count = 2, .space = space, .block = block };
    p.range = crease_vector(ROWS);
    identity_or_square(block, wanted == 1);
    if (wanted == 2) {
        space[1] = p.range = crease_vector(N - 1);
        half.a = 0;
        block[0] = (crease_block){ .map = crease_finite_difference(0) };
        block[1] = (crease_block){ .reg = crease_l1(1), .map = crease_identity(-1) };
    }
    if (!pair) {
        space[0] = crease_matrix(2, 2);
        block[0] = (crease_block){ .set = &set };
        half.a = 0;
        p.count = 1;
        p.range.order = 0;
    }
    p.f = crease_squared_distance(&half);
    crs_plan *plan = crs_plan_new(&p, 1, true, NULL, e);
    if (plan && plan->count != 1) fail_msg("%s: nothing was reduced", said[wanted]);
    if (plan) assert_non_null(strstr(plan->step[0].text, said[wanted]));
    crs_plan_free(plan);
    return plan;
}

static void every_reduction_survives_a_failing_allocation(void **state)
{
    draws d = { { 72, 1 }, 0 };
    (void)state;
    normals(&d, ROWS * N, 1, A);
    normals(&d, N, 1, rhs);
    for (wanted = 0; wanted < 4; wanted++) survives(reduce, 8);
}

static bool keep_maps(crease_error *e)
{
    const crease_map D = crease_finite_difference(0), twice = crease_map_scaled(2, &D);
    const crease_map maps[] = { crease_dense(A), crease_diagonal(A), twice, crease_wavelet(1) };
    const crease_space dom[] = { crease_vector(N), crease_vector(N), crease_vector(N),
                                 crease_vector(4) };
    const crease_space ran[] = { crease_vector(ROWS), crease_vector(N), crease_vector(N - 1),
                                 crease_vector(4) };
    crs_matrix K;
    for (int k = 0; k < 4; k++) {
        if (!crs_matrix_of_map(&maps[k], &dom[k], &ran[k], &K, e)) return false;
        const bool normed = crs_matrix_norm(&K, NULL, e);
        crs_matrix_free(&K);
        if (!normed) return false;
    }
    return true;
}

static void every_kind_of_map_survives_a_failing_allocation(void **state)
{
    (void)state;
    survives(keep_maps, 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_of_map_survives_a_failing_allocation),
        cmocka_unit_test(every_reduction_survives_a_failing_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
