/* SPDX-License-Identifier: MIT
 * streams.h: which random numbers serve what, so that parts of one seed stay independent */
#ifndef CRS_STREAMS_H
#define CRS_STREAMS_H

#include <crease/random.h>

/* Streams of random numbers under one seed: the part, plus the mode for factors. */
enum {
    CRS_STREAM_FACTOR = 0,
    CRS_STREAM_PLACES = 16,
    CRS_STREAM_OUTLIERS,
    CRS_STREAM_NOISE,
    CRS_STREAM_CORE = 24,
    CRS_STREAM_START = 32,
    CRS_STREAM_Z = 48
};

void crs_normals(uint64_t seed, uint64_t stream, ptrdiff_t n, double *x); /* (random.c) */

#endif
