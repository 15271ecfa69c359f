/* SPDX-License-Identifier: MIT
 * flat.h: Gauss-Newton equations in the factors of a matrix of low rank */
#ifndef CRS_FLAT_H
#define CRS_FLAT_H

#include "core/core.h"

enum { CRS_FLAT_ORDER = 1500 }; /* the largest system */

/* W: the curvature of f in every entry of the m x n matrix, >= 0. */
typedef struct {
    ptrdiff_t m, n, k;
    const double *U, *Vt;
    double *W;
    double *left, *right, *gl, *gr; /* a x k and b x k, a = min(m,n), b = max(m,n) */
    double *pieces, *y;             /* b x k x k, a x k */
    double *S;                      /* of order a k */
    void *memory;
} crs_flat;

bool crs_flat_open(crs_flat *f, ptrdiff_t m, ptrdiff_t n, crease_error *e);
void crs_flat_close(crs_flat *f);

/* Does a rank fit? */
bool crs_flat_fits(const crs_flat *f, ptrdiff_t k);

/* The equations at the factors U (m x k) and Vt (k x n), which are borrowed. False: they are not
 * safely definite. */
bool crs_flat_factor(crs_flat *f, ptrdiff_t k, const double *U, const double *Vt,
                     const double *shift);

/* xi = U dA + dB V' for the dA, dB that minimize
 *     <G, xi> + (1/2) sum_ij W_ij xi_ij^2 + (1/2) sum_p shift_p (|row p of dA|^2 + |column p of
 * dB|^2). xi may be G. */
void crs_flat_solve(crs_flat *f, const double *G, double *xi);

#endif
