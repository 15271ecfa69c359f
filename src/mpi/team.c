/* SPDX-License-Identifier: MIT
 * team: what rank 0 tells, and whole numbers of all ranks: sums have no order, so that any way MPI
 * adds them up gives the same bits */
#include "mpi/team.h"

enum { MOST = 1 << 30 }; /* of one message */

static int piece(ptrdiff_t n, ptrdiff_t at) { return (int)(n - at < MOST ? n - at : MOST); }

static void tell(void *self, void *bytes, ptrdiff_t n)
{
    const crs_mpi_team *t = self;
    for (ptrdiff_t at = 0; at < n; at += MOST)
        MPI_Bcast((char *)bytes + at, piece(n, at), MPI_BYTE, 0, t->world);
}

static void most(void *self, int64_t *v, ptrdiff_t n)
{
    const crs_mpi_team *t = self;
    for (ptrdiff_t at = 0; at < n; at += MOST)
        MPI_Allreduce(MPI_IN_PLACE, v + at, piece(n, at), MPI_INT64_T, MPI_MAX, t->world);
}

static void count(void *self, int64_t *v, ptrdiff_t n)
{
    const crs_mpi_team *t = self;
    const bool leads = t->team.rank == 0;
    for (ptrdiff_t at = 0; at < n; at += MOST)
        MPI_Reduce(leads ? MPI_IN_PLACE : v + at, leads ? v + at : NULL, piece(n, at), MPI_INT64_T,
                   MPI_SUM, 0, t->world);
}

void crs_mpi_team_open(crs_mpi_team *t, MPI_Comm comm, int instructions)
{
    int64_t slowest = instructions;
    MPI_Comm_dup(comm, &t->world);
    MPI_Comm_set_errhandler(t->world, MPI_ERRORS_ARE_FATAL);
    t->team = (crs_team){ .self = t, .tell = tell, .max = most, .count = count };
    MPI_Comm_rank(t->world, &t->team.rank);
    MPI_Comm_size(t->world, &t->team.size);
    most(t, &slowest, 1);
    t->team.instructions = (int)slowest;
}

void crs_mpi_team_close(crs_mpi_team *t) { MPI_Comm_free(&t->world); }
