/* SPDX-License-Identifier: MIT
 * main: the program over the ranks of MPI. Rank 0 runs the command as the program of one process
 * does; the others look at slabs when it asks, and all end with its exit code
 *
 * Rank 0 alone hears INT, TERM, USR1 and USR2, which mpirun sends to all: it decides between two
 * looks. */
#include <signal.h>

#include "cli/cli.h"
#include "mpi/team.h"
#include "rpca/rpca.h"

int main(int argc, char **argv)
{
    crs_mpi_team all;
    int given = 0;
    int64_t status = 0;
    signal(SIGUSR1, SIG_IGN); /* until rank 0 listens */
    signal(SIGUSR2, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN); /* a limit on the size of files is a failed write */
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &given);
    crs_mpi_team_open(&all, MPI_COMM_WORLD, crs_instructions());
    if (all.team.rank == 0) {
        status = crs_program(argc, argv, &all.team);
        crs_team_end(&all.team);
    } else {
        signal(SIGINT, SIG_IGN);
        signal(SIGTERM, SIG_IGN);
        crs_program_serve(&all.team);
    }
    all.team.tell(&all, &status, sizeof status);
    crs_mpi_team_close(&all);
    MPI_Finalize();
    return (int)status;
}
