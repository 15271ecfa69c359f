/* SPDX-License-Identifier: MIT
 * source.h: where the tensor of robust PCA is: in memory, or in slabs that are brought when they
 * are looked at, for data larger than memory
 *
 *     static bool load(void *user, const crease_slab *slab, double *out, crease_error *e);
 *     ...
 *     crease_source *t = crease_source_function(&shape, load, user, 500e6, false, &e);
 *     crease_rpca *r = crease_rpca_new_on(&settings, NULL, t, &e);       (crease/rpca.h)
 *     ... crease_rpca_free(r); crease_source_free(t);
 *
 * A slab is some 4 million consecutive entries; which ones follows from the shape alone. The answer
 * has the same bits wherever the tensor is, for any memory and any number of threads. A source of a
 * file is in crease/job.h, sources over the ranks of MPI are in crease/mpi.h. */
#ifndef CREASE_SOURCE_H
#define CREASE_SOURCE_H

#include <crease/space.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct crease_source crease_source;

/* A box of the tensor whose entries lie one after the other. */
typedef struct {
    ptrdiff_t index;                  /* of the slab, from 0 on */
    ptrdiff_t first;                  /* its first entry, counted from 0 in row order */
    ptrdiff_t from[CREASE_MAX_ORDER]; /* where it begins, mode by mode */
    crease_space shape;               /* its own: entries first .. first + crease_size - 1 */
} crease_slab;

/* How a tensor of this shape is cut: how many slabs, and slab k; k is one of them. */
CREASE_API ptrdiff_t crease_slabs(const crease_space *shape);
CREASE_API crease_slab crease_slab_of(const crease_space *shape, ptrdiff_t k);

/* In memory: borrowed, never written to. missing, here and below: nan is no observation; without
 * it nan is refused. */
CREASE_API crease_source *crease_source_memory(const crease_space *shape, const double *tensor,
                                               bool missing, crease_error *e);

/* Fills out with the entries of a slab, in row order, every time with the same ones. False, with a
 * sentence in e, when it cannot: then the run ends. */
typedef bool crease_load(void *user, const crease_slab *slab, double *out, crease_error *e);

/* From a function, with so many bytes of memory for slabs. A tensor that fits is loaded at once.
 * Otherwise three slabs at least go through memory; where there is room for more they stay, and the
 * others are loaded anew in every pass, some 17 to 40 of them. 0: the least that keeps all threads
 * busy. The function is called by a thread of the library, never by two at a time, also ahead of
 * need; it and user must be there until the source is freed. */
CREASE_API crease_source *crease_source_function(const crease_space *shape, crease_load *load,
                                                 void *user, double bytes, bool missing,
                                                 crease_error *e);

CREASE_API const crease_space *crease_source_shape(const crease_source *s);

/* Once no handle uses it any more; NULL: nothing to do. */
CREASE_API void crease_source_free(crease_source *s);

#ifdef __cplusplus
}
#endif

#endif
