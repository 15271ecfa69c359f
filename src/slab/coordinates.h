/* SPDX-License-Identifier: MIT
 * coordinates.h: the observed entries of a tensor by their indices */
#ifndef CRS_COORDINATES_H
#define CRS_COORDINATES_H

#include <stdint.h>

#include "core/core.h"

/* Those of one index of mode `lead`, the longest, together. */
typedef struct {
    crease_space shape;
    int lead;
    ptrdiff_t count;
    ptrdiff_t *start; /* of each index of mode lead, and the end */
    uint32_t *index;  /* count x (order - 1): of the other modes, in their order */
    double *value;
} crs_coordinates;

/* Are they so few, less than one in four, that a pass over them alone is quicker? By count, never
 * by a clock. */
bool crs_coordinates_suit(const crease_space *shape, ptrdiff_t observed);
/* Of a tensor in memory, w its mask, of which so many entries were observed. Free in any case. */
bool crs_coordinates_open(crs_coordinates *c, const crease_space *shape, const double *t,
                          const unsigned char *w, ptrdiff_t observed, crease_error *e);
void crs_coordinates_close(crs_coordinates *c);
double crs_coordinates_bytes(const crease_space *shape, double observed);
/* Are they so few of so many that nothing of the size of the tensor is made at all? */
bool crs_coordinates_alone(const crease_space *shape, ptrdiff_t observed);
/* From pairs (place in row order, value) in any order, their places below 2^53. Those of one place
 * add up in their order; with `twice` there may be none: it is -1, or a place that comes again, and
 * there is no list then. Free in any case. */
bool crs_coordinates_sort(crs_coordinates *c, const crease_space *shape, ptrdiff_t count,
                          const double *pair, ptrdiff_t *twice, crease_error *e);
/* The place in row order of entry k, which has the index i of the lead mode; at: its indices. */
ptrdiff_t crs_coordinates_place(const crs_coordinates *c, ptrdiff_t i, ptrdiff_t k, ptrdiff_t *at);

#endif
