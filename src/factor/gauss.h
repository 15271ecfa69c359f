/* SPDX-License-Identifier: MIT
 * gauss.h: the model of a factorization about a point, which reads no data */
#ifndef CRS_GAUSS_H
#define CRS_GAUSS_H

#include "composite/composite.h"
#include "core/carve.h"

/* f(x) = |T - [[X_1, ..., X_d]]|^2 + (ridge/2) sum_n |X_n|^2 near x with slope g:
 *
 *     f(x + d) = f(x) + <g, d> + (1/2) <d, B d>,  B = 2 J'J + (ridge + mu) I,
 *     (J'J d)_i = D_i H_i + X_i sum_{j != i} (D_j'X_j) o G_ij,
 *
 * where G_n = X_n'X_n, H_n is the entrywise product of all of them but G_n and G_ij that of all but
 * G_i and G_j. A product costs 6 (I_1 + ... + I_d) R^2 flops. */
typedef struct {
    const crs_composite *c;
    int order, block[CREASE_MAX_ORDER];
    ptrdiff_t rank, square;                                /* R and R^2 */
    ptrdiff_t dim[CREASE_MAX_ORDER], at[CREASE_MAX_ORDER]; /* X_n is x[at], I_n x R */
    ptrdiff_t lines;                                       /* I_1 + ... + I_d */
    double ridge, mu;
    const double *x, *g;
    double steep[CREASE_MAX_ORDER]; /* 2 lambda_max(H_n) + ridge */
    double *gram, *other, *pair;    /* G_n, H_n, G_ij */

    double *z, *gz, *t, *y, *gy, *w, *d; /* vectors of all coordinates */
    double *free, *low, *high, *bend;    /* 1 or 0; the range of those that are; rho'' >= 0 */
    double *r, *p, *q, *s;               /* of conjugate gradients */
    double *cross, *mixed, *gamma, *room;
    double *inverse,
        **of_line; /* of the free part of 2 H_n + (ridge + mu) I + bend, a row of X_n */
} crs_gauss;

/* Is `rest` such an f, alone, of a constant T, in all blocks, each separable? Then m is filled in
 * but for its memory. */
bool crs_gauss_of(const crs_composite *c, crs_gauss *m);
void crs_gauss_carve(crs_gauss *m, crs_carver *v);

/* About x with slope g, which are borrowed. False: the factors are not finite. */
bool crs_gauss_at(crs_gauss *m, const double *x, const double *g);

/* w, near a minimizer of model + r on the sets; returns by how much that fell. */
double crs_gauss_minimize(crs_gauss *m, double *w);

#endif
