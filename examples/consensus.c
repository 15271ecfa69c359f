/* SPDX-License-Identifier: MIT
 * consensus: three agents with data of their own agree on one sparse z; from C
 *
 *     minimize  sum_j (1/2)|A_j z - b_j|^2 + MCP(z)                                        */
#include <math.h>
#include <stdio.h>

#include <crease/crease.h>

static const double A1[2][2] = { { 2, 1 }, { 0, 1 } }, A2[2][2] = { { 1, -1 }, { 2, 0 } },
                    A3[2][2] = { { 1, 1 }, { 0, 2 } };
static const double b1[2] = { 5.2, 0.3 }, b2[2] = { 2.4, 5.1 }, b3[2] = { 2.3, 0.2 };

int main(void)
{
    const ptrdiff_t rows[] = { 2, 2, 2 };
    const double *matrix[] = { A1[0], A2[0], A3[0] }, *rhs[] = { b1, b2, b3 };
    const crease_consensus_settings settings = {
        .agents = 3,
        .size = 2,
        .rows = rows,
        .matrix = matrix,
        .rhs = rhs,
        .reg = crease_mcp(1, 3),
    };

    crease_error e;
    crease_options options = crease_options_default();
    options.eps = 1e-8;
    crease_consensus *model = crease_consensus_new(&settings, &e);
    crease_solver *solver =
        model ? crease_solver_new(crease_consensus_problem(model), &options, &e) : NULL;
    if (!solver) {
        fprintf(stderr, "%s\n", e.text);
        crease_consensus_free(model);
        return 1;
    }
    const crease_outcome outcome = crease_solve(solver);
    const double *z = crease_solution(solver, 0), *x = crease_solution(solver, 1);
    double apart = 0;
    for (int j = 0; j < 6; j++)
        if (fabs(x[j] - z[j % 2]) > apart) apart = fabs(x[j] - z[j % 2]);
    printf("%s\n", crease_solver_analysis(solver)->theorem);
    printf("z = %.6f %.6f\n", z[0], z[1]);
    printf("the agents differ from z by at most 1e-8: %s\n", apart <= 1e-8 ? "yes" : "no");
    const bool right = z[1] == 0 && fabs(z[0] - 2.5) < 0.1 && apart <= 1e-8;
    crease_solver_free(solver);
    crease_consensus_free(model);
    return outcome == CREASE_STATIONARY && right ? 0 : 1;
}
