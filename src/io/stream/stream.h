/* SPDX-License-Identifier: MIT
 * stream.h: the tensor of a file as slabs (slab/slab.h): in memory where it fits, otherwise through
 * a ring of slabs that a thread fills ahead of those who take them */
#ifndef CRS_STREAM_H
#define CRS_STREAM_H

#include "io/formats/io.h"
#include "slab/slab.h"

/* Bytes that slabs of this shape need at least: a ring of three. */
double crs_stream_floor(const crease_space *shape, bool missing);

typedef struct {
    const crs_asked *asked; /* NULL: nothing is */
    double bytes;           /* for slabs; INFINITY: as many as there are */
    bool missing;           /* nan is no observation: 0 with a mask */
    int part, parts;        /* of all slabs, this one of so many; parts 0: all */
    crs_array *about;       /* gets shape, axes and notice, to be freed; NULL: not asked for */
} crs_stream_settings;

/* "FILE" or "FILE:INNER". What fits is read at once: then it is in memory, and `whole`. Otherwise
 * slabs are read again at every look, but those for which there is room. NULL with a sentence.
 * To be closed by its ops. */
crs_source *crs_stream_open(const char *path, const crs_stream_settings *s, crease_error *e);

/* Any slabs through a ring (ring.c): load fills `out` with the entries of a slab, on one thread. */
typedef struct {
    crs_partition cut;
    ptrdiff_t first, count; /* slabs */
    double bytes;
    bool missing;
    bool (*load)(void *self, const crs_slab *slab, double *out, crease_error *e);
    void (*close)(void *self); /* also where there will be no ring; NULL: nothing to do */
    void *self;
    crease_watch *stop; /* is stopped before close, so that load ends early; NULL: none */
} crs_ring_settings;
crs_source *crs_ring_open(const crs_ring_settings *s, crease_error *e);

/* Of the entries of all slabs, where those that were not observed are nan, and of the shape: for
 * one slab crs_array_hash of them, otherwise the hash of the hashes of slabs. */
bool crs_source_hash(crs_source *s, int threads, crease_watch *watch, char hash[CRS_HASH],
                     crease_error *e);

#endif
