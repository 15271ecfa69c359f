/* SPDX-License-Identifier: MIT
 * cp_slice.h: the robust regression of one slice on the terms of a CP model
 *
 *     F(a) = sum_j phi(t_j - (M a)_j) + (nu/2)|a|^2,  phi(r) = min_e c (r - e)^2 + alpha rho(|e|)
 *
 * phi'(r) = 2c (r - e); phi lies below c (r' - e)^2 + alpha rho(|e|), so that one step of least
 * squares on t - e decreases F for every penalty. */
#ifndef CRS_CP_SLICE_H
#define CRS_CP_SLICE_H

#include "reg/reg.h"
#include "tensor/tensor.h"

typedef struct {
    ptrdiff_t entries, rank;
    const double *m;           /* entries x rank */
    crs_penalty_value penalty; /* alpha rho */
    double c, nu, dead;        /* e = 0 for |r| <= dead */
    bool soft, nonneg;         /* rho is the 1-norm; a >= 0 */
    double *gram;              /* 2c M'M + nu I */
    double *chol;              /* its factor */
    double norm;               /* |M| */
    double *r, *q, *e;         /* entries */
    double *g, *d, *h;         /* rank, rank, rank x rank */
} crs_slice;

/* Everything but r and t; free in any case. m is borrowed. */
bool crs_slice_open(crs_slice *s, crease_error *e);
void crs_slice_close(crs_slice *s);

/* a (in: a start) becomes a stationary point; t is NaN where nothing was observed. r and e are the
 * residual (0 there) and its outliers. Returns the number of iterations. */
int crs_slice_solve(crs_slice *s, const double *t, double *a);

double crs_slice_objective(const crs_slice *s, const double *a);
double crs_slice_gradient(const crs_slice *s, const double *a); /* relative residual */

/* The moves it is made of (cp_slice_steps.c): r, e and g = grad F at a; then Newton's for the
 * 1-norm with exact line search, or one of majorization. They change a only. */
void crs_slice_look(crs_slice *s, const double *t, const double *a);
void crs_slice_newton(crs_slice *s, const double *t, double *a);
void crs_slice_majorize(crs_slice *s, double *a);

#endif
