/* SPDX-License-Identifier: MIT
 * scaling: units do not matter to a relative tolerance, nor the order of the blocks */
#include "support/sharing.h"

enum { STEPS = 40 };

/* Data in units of `unit`, the objective in units of `price`: x scales by unit, lambda by
 * price/unit. */
static void scale_sharing(sharing *s, double unit, double price)
{
    for (int i = 0; i < ROWS; i++) s->y[i] *= unit;
    s->loss.weight = price / (unit * unit);
    s->block[0].reg = crease_l1(price / unit);
    s->block[1].reg = crease_l1(0.5 * price / unit);
}

static void same_iterates(crease_method method, double unit, double price, double tolerance)
{
    sharing a, b;
    crease_options o = options_to(1e-12);
    o.method = method;
    o.relative = 1;
    make_sharing(&a, 1, 0);
    make_sharing(&b, 1, 0);
    scale_sharing(&a, 1, 1);
    scale_sharing(&b, unit, price);
    crease_solver *x = solver_for(&a.problem, &o), *y = solver_for(&b.problem, &o);
    for (int k = 0; k < STEPS; k++) assert_int_equal(crease_step(x), crease_step(y));
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < COLS; j++)
            assert_close(crease_solution(y, i)[j] / unit, crease_solution(x, i)[j], tolerance);
    for (int j = 0; j < ROWS; j++)
        assert_close(crease_multiplier(y)[j] * unit / price, crease_multiplier(x)[j], tolerance);
    assert_close(crease_solver_certificate(y)->worst_relative,
                 crease_solver_certificate(x)->worst_relative, tolerance);
    crease_solver_free(x), crease_solver_free(y);
}

/* Powers of two change no rounding; 1e6 changes the last digits only. */
static void units_do_not_matter(void **state)
{
    const crease_method methods[] = { CREASE_METHOD_ADMM_G, CREASE_METHOD_ADMM_M };
    (void)state;
    for (int k = 0; k < 2; k++) {
        same_iterates(methods[k], 0x1p20, 1, 0);
        same_iterates(methods[k], 0x1p-20, 0x1p30, 0);
        same_iterates(methods[k], 1e6, 1, 1e-9);
        same_iterates(methods[k], 1e-6, 1, 1e-9);
        same_iterates(methods[k], 1, 1e6, 1e-9);
        same_iterates(methods[k], 1e6, 1e-6, 1e-9);
    }
}

static void relative_runs_end_alike(void **state)
{
    long iterations[3];
    (void)state;
    for (int k = 0; k < 3; k++) {
        sharing s;
        crease_options o = options_to(1e-6);
        o.relative = 1;
        make_sharing(&s, 3, 0);
        scale_sharing(&s, k == 0 ? 1 : k == 1 ? 1e6 : 1e-6, 1);
        crease_solver *a = solver_for(&s.problem, &o);
        assert_int_equal(crease_solve(a), CREASE_STATIONARY);
        assert_true(crease_solver_certificate(a)->worst_relative <= 1e-6);
        iterations[k] = crease_solver_report(a).iterations;
        crease_solver_free(a);
    }
    assert_int_equal(iterations[0], iterations[1]);
    assert_int_equal(iterations[0], iterations[2]);
}

/* The slack's weight adapts by the same measure as the run ends by. */
static void the_extension_ends_too(void **state)
{
    (void)state;
    for (int k = 0; k < 3; k++) {
        sharing s;
        crease_options o = options_to(1e-6);
        o.relative = 1;
        o.method = CREASE_METHOD_EXTENSION;
        make_sharing(&s, 3, 0);
        scale_sharing(&s, 1, (double[]){ 1, 1e9, 1e-3 }[k]);
        crease_solver *a = solver_for(&s.problem, &o);
        assert_int_equal(crease_solve(a), CREASE_STATIONARY);
        crease_solver_free(a);
    }
}

/* Nothing but the gradient is in the condition of a free block: it is small against what it was,
 * never against itself. */
static void free_blocks_end_too(void **state)
{
    const double units[] = { 1, 1e6, 1e-6 };
    (void)state;
    for (int k = 0; k < 3; k++) {
        sharing s;
        double most = 0;
        const int first = 0;
        const crease_space space = crease_vector(COLS);
        const crease_block block = { .name = "free" };
        crease_options o = options_to(1e-6);
        o.relative = 1;
        make_sharing(&s, 4, 0);
        const crease_map map = crease_dense(s.left);
        const crease_predictor fit = { 1, &first, &map, crease_vector(ROWS), s.y, NULL };
        for (int i = 0; i < ROWS; i++) s.y[i] *= units[k], most += fabs(s.y[i]);
        for (int free = 0; free < 2; free++) { /* exact steps; prox steps */
            const crease_problem p = {
                1,      &space,
                &block, free ? crease_huber_loss(&fit, most) : crease_least_squares(&fit),
                { 0 },  NULL
            };
            crease_solver *a = solver_for(&p, &o);
            assert_int_equal(crease_solve(a), CREASE_STATIONARY);
            assert_true(crease_solver_certificate(a)->worst <= 1e-6 * 12 * most);
            assert_true(crease_solver_report(a).iterations > 0);
            crease_solver_free(a);
        }
    }
}

static void block_order_does_not_matter(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 5; seed++) {
        double value[3];
        for (int turn = 0; turn < 3; turn++) {
            sharing s;
            crease_options o = options_to(1e-9);
            o.method = CREASE_METHOD_ADMM_G;
            make_sharing(&s, seed, turn);
            for (int k = 0; k < 3; k++) /* a convex problem has one minimum */
                if (s.block[k].reg.ops) s.block[k].reg = crease_l1(1);
            crease_solver *a = certified(&s.problem, &o);
            assert_int_equal(crease_solver_analysis(a)->last, 2 - turn);
            value[turn] = crease_solver_certificate(a)->objective;
            crease_solver_free(a);
        }
        assert_close(value[1], value[0], 1e-8);
        assert_close(value[2], value[0], 1e-8);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(units_do_not_matter),         cmocka_unit_test(relative_runs_end_alike),
        cmocka_unit_test(free_blocks_end_too),         cmocka_unit_test(the_extension_ends_too),
        cmocka_unit_test(block_order_does_not_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
