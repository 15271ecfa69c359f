/* SPDX-License-Identifier: MIT
 * update: a solver goes on with new numbers in the same matrices, and ends where a new solver does;
 * it may begin with a multiplier */
#include "support/solving.h"

enum { N = 40, DATA = 60, ROWS = 2 };

typedef struct {
    double K[DATA * N], y[DATA], A[ROWS * N], b[ROWS];
    crease_map design;
    int block;
    crease_predictor u;
    crease_space space;
    crease_block blocks[1];
    crease_problem p;
} example;

static void draw(draws *d, example *s, bool constrained)
{
    gaussians(d, DATA * N, s->K);
    gaussians(d, ROWS * N, s->A);
    for (int i = 0; i < DATA; i++)
        s->y[i] = 3 * s->K[i * N] - 2 * s->K[i * N + 5] + 0.3 * normal(d);
    for (int i = 0; i < ROWS; i++) s->b[i] = 1 + i;
    s->design = crease_dense(s->K);
    s->block = 0;
    s->u = (crease_predictor){ .count = 1, .block = &s->block, .map = &s->design, .rhs = s->y };
    s->u.range = crease_vector(DATA);
    s->space = crease_vector(N);
    s->blocks[0] = (crease_block){ .reg = crease_l1(20) };
    s->p = (crease_problem){ .count = 1, .space = &s->space, .block = s->blocks };
    s->p.f = crease_least_squares(&s->u);
    if (!constrained) return;
    s->blocks[0].map = crease_dense(s->A);
    s->p.range = crease_vector(ROWS);
    s->p.rhs = s->b;
}

typedef struct {
    long steps, cold;
} effort;

/* Another run after the numbers of s have changed, against a new solver. */
static effort go_on(crease_solver *s, const example *of, const crease_options *o)
{
    crease_error e = { CREASE_OK, "" };
    if (!crease_solver_update(s, &e)) fail_msg("%s", e.text);
    assert_int_equal(crease_solve(s), CREASE_STATIONARY);
    crease_solver *cold = certified(&of->p, o);
    assert_close(crease_solver_certificate(s)->objective,
                 crease_solver_certificate(cold)->objective, 1e-7);
    assert_true(crease_solver_certificate(s)->worst <= o->eps);
    const effort out = { crease_solver_report(s).iterations,
                         crease_solver_report(cold).iterations };
    crease_solver_free(cold);
    return out;
}

static void a_path_of_penalties_takes_few_steps_a_point(void **state)
{
    const crease_options o = options_to(1e-7);
    draws d = { { 71, 1 }, 0 };
    (void)state;
    for (int k = 0; k < 4; k++) {
        example s;
        effort all = { 0, 0 };
        draw(&d, &s, k % 2);
        crease_solver *r = certified(&s.p, &o);
        for (int j = 0; j < 20; j++) {
            s.blocks[0].reg = crease_l1(20 * pow(0.8, j + 1));
            const effort one = go_on(r, &s, &o);
            all.steps += one.steps;
            all.cold += one.cold;
        }
        print_message("20 points: %ld steps, cold %ld\n", all.steps, all.cold);
        assert_true(all.steps < all.cold);
        crease_solver_free(r);
    }
}

static void new_right_hand_sides_and_data_are_read(void **state)
{
    const crease_options o = options_to(1e-7);
    draws d = { { 72, 1 }, 0 };
    (void)state;
    for (int k = 0; k < 6; k++) {
        example s;
        draw(&d, &s, true);
        crease_solver *r = certified(&s.p, &o);
        for (int j = 0; j < 3; j++) {
            double *changed = j == 0 ? s.b : s.y;
            for (int i = 0; i < (j == 0 ? ROWS : DATA); i++) changed[i] += 0.1 * normal(&d);
            go_on(r, &s, &o);
        }
        crease_solver_free(r);
    }
}

/* (1/2)|u|^2 with K x + u = y: u is eliminated before the run, and again after the update */
static void problems_that_were_reduced_go_on_as_well(void **state)
{
    const crease_options o = options_to(1e-7);
    const crease_distance_data half = { 1, -1, 1, NULL };
    draws d = { { 75, 1 }, 0 };
    example s;
    (void)state;
    draw(&d, &s, false);
    const crease_space space[] = { s.space, crease_vector(DATA) };
    crease_block block[] = { { .reg = crease_l1(20), .map = s.design },
                             { .map = crease_identity(1) } };
    s.p = (crease_problem){ .count = 2, .space = space, .block = block, .range = space[1] };
    s.p.f = crease_squared_distance(&half);
    s.p.rhs = s.y;
    crease_solver *r = certified(&s.p, &o);
    for (int j = 0; j < 5; j++) {
        block[0].reg = crease_l1(15 - 2 * j);
        s.y[j] += 1;
        go_on(r, &s, &o);
    }
    crease_solver_free(r);
}

static void the_multiplier_of_the_answer_ends_the_run_at_once(void **state)
{
    const crease_options o = options_to(1e-6);
    draws d = { { 73, 1 }, 0 };
    crease_error e = { CREASE_OK, "" };
    double x[N], lambda[ROWS];
    example s;
    (void)state;
    draw(&d, &s, true);
    crease_solver *r = certified(&s.p, &o);
    copy(N, crease_solution(r, 0), x);
    copy(ROWS, crease_multiplier(r), lambda);
    crease_solver_free(r);
    s.blocks[0].start = x;
    r = solver_for(&s.p, &o);
    assert_true(crease_solver_begin_at(r, lambda, &e));
    assert_int_equal(crease_solve(r), CREASE_STATIONARY);
    assert_true(crease_solver_report(r).iterations <= 2);
    assert_false(crease_solver_begin_at(r, lambda, &e)); /* too late */
    crease_solver_free(r);
    draw(&d, &s, false);
    r = solver_for(&s.p, &o);
    assert_false(crease_solver_begin_at(r, lambda, &e));
    crease_solver_free(r);
}

static void methods_of_the_paper_refuse(void **state)
{
    crease_options o = options_to(1e-6);
    draws d = { { 74, 1 }, 0 };
    crease_error e = { CREASE_OK, "" };
    example s;
    (void)state;
    draw(&d, &s, false);
    o.method = CREASE_METHOD_PROX_BCD;
    crease_solver *r = certified(&s.p, &o);
    assert_false(crease_solver_update(r, &e));
    assert_int_equal(e.code, CREASE_UNSUPPORTED);
    crease_solver_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_path_of_penalties_takes_few_steps_a_point),
        cmocka_unit_test(new_right_hand_sides_and_data_are_read),
        cmocka_unit_test(problems_that_were_reduced_go_on_as_well),
        cmocka_unit_test(the_multiplier_of_the_answer_ends_the_run_at_once),
        cmocka_unit_test(methods_of_the_paper_refuse),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
