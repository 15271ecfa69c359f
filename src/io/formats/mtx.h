/* SPDX-License-Identifier: MIT
 * mtx.h: matrices in Matrix Market files */
#ifndef CRS_MTX_H
#define CRS_MTX_H

#include "io/formats/io.h"

/* `array` files are dense, row-major in value; `coordinate` files are compressed sparse rows,
 * entries in the order of the file within a row. All arrays are owned. */
typedef struct {
    bool sparse;
    ptrdiff_t rows, cols;
    double *value;
    ptrdiff_t *start, *col; /* of a sparse one */
} crs_mtx;

/* real or integer, general or symmetric. On failure out is empty. */
bool crs_read_mtx(FILE *f, const char *name, crs_mtx *out, crease_error *e);
void crs_mtx_free(crs_mtx *m);

/* The rows of out, from `count` triples (row, column, value) in any order, mirrored when only the
 * lower triangle is given. */
bool crs_mtx_sort(ptrdiff_t count, const double *triple, bool mirrored, crs_mtx *out,
                  crease_error *e);

/* All entries of a sparse matrix, zeros included. */
bool crs_mtx_expand(const char *name, crs_mtx *m, crease_error *e);

#endif
