/* SPDX-License-Identifier: MIT
 * quadratic.h: shared by the files of the quadratic coupling */
#ifndef CRS_QUADRATIC_H
#define CRS_QUADRATIC_H

#include "smooth/smooth.h"

enum { CRS_QUADRATIC_EIGH = 1500 }; /* the largest Hessian whose eigenvalues are computed */

static inline const double *linear_of(const crease_quadratic_data *q, int i)
{
    return q->linear && i >= 0 && i < q->blocks ? q->linear[i] : NULL;
}

bool crs_quadratic_touches(const crease_smooth *f, int i);

/* g += a (q_i + sum_{j != i} Q_ij x_j) */
void crs_quadratic_cross(const crease_smooth *f, const crease_blocks *b, const double *const *x,
                         int i, double a, double *g);

/* Below, the Hessian is that of block `only`, or of all blocks f touches when only < 0. */

/* Where block i starts in it; i = b->count: its size. */
ptrdiff_t crs_quadratic_offset(const crease_smooth *f, const crease_blocks *b, int only, int i);

/* Adds its rows Q_i,: of block i to a, size(i) x n, or all its rows to a, n x n. */
void crs_quadratic_rows(const crease_smooth *f, const crease_blocks *b, int only, int i,
                        ptrdiff_t n, double *a);
void crs_quadratic_hessian(const crease_smooth *f, const crease_blocks *b, int only, ptrdiff_t n,
                           double *a);

/* Its eigenvalues lie in [low, high]. May allocate. */
bool crs_quadratic_range(const crease_smooth *f, const crease_blocks *b, int only, double *low,
                         double *high, crease_error *e);

/* Entries of its table with files of their own. */
bool crs_quadratic_constants(const crease_smooth *f, const crease_blocks *b, int last,
                             crease_constants *out, double *block, crease_error *e);
bool crs_quadratic_argmin(const crease_smooth *f, const crease_blocks *b, const double *const *x,
                          int i, double h, const double *v, double radius, double *y, double *work);
ptrdiff_t crs_quadratic_argmin_scratch(const crease_smooth *f, const crease_blocks *b);

#endif
