/* SPDX-License-Identifier: MIT
 * child.h: a file decoded by a library in a child process with limits. The libraries for HDF5, MAT,
 * PNG and TIFF have had dozens of memory faults; here a fault, or a file that asks for too much
 * time or memory, ends the child alone and becomes a sentence. The child may open one file, the one
 * that is read; its limits leave no descriptor for another one or for a socket. It sends what it
 * found through a pipe, and the parent believes nothing of it unchecked.
 *
 * Threads: the child is a copy of the calling thread alone. It allocates and calls the one library,
 * but neither OpenMP nor BLAS, whose workers it lacks. Other threads may be at work meanwhile: what
 * libraries want done before a fork is not done, since OpenBLAS would wait for workers that another
 * thread keeps busy, for ever. A child that was copied while another thread held a lock of the
 * allocator cannot allocate, or cannot free what that thread had; it is ended, and another one
 * made. */
#ifndef CRS_CHILD_H
#define CRS_CHILD_H

#include <unistd.h>

#include "io/formats/io.h"

#if defined(_GNU_SOURCE)
/* fork without what other libraries want done before and after it, where the system has that. */
static inline pid_t crs_fork(void)
{
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 34)
    return _Fork();
#else
    return fork();
#endif
}
#endif

/* In the child: to the parent. All return false when the parent is not to get more, with e.
 *
 * The array that follows, items of `bytes` each in the file. slow: its dimensions in the order in
 * which the items are sent, the slowest first; NULL: row order. Refused: no items, more than fit,
 * more than a thousand times the bytes of the file. */
bool crs_emit_shape(crs_emit *to, const crease_space *s, const int *slow, int bytes,
                    crease_error *e);
bool crs_emit_items(crs_emit *to, ptrdiff_t count, const double *x, crease_error *e);
bool crs_emit_axis(crs_emit *to, int n, const crs_axis *a, crease_error *e);
bool crs_emit_scale(crs_emit *to, double scale, crease_error *e);
bool crs_emit_notice(crs_emit *to, const char *text, crease_error *e);
bool crs_emit_member(crs_emit *to, const crs_inside *m, crease_error *e);

/* Where the array is; its axes and a notice may follow. */
bool crs_emit_place(crs_emit *to, const crs_place *p, crease_error *e);
/* Of a feed: the number of the slab that is asked for, whose items are to follow; false: none is
 * any more. */
bool crs_emit_asks(crs_emit *to, ptrdiff_t *k);

/* What the child may use besides what the size of the file allows. */
typedef struct {
    double seconds, bytes;
    double file_bytes; /* of all files that are read; 0: that of the path */
} crs_limits;

/* In the parent. limits NULL: 5 s and 256 MB. On failure out is empty; e->code is CREASE_CUT where
 * asked->watch or a signal ended it. */
bool crs_child_read(const crs_limits *limits, crs_decode *decode, const crs_input *s,
                    const crs_asked *asked, crs_array *out, crease_error *e);
bool crs_child_list(crs_decode *decode, const crs_input *s, crs_listing *out, crease_error *e);
bool crs_child_place(crs_decode *decode, const crs_input *s, const crs_asked *asked, crs_place *out,
                     crs_array *about, crease_error *e);
/* A file that a library changes; s->what tells it how, and the place is what it emits. */
bool crs_child_change(crs_decode *change, const crs_input *s, crs_place *out, crease_error *e);

#endif
