/* SPDX-License-Identifier: MIT
 * matrix.h: a linear map as it is stored for cores that need more than products with all of it:
 * single columns, entries, the count of its entries */
#ifndef CRS_MATRIX_H
#define CRS_MATRIX_H

#include <crease/map.h>

#include "core/core.h"

typedef enum {
    CRS_SCALAR,   /* scale I */
    CRS_DIAGONAL, /* diag(value) */
    CRS_SPARSE,   /* compressed columns */
    CRS_DENSE,    /* column after column */
    CRS_OPERATOR  /* a map of which only products are known: no columns */
} crs_matrix_kind;

typedef struct {
    crs_matrix_kind kind;
    ptrdiff_t rows, cols;
    double scale;           /* of CRS_SCALAR */
    double *value;          /* cols, entries or rows * cols numbers */
    ptrdiff_t *start, *row; /* of CRS_SPARSE: cols + 1 and start[cols] numbers, rows ascending */
    crease_map map;         /* of CRS_OPERATOR, with its spaces; borrowed */
    crease_space dom, ran;
    double *work;
    double norm; /* a bound or an estimate of |K|_2 (norm.c); NaN: not asked for yet */
    bool proved; /* it is a bound */
} crs_matrix;

/* The matrix of a map: its own kind where the map tells it, written out where that is small, else
 * an operator. */
bool crs_matrix_of_map(const crease_map *A, const crease_space *dom, const crease_space *ran,
                       crs_matrix *out, crease_error *e);
/* rows x cols numbers to be filled in, column after column. */
bool crs_matrix_dense(ptrdiff_t rows, ptrdiff_t cols, crs_matrix *out, crease_error *e);
/* a crease_csr or a list of entries that may repeat; they are added up, zeros are dropped. */
bool crs_matrix_sparse(ptrdiff_t rows, ptrdiff_t cols, ptrdiff_t count, const ptrdiff_t *row,
                       const ptrdiff_t *col, const double *value, crs_matrix *out, crease_error *e);
void crs_matrix_scalar(ptrdiff_t n, double scale, crs_matrix *out);
void crs_matrix_free(crs_matrix *K);

double crs_matrix_entries(const crs_matrix *K); /* multiplications of one product */
static inline bool crs_has_columns(const crs_matrix *K) { return K->kind != CRS_OPERATOR; }
/* Entries are few and known one by one: sparse, diagonal or a multiple of I. */
static inline bool crs_is_sparse(const crs_matrix *K) { return K->kind <= CRS_SPARSE; }

void crs_matrix_apply(const crs_matrix *K, double a, const double *x, double *y);   /* y += a K x */
void crs_matrix_adjoint(const crs_matrix *K, double a, const double *y, double *x); /* x += a K'y */

/* The same with `count` of its columns: y += a K[:,column] d, out[k] += a K[:,column[k]]'y. */
void crs_matrix_apply_columns(const crs_matrix *K, double a, ptrdiff_t count,
                              const ptrdiff_t *column, const double *d, double *y);
void crs_matrix_adjoint_columns(const crs_matrix *K, double a, ptrdiff_t count,
                                const ptrdiff_t *column, const double *y, double *out);

/* out[j] += sum_i h_i K_ij^2, h NULL: ones: the diagonal of K' diag(h) K, which has columns. */
void crs_matrix_squares(const crs_matrix *K, const double *h, double *out);
/* The same of `count` of its columns. */
void crs_matrix_squares_columns(const crs_matrix *K, const double *h, ptrdiff_t count,
                                const ptrdiff_t *column, double *out);
/* Stored entries of column j, for counts of work. */
ptrdiff_t crs_matrix_column_entries(const crs_matrix *K, ptrdiff_t j);
/* Column j, added to y (rows numbers) times a. */
void crs_matrix_column(const crs_matrix *K, double a, ptrdiff_t j, double *y);

/* |K|_2 by 5 to 12 Lanczos steps on the smaller side and 5 percent (Kuczynski, Wozniakowski 1992:
 * below (1 - e) |K|^2 with probability <= 1.648 sqrt(n) exp(-sqrt(e) (2k - 1))), or exactly where
 * it is known: kept in K. *products counts the pairs of products that took; NULL: nobody asks. */
bool crs_matrix_norm(crs_matrix *K, double *products, crease_error *e);

#endif
