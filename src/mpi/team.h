/* SPDX-License-Identifier: MIT
 * team.h: the ranks of MPI as a team that looks at slabs (slab/slab.h) */
#ifndef CRS_MPI_TEAM_H
#define CRS_MPI_TEAM_H

#include <mpi.h>

#include "slab/slab.h"

/* Collective: the communicator is duplicated, and lives until the team is closed. MPI ends all
 * ranks where one of them cannot be reached. */
typedef struct {
    crs_team team;
    MPI_Comm world;
} crs_mpi_team;
void crs_mpi_team_open(crs_mpi_team *t, MPI_Comm comm, int instructions); /* of this rank */
void crs_mpi_team_close(crs_mpi_team *t);

#endif
