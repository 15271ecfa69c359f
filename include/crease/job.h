/* SPDX-License-Identifier: MIT
 * job.h: the commands of the program, on files that are in memory
 *
 * A job runs `crease rpca`, `crease solve` and every other verb as the program does, by the same
 * words and options, but on this thread: it reads arrays where the caller has them, prints into
 * texts, and leaves its result as arrays and texts in memory. "memory:NAME" is a path of such a
 * file, wherever the verb or a problem file takes one; other paths are files on a disk. Nothing is
 * written to standard output or standard error, and no signal is touched.
 *
 *   crease_job *j = crease_job_new(&e);
 *   crease_job_array(j, "data.npy", &shape, x, &e);
 *   crease_job_run(j, 5, (const char *[]){ "rpca", "memory:data.npy", "--nonneg", "--out",
 *                                          "memory:out" }, &e);
 *
 * It is in the library crease_job, which has all of libcrease and the readers, writers and pages of
 * the program: link one of the two. */
#ifndef CREASE_JOB_H
#define CREASE_JOB_H

#include <crease/map.h>
#include <crease/smooth.h>
#include <crease/source.h>
#include <crease/watch.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct crease_job crease_job;

/* NULL with a sentence when out of memory. A job is of one thread at a time. */
CREASE_API crease_job *crease_job_new(crease_error *e);
CREASE_API void crease_job_free(crease_job *j);

/* Files of the job: an array, borrowed until the job is freed or has another file of this name,
 * and never written to; bytes, which are copied. */
CREASE_API bool crease_job_array(crease_job *j, const char *name, const crease_space *shape,
                                 const double *x, crease_error *e);
CREASE_API bool crease_job_bytes(crease_job *j, const char *name, const void *bytes, size_t count,
                                 crease_error *e);

/* Functions that problem files of the job name: {"callback": {"name": "f", "blocks": ["x"]}} as a
 * coupling, whose functions see the blocks of that list alone, and {"callback": {"name": "A",
 * "shape": [3]}} as a map. Borrowed until the job is freed. */
CREASE_API bool crease_job_smooth(crease_job *j, const char *name, const crease_callback_smooth *f,
                                  crease_error *e);
CREASE_API bool crease_job_map(crease_job *j, const char *name, const crease_callback_map *A,
                               crease_error *e);

/* As crease_watch_look, of every run of the job; and as crease_watch_stop: from a signal handler,
 * a look, a callback or another thread, while it runs. */
CREASE_API void crease_job_look(crease_job *j, crease_look *fn, void *user, double every);
CREASE_API void crease_job_stop(crease_job *j);

/* Runs of the job use at most so many threads; 0: all there are. One for a process that was forked
 * from one that had threads: those are not there in the child. */
CREASE_API void crease_job_threads(crease_job *j, int most);

/* From now on `solve` keeps its solver for the next run of the job, which goes on from there with
 * what was computed of the matrices. The problem file may then differ in its regularizers and sets,
 * and arrays in their entries as crease_solver_update says; otherwise free the job and make
 * another. */
CREASE_API void crease_job_keep(crease_job *j);

/* A command from its verb on. False with a sentence, as the program prints one. */
CREASE_API bool crease_job_run(crease_job *j, int argc, const char *const *argv, crease_error *e);

/* Of the last run: the exit code that the program would end with (docs/reference/exit-codes.md),
 * what it printed, and what it said beside that, a line each. The texts are valid until the next
 * run. */
CREASE_API int crease_job_status(const crease_job *j);
CREASE_API const char *crease_job_output(const crease_job *j);
CREASE_API const char *crease_job_notes(const crease_job *j);

/* The files of the job, given and made. */
typedef struct {
    const char *name;   /* "out/lowrank.npy" */
    crease_space shape; /* of an array; order 0: bytes */
    const double *data;
    const char *bytes; /* followed by a 0 */
    size_t count;
} crease_job_file;
CREASE_API int crease_job_count(const crease_job *j);
CREASE_API crease_job_file crease_job_at(const crease_job *j, int k);

/* The array of a file that the job made is the caller's from now on, to be freed by
 * crease_job_release; the job still reads it. NULL: it has none, or it is the caller's already. */
CREASE_API double *crease_job_take(crease_job *j, const char *name);
CREASE_API void crease_job_release(double *x);

/* A result among the files, by the name of its folder: its certificate gets the sizes and hashes of
 * all files that are in the folder now; save writes all of it to a disk, a folder or where the path
 * ends in .h5 one HDF5 file, whole or not at all, for `crease verify`, with looks. force: an
 * earlier result there may be replaced. load reads the files of a result on a disk into such a
 * folder. */
CREASE_API bool crease_job_seal(crease_job *j, const char *folder, crease_error *e);
CREASE_API bool crease_job_save(crease_job *j, const char *folder, const char *path, bool force,
                                crease_error *e);
CREASE_API bool crease_job_load(crease_job *j, const char *path, const char *folder,
                                crease_error *e);

/* The tensor of a file, "FILE" or "FILE:INNER" as "big.h5:/T", for crease_rpca_new_on; bytes and
 * missing as crease_source_function says. .npy in row order and HDF5 are read slab by slab, other
 * formats as a whole where they fit. A file that changes meanwhile is an error. */
CREASE_API crease_source *crease_source_file(const char *path, double bytes, bool missing,
                                             crease_error *e);

#ifdef __cplusplus
}
#endif

#endif
