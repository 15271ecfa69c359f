/* SPDX-License-Identifier: MIT
 * rows.h: many small convex problems with one matrix */
#ifndef CRS_ROWS_H
#define CRS_ROWS_H

#include "composite/composite.h"
#include "core/carve.h"

/* min (1/2) c'Ac - p'c + sum_j rho_j(c_j) on low <= c <= high, for one p after another. */
typedef struct {
    ptrdiff_t n;
    ptrdiff_t most; /* Newton steps for one p; then c stands where it is lower */
    double *A;      /* n x n, symmetric, positive semidefinite */
    double *h;      /* A c - p of the last answer */
    double *U, *d, *low, *high, *side, *step, *column; /* of the free coordinates */
    ptrdiff_t done;                                    /* columns of U that hold */
    ptrdiff_t *free;
} crs_rows;

void crs_rows_carve(crs_rows *q, crs_carver *v);

/* May these n coordinates be such rho: convex, and quadratic on both sides of 0? */
bool crs_rows_take(const crs_coordinate *by, ptrdiff_t n);

/* c, from where it is, to the minimizer or as far as `most` steps lead; returns by how much the
 * slope is off there, at most. */
double crs_rows_minimize(crs_rows *q, const crs_coordinate *by, const double *p, double *c);

#endif
