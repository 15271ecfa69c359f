/* SPDX-License-Identifier: MIT
 * lanczos.h: symmetric operators built on one matrix, and their lowest eigenpair */
#ifndef CRS_LANCZOS_H
#define CRS_LANCZOS_H

#include "dense/extreme.h"

/* What a symmetric operator of order n needs: the matrix a (rows x columns), a power of two that
 * brings its entries near 1, and room for rows + columns numbers. */
typedef struct crs_operator crs_operator;
struct crs_operator {
    void (*apply)(const crs_operator *self, const double *x, double *y); /* y = Op x */
    ptrdiff_t n, rows, columns;
    const double *a;
    double scale, *room;
};

enum { CRS_LANCZOS_LEAST = 48 }; /* the order must be larger than this */

/* q becomes a unit vector for the lowest eigenvalue. True: the estimated residual is at most
 * 1e-12 of the norm; false: q is the best vector the budget of steps found. */
ptrdiff_t crs_lanczos_scratch(ptrdiff_t n);
bool crs_lanczos(const crs_operator *op, double *q, double *work);

#endif
