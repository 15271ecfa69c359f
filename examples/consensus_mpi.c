/* SPDX-License-Identifier: MIT
 * consensus_mpi: agents on the ranks of MPI, with data of their own, agree on one sparse z; from C
 *
 *     minimize  sum_j (1/2)|A_j z - b_j|^2 + MCP(z)        mpirun -np 2 example_consensus_mpi
 *
 * A rank has two agents and never sees the data of others: an iteration adds up two numbers, z's.
 */
#include <math.h>
#include <stdio.h>

#include <crease/crease.h>
#include <crease/mpi.h>

/* z = (2.5, 0) and a little noise */
static void measure(int agent, double A[4], double b[2])
{
    const crease_random r = { 1, (unsigned)agent };
    for (unsigned k = 0; k < 4; k++) A[k] = crease_random_normal(r, k);
    for (unsigned i = 0; i < 2; i++) b[i] = 2.5 * A[2 * i] + 0.1 * crease_random_normal(r, 4 + i);
}

static bool agree(const crease_mpi *m, int rank, crease_error *e)
{
    double A[2][4], b[2][2];
    const ptrdiff_t rows[] = { 2, 2 };
    const double *matrix[] = { A[0], A[1] }, *rhs[] = { b[0], b[1] };
    for (int j = 0; j < 2; j++) measure(2 * rank + j, A[j], b[j]);
    const crease_consensus_settings settings = {
        .agents = 2,
        .size = 2,
        .rows = rows,
        .matrix = matrix,
        .rhs = rhs,
        .reg = crease_mcp(1, 3),
        .comm = crease_mpi_comm(m),
    };
    crease_options options = crease_options_default();
    options.eps = 1e-8;
    crease_consensus *model = crease_consensus_new(&settings, e);
    crease_solver *solver =
        model ? crease_solver_new(crease_consensus_problem(model), &options, e) : NULL;
    const bool found = solver && crease_solve(solver) == CREASE_STATIONARY;
    const double *z = found ? crease_solution(solver, 0) : NULL;
    if (found && rank == 0)
        printf("%s\nz = %.6f %.6f\n", crease_solver_analysis(solver)->theorem, z[0], z[1]);
    const bool right = found && z[1] == 0 && fabs(z[0] - 2.5) < 0.3;
    crease_solver_free(solver);
    crease_consensus_free(model);
    return right;
}

int main(int argc, char **argv)
{
    crease_error e = { CREASE_OK, "" };
    int rank = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    crease_mpi *m = crease_mpi_open(MPI_COMM_WORLD, &e);
    const bool right = m && agree(m, rank, &e);
    if (!right) fprintf(stderr, "rank %d: %s\n", rank, e.text);
    crease_mpi_close(m);
    MPI_Finalize();
    return right ? 0 : 1;
}
