/* SPDX-License-Identifier: MIT
 * cp_sweep.h: least squares over one factor of a CP model at a time */
#ifndef CRS_CP_SWEEP_H
#define CRS_CP_SWEEP_H

#include <crease/smooth.h>

#include "tensor/tensor.h"

/* min |target - [[X]]|^2 + (ridge/2) sum |X_n|^2; target and factors are borrowed. Not to be moved
 * once open. */
typedef struct {
    crease_cp_data data;
    crease_smooth f;
    crease_space space[CREASE_MAX_ORDER];
    crease_blocks blocks;
    int place[CREASE_MAX_ORDER];
    crs_kruskal k;
    double *x[CREASE_MAX_ORDER];
    double *y, *work; /* work serves the operations on k too */
} crs_cp_sweeper;

bool crs_cp_sweeper_open(crs_cp_sweeper *w, const crease_space *shape, ptrdiff_t rank,
                         const double *target, double ridge, double *const *factor,
                         crease_error *e);
void crs_cp_sweeper_close(crs_cp_sweeper *w);

void crs_cp_sweep_mode(crs_cp_sweeper *w, int n); /* X_n, of least norm where many minimize */
void crs_cp_sweep(crs_cp_sweeper *w);             /* every mode in turn */

/* Of a column of a factor of `rank` columns */
double crs_cp_column_norm(ptrdiff_t rows, ptrdiff_t rank, const double *x);

/* Columns of one term get the same norm in every mode; a zero one makes the term zero. */
void crs_cp_balance(const crease_space *s, ptrdiff_t rank, double *const *factor);

#endif
