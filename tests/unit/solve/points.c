/* SPDX-License-Identifier: MIT
 * points: of several starts the lowest certified point is the answer, the same every time, within
 * limits that hold over all of them */
#include "support/solving.h"

enum { N = 6, DATA = 8 };

typedef struct {
    double K[DATA * N], y[DATA];
    crease_map design, row;
    int block;
    crease_predictor u;
    crease_space space;
    crease_set box;
    crease_block blocks[1];
    crease_problem p;
} example;

static const double ones[N] = { 1, 1, 1, 1, 1, 1 }, far = 100;

/* (1/2)|K x - y|^2 + r(x), columns alike so that there are several points to stop at. */
static void make(draws *d, example *s, crease_reg r)
{
    double common[DATA];
    gaussians(d, DATA, common);
    gaussians(d, DATA * N, s->K);
    for (int k = 0; k < DATA * N; k++) s->K[k] += 2 * common[k / N];
    gaussians(d, DATA, s->y);
    for (int i = 0; i < DATA; i++) s->y[i] += 2 * s->K[i * N] - 2 * s->K[i * N + 1];
    s->design = crease_dense(s->K);
    s->block = 0;
    s->u = (crease_predictor){ .count = 1, .block = &s->block, .map = &s->design, .rhs = s->y };
    s->u.range = crease_vector(DATA);
    s->space = crease_vector(N);
    s->blocks[0] = (crease_block){ .reg = r };
    s->p = (crease_problem){ .count = 1, .space = &s->space, .block = s->blocks };
    s->p.f = crease_least_squares(&s->u);
}

/* min (1/2)|K x - y|^2 over x with this support, by coordinate descent. */
static double least_squares_on(const example *s, int support)
{
    double x[N] = { 0 }, u[DATA];
    for (int sweep = 0; sweep < 20000; sweep++) {
        double most = 0;
        residual_of(DATA, N, s->K, s->y, x, u);
        for (int j = 0; j < N; j++) {
            double a = 0, g = 0;
            if (!(support >> j & 1)) continue;
            for (int i = 0; i < DATA; i++) a += s->K[i * N + j] * s->K[i * N + j];
            for (int i = 0; i < DATA; i++) g += s->K[i * N + j] * u[i];
            for (int i = 0; i < DATA; i++) u[i] -= g / a * s->K[i * N + j];
            x[j] -= g / a;
            most = fmax(most, fabs(g / a));
        }
        if (most < 1e-13) break;
    }
    return residual_of(DATA, N, s->K, s->y, x, u) / 2;
}

static double lowest_of_all(const example *s, double lambda)
{
    double least = INFINITY;
    for (int support = 0; support < 1 << N; support++) {
        const double F =
            least_squares_on(s, support) + lambda * (double)__builtin_popcount((unsigned)support);
        if (F < least) least = F;
    }
    return least;
}

/* What the solver lists agrees with what it shows. */
static void check_points(const crease_solver *s, const example *of)
{
    const double *const x[] = { crease_solution(s, 0) },
                        F = crease_solver_certificate(s)->objective;
    double value, least = INFINITY;
    long iterations = 0;
    for (int k = 0; k < crease_point_count(s); k++) {
        const crease_point p = crease_point_at(s, k);
        if (p.outcome == CREASE_STATIONARY && p.objective < least) least = p.objective;
        iterations += p.iterations;
    }
    assert_true(crease_objective(&of->p, x, &value, NULL));
    assert_close(value, F, 1e-12);
    assert_true(F >= least && F <= least + 2e-6 * fabs(least));
    assert_int_equal(iterations, crease_solver_report(s).iterations);
}

static void the_lowest_certified_point_is_the_answer(void **state)
{
    enum { CASES = 60 };
    const double lambda = 1.5;
    draws d = { { 31, 1 }, 0 };
    int first = 0, several = 0, differ = 0;
    (void)state;
    for (int k = 0; k < CASES; k++) {
        example s;
        crease_options o = options_to(1e-8);
        make(&d, &s, crease_l0(lambda));
        const double least = lowest_of_all(&s, lambda), one = objective_of(&s.p, &o);
        o.starts = 12;
        crease_solver *r = certified(&s.p, &o);
        const double F = crease_solver_certificate(r)->objective;
        check_points(r, &s);
        assert_in_range(crease_point_count(r), 12, 13);
        assert_true(F >= least - 1e-6 * least && F <= one + 1e-6 * one);
        first += one <= least + 1e-6 * least;
        several += F <= least + 1e-6 * least;
        for (int j = 1; j < crease_point_count(r); j++)
            if (fabs(crease_point_at(r, j).objective - one) > 1e-3) {
                differ++;
                break;
            }
        crease_solver_free(r);
    }
    print_message(
        "global minimum by the given start %d, by 12 starts %d of %d; several points %d\n", first,
        several, CASES, differ);
    assert_true(several > first && differ > CASES / 2);
}

static void the_points_are_those_of_the_seed(void **state)
{
    draws d = { { 32, 1 }, 0 };
    example s;
    crease_options o = options_to(1e-8);
    int differ = 0;
    (void)state;
    make(&d, &s, crease_mcp(1.5, 2));
    o.starts = 8;
    crease_solver *a = certified(&s.p, &o), *b = certified(&s.p, &o);
    o.seed = 7;
    crease_solver *c = certified(&s.p, &o);
    assert_int_equal(crease_point_count(a), crease_point_count(b));
    for (int k = 0; k < crease_point_count(a); k++) {
        const crease_point p = crease_point_at(a, k), q = crease_point_at(b, k);
        assert_string_equal(p.start, q.start);
        assert_true(p.objective == q.objective && p.residual == q.residual &&
                    p.iterations == q.iterations && p.method == q.method);
        differ += p.objective != crease_point_at(c, k).objective;
    }
    assert_memory_equal(crease_solution(a, 0), crease_solution(b, 0), N * sizeof(double));
    assert_true(differ > 0);
    crease_solver_free(a), crease_solver_free(b), crease_solver_free(c);
}

static void continuation_ends_at_a_point_of_the_problem_itself(void **state)
{
    draws d = { { 33, 1 }, 0 };
    const double par[] = { 1.5, 2 };
    (void)state;
    for (int k = 0; k < 30; k++) {
        example s;
        crease_options o = options_to(1e-8);
        make(&d, &s,
             k % 3 == 0   ? crease_mcp(par[0], par[1])
             : k % 3 == 1 ? crease_l0(par[0])
                          : crease_lsp(par[0], par[1]));
        o.continuation = 1;
        o.starts = 1 + k % 2;
        crease_solver *r = certified(&s.p, &o);
        check_points(r, &s);
        assert_string_equal(crease_point_at(r, 0).start, "given, led");
        crease_solver_free(r);
    }
}

static bool third(const crease_progress *p, void *user)
{
    (void)p;
    return ++*(int *)user < 3;
}

static void limits_and_requests_hold_over_all_starts(void **state)
{
    draws d = { { 34, 1 }, 0 };
    example s;
    crease_options o = options_to(1e-8);
    int calls = 0;
    (void)state;
    make(&d, &s, crease_l0(1.5));
    o.starts = 1000;
    for (long most = 0; most < 60; most += 7) {
        o.max_iterations = most;
        crease_solver *r = solver_for(&s.p, &o);
        crease_solve(r);
        assert_true(crease_solver_report(r).iterations <= most);
        assert_true(crease_point_count(r) >= 1 && crease_point_count(r) < 1000);
        crease_solver_free(r);
    }
    o.max_iterations = 100000;
    o.max_seconds = 0;
    crease_solver *r = solver_for(&s.p, &o);
    crease_solve(r);
    assert_int_equal(crease_point_count(r), 1);
    crease_solver_free(r);
    o.max_seconds = 1e20;
    r = solver_for(&s.p, &o);
    crease_solver_callback(r, third, &calls);
    crease_solve(r);
    assert_int_equal(calls, 3);
    crease_solver_free(r);
    o.continuation = 1; /* in a stage: what is shown is certified for the problem itself */
    o.max_iterations = 1;
    r = solver_for(&s.p, &o);
    crease_solve(r);
    check_points(r, &s);
    crease_solver_free(r);
}

/* 0 <= x <= 1 with sum x = 100: whatever the start, there is a proof. */
static void a_proof_ends_the_race(void **state)
{
    draws d = { { 35, 1 }, 0 };
    example s;
    crease_options o = options_to(1e-8);
    (void)state;
    make(&d, &s, crease_mcp(1.5, 2));
    s.row = crease_dense(ones);
    s.box = crease_box(0, 1);
    s.blocks[0].set = &s.box;
    s.blocks[0].map = s.row;
    s.p.range = crease_vector(1);
    s.p.rhs = &far;
    o.starts = 5;
    crease_solver *r = solver_for(&s.p, &o);
    assert_int_equal(crease_solve(r), CREASE_INFEASIBLE);
    assert_non_null(crease_separator(r));
    assert_int_equal(crease_point_count(r), 1);
    crease_solver_free(r);
}

static void one_start_lists_no_points_and_several_refuse_new_numbers(void **state)
{
    draws d = { { 36, 1 }, 0 };
    example s;
    crease_options o = options_to(1e-8);
    crease_error e = { CREASE_OK, "" };
    (void)state;
    make(&d, &s, crease_l1(1));
    crease_solver *r = certified(&s.p, &o);
    const double one = crease_solver_certificate(r)->objective;
    assert_int_equal(crease_point_count(r), 0);
    crease_solver_free(r);
    o.starts = 3;
    r = certified(&s.p, &o);
    assert_close(crease_solver_certificate(r)->objective, one, 1e-7); /* convex: all are the same */
    assert_false(crease_solver_update(r, &e));
    assert_non_null(strstr(e.text, "make a new solver"));
    crease_solver_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_lowest_certified_point_is_the_answer),
        cmocka_unit_test(the_points_are_those_of_the_seed),
        cmocka_unit_test(continuation_ends_at_a_point_of_the_problem_itself),
        cmocka_unit_test(limits_and_requests_hold_over_all_starts),
        cmocka_unit_test(a_proof_ends_the_race),
        cmocka_unit_test(one_start_lists_no_points_and_several_refuse_new_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
