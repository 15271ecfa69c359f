/* SPDX-License-Identifier: MIT
 * sharing: two groups of features explain y, one entry of which is wrong by 20; from C
 *
 *     minimize  huber(y - A_1 x_1 - A_2 x_2) + MCP(x_1) + |x_2|_1                          */
#include <math.h>
#include <stdio.h>

#include <crease/crease.h>

enum { ROWS = 8 };

static const double A1[ROWS][3] = { { 1, 0, 2 }, { 0, 1, -1 }, { 2, 1, 0 }, { -1, 2, 1 },
                                    { 0, 0, 1 }, { 1, 1, 0 },  { 0, 2, 0 }, { 1, 0, -1 } };
static const double A2[ROWS][2] = { { -1, 0 }, { 1, 1 },  { 0, -1 }, { 0, 0 },
                                    { 2, 1 },  { 1, -2 }, { -1, 1 }, { 0, 2 } };
static const double y[ROWS] = { 5.1, -1.9, 5.9, -3.2, -3.9, 1.1, 1.8, 23.1 };

int main(void)
{
    /* The parts and what they cost; the builder adds u = y - A_1 x_1 - A_2 x_2. */
    const crease_space space[] = { crease_vector(3), crease_vector(2) };
    const crease_block block[] = {
        { .name = "x1", .reg = crease_mcp(2, 3), .map = crease_dense(A1[0]) },
        { .name = "x2", .reg = crease_l1(1), .map = crease_dense(A2[0]) },
    };
    const crease_sharing_settings settings = {
        .count = 2,
        .space = space,
        .block = block,
        .range = crease_vector(ROWS),
        .y = y,
        .loss = crease_huber_loss(NULL, 1),
    };

    crease_error e;
    crease_options options = crease_options_default();
    options.eps = 1e-8;
    crease_sharing *model = crease_sharing_new(&settings, &e);
    crease_solver *solver =
        model ? crease_solver_new(crease_sharing_problem(model), &options, &e) : NULL;
    if (!solver) {
        fprintf(stderr, "%s\n", e.text);
        crease_sharing_free(model);
        return 1;
    }
    const crease_outcome outcome = crease_solve(solver);
    const double *x1 = crease_solution(solver, 0), *x2 = crease_solution(solver, 1);
    printf("%s\n", crease_solver_analysis(solver)->theorem);
    printf("x1 = %.4f %.4f %.4f\n", x1[0], x1[1], x1[2]);
    printf("x2 = %.4f %.4f\n", x2[0], x2[1]);
    printf("u8 = %.4f\n", crease_solution(solver, 2)[7]);
    const bool right = x1[1] == 0 && x1[2] == 0 && fabs(x1[0] - 3) < 0.5 && fabs(x2[0] + 2) < 0.5;
    crease_solver_free(solver);
    crease_sharing_free(model);
    return outcome == CREASE_STATIONARY && right ? 0 : 1;
}
