/* SPDX-License-Identifier: MIT
 * reduced.h: Newton's method on factors Y while the rows of one mode are eliminated
 *
 * F(Y) is the least value over the rows X of that mode. How rows are found, and where, is the
 * engines' business: tall/, long/ and observed/ solve them in a pass over the data and have
 * products with the Hessian by another. */
#ifndef CRS_REDUCED_H
#define CRS_REDUCED_H

#include "core/core.h"

/* What is known at a point; g NULL: nothing. */
typedef struct {
    double value, squares; /* F and sum s^2, in units of 2c */
    const double *g;       /* dF/dY */
} crs_reduced_at;

typedef struct {
    void *self;
    ptrdiff_t size; /* of Y */
    int most_cg, most_halvings;
    double forcing_least, forcing_most; /* of |r|_{P^-1}/|g|_{P^-1} when a direction is done */
    double *d, *r, *z, *p, *hp;         /* room for five such vectors; d is the direction */
    bool (*prepare)(void *self);        /* P at the point; false: there is none */
    double (*precondition)(const void *self, const double *r, double *z); /* z = P^-1 r; r'z */
    void (*multiply)(void *self, const double *p, double *hp);            /* H p at the point */
    crs_reduced_at (*solve)(void *self, double t); /* what is known at Y + t d */
    void (*accept)(void *self);                    /* that becomes the point */
    bool (*over)(const void *self);                /* no more passes */
} crs_reduced;

/* One step from a point with g'P^-1 g = norm: conjugate gradients, halved until F descends. False:
 * there was none, or passes are over. */
bool crs_reduced_step(const crs_reduced *s, crs_reduced_at *at, double norm);

/* Steps while g'P^-1 g is more than fall^2 of what it was; is the point another one now? */
bool crs_reduced_descend(const crs_reduced *s, crs_reduced_at at, int steps, double fall);

/* The preconditioner of Y = (Y_m), one factor for each of `count` modes: of row j of Y_m
 *     P = h_mj G_m + ridge I,   G_m = L o the Hadamard product over k != m of Y_k'diag(h_k)Y_k/sum
 * h_k, which is what the entries of j would yield were the indices of the modes independent. */
typedef struct {
    int count;
    ptrdiff_t rank, stride;   /* rows of Y are `stride` numbers, of which `rank` count */
    const ptrdiff_t *rows;    /* of the modes */
    const ptrdiff_t *before;  /* indices of the modes before */
    const double *y, *weight; /* Y, and h of every index */
    const double *lead;       /* L, rank x rank: X'X weighed as h are */
    double ridge;
    double *mean, *basis; /* count x rank x rank: means, and eigenvectors of G_m */
    double *value;        /* count x rank: its eigenvalues */
    double *small;        /* rank x rank and the scratch of crs_eigh */
} crs_reduced_modes;

bool crs_reduced_modes_prepare(const crs_reduced_modes *s);
double crs_reduced_modes_precondition(const crs_reduced_modes *s, const double *r, double *z);

/* X'diag(h)X / sum h of rows of `stride` numbers */
void crs_reduced_mean(ptrdiff_t rank, ptrdiff_t stride, ptrdiff_t rows, const double *x,
                      const double *h, double *out);

#endif
