/* SPDX-License-Identifier: MIT
 * newton.h: linear systems of Newton's method on the free coordinates of a composite problem */
#ifndef CRS_NEWTON_H
#define CRS_NEWTON_H

#include "composite/composite.h"

/* A sparse matrix line by line: rows or columns, with indices that ascend. */
typedef struct {
    ptrdiff_t count;          /* of its lines */
    ptrdiff_t *start, *index; /* count + 1 and start[count] numbers */
    double *value;
    ptrdiff_t lines, room; /* for which there is memory */
} crs_lines;
double crs_lines_squares(const crs_lines *a); /* sum of squared counts of entries */
void crs_lines_times(const crs_lines *a, const double *v, double *out);

/* The lower triangle of a sparse symmetric matrix by columns, diagonal entries first (sparse.c). */
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

/* Cholesky factors of such matrices. */
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

/* What the matrices of a term make of it in K'hK. */
typedef enum { CRS_ON_DIAGONAL, CRS_IN_STACK, CRS_IN_FORM, CRS_FULL } crs_role;

/* The free coordinates S and the terms on them (face.c). */
typedef struct {
    crs_composite *c;
    crs_role *role;     /* a term */
    bool dense, opaque; /* is there a dense term, an operator */

    long version;                /* counts the sets S */
    ptrdiff_t n, *S, *column;    /* ascending, and counted from their block */
    ptrdiff_t *first;            /* those of block i are S[first[i]] .. S[first[i+1]-1] */
    ptrdiff_t *place;            /* where a coordinate is in S; -1: it is not free */
    double entries, single;      /* of K_S, and of terms on the diagonal, which it leaves out */
    crs_lines by_column, by_row; /* the stack of sparse terms on S */
    crs_lines form;              /* sparse quadratic forms, Q_SS by columns with their weights */
    double *rows, *block;        /* work */
} crs_face;
crs_face *crs_face_new(crs_composite *c, crease_error *e);
void crs_face_free(crs_face *s);
bool crs_face_set(crs_face *s, ptrdiff_t count, const ptrdiff_t *S); /* false: no memory */
void crs_face_forget(crs_face *s); /* weights of quadratic forms may have changed */
double crs_face_entries(const crs_face *s, crs_role what); /* of such terms on S */
/* u += a K_S d, and g = grad_S of the terms and the linear part at u. Both are counted. */
void crs_face_products(crs_face *s, double a, const double *d, double *u);
void crs_face_slope(crs_face *s, const double *u, double *g);
/* The same of one part: y += a K_S v, out += a K_S'y; y are the rows of its term. Not counted. */
void crs_face_apply(crs_face *s, const crs_term_part *p, double a, const double *v, double *y);
void crs_face_adjoint(crs_face *s, const crs_term_part *p, double a, const double *y, double *out);

/* (K_S'diag(phi'')K_S + diag(curve) + diag(damp)) d = -g on a face, which is borrowed (system.c).
 */
typedef struct crs_system crs_system;
crs_system *crs_system_new(crs_face *f, crease_error *e);
void crs_system_free(crs_system *s);

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

/* q_j = the second derivative of f in coordinate j at u, INFINITY where a map has no columns;
 * `rows` has room for the longest term. */
void crs_curvatures(const crs_composite *c, const double *u, double *rows, double *q);

#endif
