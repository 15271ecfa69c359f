/* SPDX-License-Identifier: MIT
 * first_problem: sparse regression by sharing, from C; docs/first-problem.md explains it line by
 * line
 *
 *     minimize    SCAD(x) + (1/2)|u|^2
 *     subject to  A x + u = b                                                              */
#include <stdio.h>

#include <crease/crease.h>

enum { ROWS = 8, COLS = 5 };

static const double A[ROWS][COLS] = {
    { 1, 0, 2, -1, 0 }, { 0, 1, -1, 1, 1 }, { 2, 1, 0, 0, -1 }, { -1, 2, 1, 0, 0 },
    { 0, 0, 1, 2, 1 },  { 1, 1, 0, 1, -2 }, { 0, 2, 0, -1, 1 }, { 1, 0, -1, 0, 2 },
};
static const double b[ROWS] = { 5.1, -1.9, 5.9, -3.2, -3.9, 1.1, 1.8, 3.1 };

static void show(const crease_solver *s)
{
    const crease_analysis *a = crease_solver_analysis(s);
    const crease_certificate *c = crease_solver_certificate(s);
    const crease_report r = crease_solver_report(s);
    printf("%s by %s\n", crease_outcome_text(r.outcome), a->theorem);
    printf("guarantee %s, beta %g, %ld iterations, bound %.3g\n", a->guarantee ? "yes" : "no",
           a->beta, r.iterations, r.bound);
    printf("objective %.6f, |A x + u - b| <= %.1e\n", c->objective, c->feasibility.residual);
    for (int j = 0; j < COLS; j++) printf("x%d = %.6f\n", j + 1, crease_solution(s, 0)[j]);
}

int main(void)
{
    /* The blocks: x with a SCAD penalty and the map A, u with the map I. */
    const crease_space space[] = { crease_vector(COLS), crease_vector(ROWS) };
    const crease_block block[] = {
        { .name = "x", .reg = crease_scad(1, 3.7), .map = crease_dense(A[0]) },
        { .name = "u", .map = crease_identity(1) },
    };

    /* f = (1/2)|u|^2: block 1, without a second block. */
    const crease_distance_data half_square = { .a = 1, .b = -1, .weight = 1 };
    const crease_problem problem = {
        .count = 2,
        .space = space,
        .block = block,
        .f = crease_squared_distance(&half_square),
        .range = crease_vector(ROWS),
        .rhs = b,
    };

    crease_options options = crease_options_default();
    options.eps = 1e-8;
    options.mode = CREASE_MODE_THEORY;

    crease_error e;
    crease_solver *solver = crease_solver_new(&problem, &options, &e);
    if (!solver) {
        fprintf(stderr, "%s\n", e.text);
        return 1;
    }
    const crease_outcome outcome = crease_solve(solver);
    show(solver);
    crease_solver_free(solver);
    return outcome == CREASE_STATIONARY ? 0 : 2;
}
