/* SPDX-License-Identifier: MIT
 * mpi.h: vectors that are split over the ranks of MPI; of the library crease_mpi, without which
 * nothing here needs MPI
 *
 *     crease_mpi *m = crease_mpi_open(MPI_COMM_WORLD, &e);
 *     space.comm = crease_mpi_comm(m);  ...  every rank makes the same calls  ...
 *     crease_mpi_close(m);
 *
 * A sum is added up along a tree that depends on the number of ranks alone, and rank 0 tells the
 * result: it has the same bits on every rank, and from run to run on the same number of ranks, with
 * any MPI and any machines whose arithmetic is that of IEEE 754. Another number of ranks rounds
 * differently. NaN in, NaN out.
 *
 * Every reduction says what it is. Where ranks ask for different ones, where one closes while
 * others go on, or where MPI reports an error, all of them get NaN from then on and nobody waits
 * for anybody: runs end as CREASE_NUMERICAL, and crease_mpi_sound says why. So a rank that fails
 * need only close its handle for the others to end. */
#ifndef CREASE_MPI_H
#define CREASE_MPI_H

#include <mpi.h>

#include <crease/space.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct crease_mpi crease_mpi;

/* Collective, after MPI_Init; the communicator is duplicated. NULL with a sentence on every rank
 * when one of them cannot. One thread at a time may use a handle and what it serves. */
CREASE_API crease_mpi *crease_mpi_open(MPI_Comm comm, crease_error *e);

/* Collective, before MPI_Finalize, when no vector uses it any more. */
CREASE_API void crease_mpi_close(crease_mpi *m);

/* For the comm of spaces; it lives as long as the handle. */
CREASE_API const crease_comm *crease_mpi_comm(const crease_mpi *m);

/* False with a sentence: the ranks no longer work together. Not collective. */
CREASE_API bool crease_mpi_sound(const crease_mpi *m, crease_error *e);

#ifdef __cplusplus
}
#endif

#endif
