/* SPDX-License-Identifier: MIT
 * handle.h: the insides of a handle of MPI: comm.c reduces vectors that are split, source.c looks
 * at a tensor together */
#ifndef CRS_MPI_HANDLE_H
#define CRS_MPI_HANDLE_H

#include <crease/mpi.h>

#include "mpi/team.h"

typedef struct {
    crease_mpi *of;
} crs_mpi_door;

struct crease_mpi {
    crease_comm comm;
    crs_mpi_door self;
    MPI_Comm world;
    int rank, size;
    double *room; /* for what another rank gives */
    ptrdiff_t most;
    crease_error why; /* OK: the ranks work together */

    bool joined;           /* the team is open */
    crs_mpi_team team;     /* that looks at slabs */
    crease_source *source; /* NULL: none is open */
    bool ended;            /* nobody looks at it with others any more */
};

/* A tensor of which every rank has a part in memory (part.c): entries first .. first+count-1, after
 * those of the rank before. Collective: NULL on every rank, with the
 * reason of one of them. Shared with the team when it returns. */
typedef struct {
    crease_space shape;
    ptrdiff_t first, count;
    const double *local;
    bool missing;
} crs_mpi_part;
crs_source *crs_mpi_part_open(crs_mpi_team *t, const crs_mpi_part *given, crease_error *e);

/* Did all ranks come so far? If not, the sentence of the least rank that failed is that of all. */
bool crs_mpi_agree(const crs_mpi_team *t, bool done, crease_error *e);

/* Collective: has every rank that has a tensor the shape of rank 0's? False, also where there is
 * none: NULL. */
bool crs_mpi_same_shape(const crs_mpi_team *t, const crease_space *own, crease_error *e);

/* Before a handle is closed: those who wait for this rank are told. */
void crs_mpi_leave(crease_mpi *m);

#endif
