/* SPDX-License-Identifier: MIT
 * own_loss: a loss of one's own, by a value and a gradient; docs/tutorials/own-loss.md explains it
 *
 *     minimize  sum_i log cosh(a_i'x - b_i) + MCP(x),   0 <= x <= 10                          */
#include <math.h>
#include <stdio.h>

#include <crease/crease.h>

enum { ROWS = 6, COLS = 3 };

typedef struct {
    double a[ROWS][COLS], b[ROWS];
} table;

static double residual(const table *t, int i, const double *x)
{
    double sum = -t->b[i];
    for (int j = 0; j < COLS; j++) sum += t->a[i][j] * x[j];
    return sum;
}

/* log cosh u = |u| + log(1 + exp(-2|u|)) - log 2, without overflow */
static double value(void *user, const double *const *x)
{
    double sum = 0;
    for (int i = 0; i < ROWS; i++) {
        const double u = fabs(residual(user, i, x[0]));
        sum += u + log1p(exp(-2 * u)) - log(2.0);
    }
    return sum;
}

/* The gradient in block i (here 0, the only one) is ADDED to g. */
static void gradient(void *user, const double *const *x, int block, double *g)
{
    const table *t = user;
    (void)block;
    for (int i = 0; i < ROWS; i++) {
        const double slope = tanh(residual(t, i, x[0]));
        for (int j = 0; j < COLS; j++) g[j] += slope * t->a[i][j];
    }
}

int main(void)
{
    table t = { { { 1, 0, 2 }, { 0, 1, -1 }, { 2, 1, 0 }, { -1, 2, 1 }, { 0, 0, 1 }, { 1, 1, 0 } },
                { 2.1, 0.1, 4.0, -1.9, 0.2, 40 } }; /* the last row is far off */

    /* Nothing is said of the constants (L = 0): steps are found while running. */
    const crease_callback_smooth mine = { .value = value, .grad = gradient, .user = &t };
    const crease_space space = crease_vector(COLS);
    const crease_set bounds = crease_box(0, 10);
    const crease_block block = { .name = "x", .reg = crease_mcp(0.1, 3), .set = &bounds };
    const crease_problem problem = {
        .count = 1, .space = &space, .block = &block, .f = crease_smooth_callback(&mine)
    };
    const crease_options options = crease_options_default();
    crease_error e;
    crease_solver *solver = crease_solver_new(&problem, &options, &e);
    if (!solver) {
        fprintf(stderr, "%s\n", e.text);
        return 1;
    }
    const crease_outcome outcome = crease_solve(solver);
    printf("%s\n", crease_outcome_text(outcome));
    for (int j = 0; j < COLS; j++) printf("x%d = %.4f\n", j + 1, crease_solution(solver, 0)[j]);
    crease_solver_free(solver);
    return outcome == CREASE_STATIONARY ? 0 : 2;
}
