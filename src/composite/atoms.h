/* SPDX-License-Identifier: MIT
 * atoms.h: a point of a convex set as a convex combination of points of it, with their products */
#ifndef CRS_ATOMS_H
#define CRS_ATOMS_H

#include "composite/composite.h"

/* The entries of v that are not 0, by their places in the long vector, and K v. */
typedef struct {
    ptrdiff_t count, *index;
    double *value, *u;
} crs_atom;

typedef struct {
    const crs_composite *c;
    int block, count, most, known; /* `known` of them have their products of curvature */
    crs_atom **atom;
    double *weight; /* > 0, of sum 1 */
    double *gram;   /* most x most: <v, H w> of atoms v, w */
    double *point, *bent, *whole;
    void *memory;
} crs_atoms;

/* One atom, x (of the whole problem); at most `most` of them. */
bool crs_atoms_open(crs_atoms *a, const crs_composite *c, int block, int most, const double *x);
void crs_atoms_close(crs_atoms *a);

/* All weights times 1 - share, and v (of the block) with the rest: its place; -1: out of memory.
 * Where there are too many the two lightest become one, which leaves the point as it is. */
int crs_atoms_add(crs_atoms *a, const double *v, double share);
/* Without those whose weight is not above 0; the others are scaled to the sum 1. */
void crs_atoms_prune(crs_atoms *a);

/* x_i of the point; d += t v; <g, v>. */
void crs_atoms_point(const crs_atoms *a, double *x);
void crs_atom_spread(const crs_atom *v, double t, double *d);
double crs_atom_dot(const crs_atom *v, const double *g);

/* The products of curvature with h = phi'' a row, 0 in the rows of quadratic forms; `anew`: of all
 * atoms, h being another than before. */
void crs_atoms_bend(crs_atoms *a, const double *h, bool anew);

#endif
