/* SPDX-License-Identifier: MIT
 * newton.h: linear systems of Newton's method on the free coordinates of a composite problem */
#ifndef CRS_NEWTON_H
#define CRS_NEWTON_H

#include "composite/composite.h"

/* A sparse matrix line by line (stack.c): rows or columns. Zeroed it is empty, with no memory. */
typedef struct {
    ptrdiff_t count;          /* of its lines */
    ptrdiff_t *start, *index; /* count + 1 and start[count] numbers */
    double *value;
    ptrdiff_t lines, room; /* for which there is memory */
} crs_lines;
/* No line, and memory for so many; column j of a sparse a K at the end of the line that is open,
 * its rows counted from `row`; that line is complete and an empty one open. */
bool crs_lines_clear(crs_lines *l, ptrdiff_t lines, ptrdiff_t entries);
void crs_lines_column(crs_lines *l, const crs_matrix *K, double a, ptrdiff_t j, ptrdiff_t row);
void crs_lines_close(crs_lines *l);
void crs_lines_free(crs_lines *l);
/* The same matrix by its `across` other lines; indices ascend. */
bool crs_lines_turn(const crs_lines *a, ptrdiff_t across, crs_lines *out);
double crs_lines_squares(const crs_lines *a); /* sum of squared counts of entries */
void crs_lines_times(const crs_lines *a, const double *v, double *out);

/* The lower triangle of a sparse symmetric matrix by columns, diagonal entries first. */
typedef struct {
    ptrdiff_t n;
    ptrdiff_t *start, *row;
    double *value;
    ptrdiff_t *next, *place; /* work */
} crs_lower;
/* A = sum_i w_i l_i l_i' + more + diag, l_i the lines of `across`, of which `of` has the entries
 * by its own lines; more NULL: 0. False: no memory. */
bool crs_lower_product(crs_lower *A, const crs_lines *of, const crs_lines *across, const double *w,
                       const crs_lines *more, const double *diagonal);
void crs_lower_free(crs_lower *A);

/* Cholesky factors of such matrices (sparse.c). */
typedef struct crs_factor crs_factor;
crs_factor *crs_factor_new(crease_error *e);
void crs_factor_free(crs_factor *f);
/* Ordering and pattern of L; the operations that factorizing takes. INFINITY: no memory for it. */
double crs_factor_analyse(crs_factor *f, const crs_lower *A);
/* A = L L', A of the pattern that was analysed last; false: not positive, or no memory. */
bool crs_factor_make(crs_factor *f, const crs_lower *A);
bool crs_factor_solve(crs_factor *f, double *b); /* b becomes A^{-1} b; false: no memory */

/* H[k][l] += a (K'diag(each)K)[column_k][column_l], l <= k < count, in rows of `count` numbers, K
 * of the term t, each its weights (gram.c). Products of columns are made once and kept in t->gram,
 * one block of memory that crs_free takes back. False: no memory, or the watch is over. */
bool crs_gram_add(crs_composite *c, crs_term *t, double a, ptrdiff_t count, const ptrdiff_t *column,
                  double *H);

/* Preconditioned conjugate gradients for H d = b (cg.c). */
typedef struct {
    void *self;
    void (*times)(void *self, const double *v, double *Hv);
    void (*precondition)(void *self, const double *v, double *Mv);
    double tolerance; /* |b - H d| <= tolerance |b| */
    int steps;
    double *room; /* 4 n numbers */
    crease_watch *watch;
} crs_cg;
/* True: d, or as far as the steps led. False: a direction p with p'Hp <= 0 was met; d is the point
 * before it, or p itself where it was the first. */
bool crs_cg_solve(const crs_cg *cg, ptrdiff_t n, const double *b, double *d);

/* (K_S'diag(phi'')K_S + diag(curve) + diag(damp)) d = -g on the free coordinates S (system.c). */
typedef struct crs_system crs_system;
crs_system *crs_system_new(crs_composite *c, crease_error *e);
void crs_system_free(crs_system *s);
/* S, ascending; factors of the last one are kept if it is the same. False: no memory. */
bool crs_system_set(crs_system *s, ptrdiff_t count, const ptrdiff_t *S);
void crs_system_forget(crs_system *s); /* weights of quadratic forms changed */
/* u += a K_S d */
void crs_system_products(crs_system *s, double a, const double *d, double *u);
/* g = grad_S of the terms and the linear part at u. */
void crs_system_slope(crs_system *s, const double *u, double *g);

typedef struct {
    const double *u;     /* where phi'' is taken */
    const double *curve; /* rho''; where the matrix is not positive, max(rho'', 0) in its place */
    const double *damp;  /* >= 0 */
    const double *g;     /* the right-hand side is -g */
    double tolerance;    /* of conjugate gradients, and their number */
    int steps;
    bool settled; /* S is nearly the last one: a dense factor is worth its price */
} crs_newton_step;
/* False: the watch is over, or no memory: d is not to be used. */
bool crs_system_solve(crs_system *s, const crs_newton_step *step, double *d);

#endif
