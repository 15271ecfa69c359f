/* SPDX-License-Identifier: MIT
 * cp.h: the check of CP robust PCA, shared by its two files */
#ifndef CRS_VERIFY_CP_H
#define CRS_VERIFY_CP_H

#include <crease/cp_fit.h>

#include "verify/verify.h"

/* Sums of squares over the entries. */
enum {
    CRS_DIST,
    CRS_LAMBDA,
    CRS_SPLIT,
    CRS_GAP,
    CRS_M,
    CRS_Z,
    CRS_E,
    CRS_B,
    CRS_T,
    CRS_FEASIBLE,
    CRS_CP_SUMS
};

/* T, Z, E, B and W of one entry. */
typedef struct {
    double data, split, sparse, noise;
    bool seen;
} crs_cp_entry_read;

typedef struct {
    const crease_cp_claim *c;
    crs_known_reg reg; /* alpha R */
    int split;         /* modes 0 .. split-1 are the rows */
    real sum[CRS_CP_SUMS], lengths;
    double *row[5];
    real *left, *columns, *rows, *collected, *gram, *product;
} crs_cp_check;

/* d + 3 blocks and the constraint (cp.c). */
bool crs_claim_sweep(crs_cp_check *k, crs_finding *block, crs_finding *feasibility,
                     crease_error *e);

#endif
