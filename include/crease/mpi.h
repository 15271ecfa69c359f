/* SPDX-License-Identifier: MIT
 * mpi.h: vectors that are split over the ranks of MPI, and tensors that ranks look at together; of
 * the library crease_mpi, without which nothing here needs MPI
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

#include <crease/source.h>

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

/* Robust PCA over ranks: every rank opens the same tensor, then rank 0 makes the calls of
 * crease/rpca.h, and the others serve, looking at their own slabs, until it ends:
 *
 *     crease_source *t = crease_mpi_file(m, "big.h5:/T", 2e9, false, &e);
 *     if (t && rank > 0) crease_mpi_serve(m, t, &e);
 *     if (t && rank == 0) { ... crease_rpca_new_on(&settings, NULL, t, &e) ... crease_mpi_end(m); }
 *     crease_source_free(t);
 *
 * The answer has the bits of one process with the tensor in memory, for any number of ranks. One
 * source at a time: every rank frees it before it opens another. Opening is collective: NULL on
 * every rank, with the sentence of one that could not. Rank 0 calls from the thread that may call
 * MPI. What fails on one rank ends the run at rank 0, with its sentence; where a rank is killed, or
 * cannot be reached, MPI ends all. */

/* A file that every rank can read, and a function that brings any slab on every rank, each with so
 * many bytes of memory on this rank: as crease_source_file (crease/job.h) and
 * crease_source_function say. A rank looks at consecutive slabs, rank 0 now and then at others. */
CREASE_API crease_source *crease_mpi_file(crease_mpi *m, const char *path, double bytes,
                                          bool missing, crease_error *e);
CREASE_API crease_source *crease_mpi_function(crease_mpi *m, const crease_space *shape,
                                              crease_load *load, void *user, double bytes,
                                              bool missing, crease_error *e);

/* What a rank has in memory: entries first .. first+count-1 of the tensor in row order, after those
 * of the rank before; none with count 0. Borrowed, never written to. Where slabs end elsewhere
 * (crease_slab_of), the rest of a slab is copied from the ranks after it: at most one slab a rank.
 */
CREASE_API crease_source *crease_mpi_part(crease_mpi *m, const crease_space *shape, ptrdiff_t first,
                                          ptrdiff_t count, const double *local, bool missing,
                                          crease_error *e);

/* On ranks other than 0, until rank 0 ends. A rank that frees its source, or closes its handle,
 * without it lets every look of rank 0 fail. */
CREASE_API bool crease_mpi_serve(crease_mpi *m, crease_source *t, crease_error *e);

/* On rank 0, on others nothing: the others serve no more. So does freeing the source, or closing
 * the handle. */
CREASE_API void crease_mpi_end(crease_mpi *m);

#ifdef __cplusplus
}
#endif

#endif
