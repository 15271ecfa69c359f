/* SPDX-License-Identifier: MIT
 * cp.h: the check of CP robust PCA, part by part */
#ifndef CRS_VERIFY_CP_H
#define CRS_VERIFY_CP_H

#include <crease/rpca.h>

#include "verify/verify.h"

/* Sums of squares over the entries; CRS_SLOPES: of the numbers that slopes at E != 0 are made of.
 * The penalties of E and of T alone, for the scales. */
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
    CRS_SLOPES,
    CRS_PENALTY,
    CRS_ALONE,
    CRS_CP_SUMS
};

enum { CRS_CP_PARTS = 5, CRS_CP_ROWS = 8 }; /* T, W, Z, E, B; rows that are read at a time */

/* Of a Tucker model (tucker.c), which is checked as the matrix P X_d' of its unfolding. */
typedef struct {
    const crease_cp_claim *c; /* the shape and factors of all modes */
    crease_space ranks;
    const double *core;
    double *front;              /* P, left x R_d */
    real off;                   /* how far that is from the product it is */
    real *room, *spare, *whole; /* left x R_d */
    real *moved, *still;        /* of the largest block */
} crs_cp_core;

/* What some stretches of rows add: CRS_CP_SUMS sums, the square of rows_length, and for every mode
 * of the columns D_(n) M_n, I_n x rank. */
typedef struct {
    ptrdiff_t from, count; /* stretches */
    real *at;
} crs_cp_node;
enum { CRS_CP_NODES = 32 };

typedef struct {
    const crease_cp_claim *c;
    crs_cp_core *core;              /* NULL: CP */
    const crease_cp_entries *list;  /* NULL: rows are read */
    real *listed[CREASE_MAX_ORDER]; /* of a list: D_(n) M_n */
    real off;                       /* how far M may be from the claim's by its factors alone */
    crs_known_reg reg;              /* alpha R */
    int split;                      /* modes 0 .. split-1 are the rows */
    ptrdiff_t batch;                /* rows at a time, <= CRS_CP_ROWS */
    int slower;                     /* 0: the pass as fast as the processor can, 1, 2: not so */
    double *row[CRS_CP_PARTS];
    real *side; /* a row of products of factors */

    /* What a pass over the entries finds, D = M - Z. */
    real sum[CRS_CP_SUMS];
    real rows_length, columns_length; /* of the products of factors on the two sides */
    real *rows;                       /* D times the columns' products, rank for every row */
    ptrdiff_t rows_first;             /* the first that has a place there */
    real *collected;                  /* rank x right: of a stretch, the rows' products times D */
    const real *columns;              /* D_(n) M_n of the modes of the columns, one by one */
    real unit;                        /* how far one operation is off, relative to its result */
    real summing;                     /* a sum of the pass, relative to the size of its terms */
    real tiny;                        /* anything, absolutely, for numbers too small to be normal */

    /* Stretches of rows, whose number follows from the shape, are added up by a tree (share.c). */
    ptrdiff_t stretches;
    crs_cp_node node[CRS_CP_NODES];
    int nodes;
    int64_t *words; /* on their way to another process */

    real *gram, *product;
    real whole; /* D of certificate.h; INFINITY: none */
    real most;  /* the largest norm met */
} crs_cp_check;

/* From the claim alone: the penalty and memory. false: the penalty is not one by entries. */
bool crs_cp_prepare(crs_verifier *v, crs_cp_check *k);

/* The pass over the rows of this process, in double and in long double (cp.inc); false: reading or
 * memory fails. */
typedef bool crs_cp_sweep(crs_verifier *v, crs_cp_check *k, crease_error *e);
crs_cp_sweep crs_cp_sweep_double, crs_cp_sweep_extended;

/* share.c: the stretches of a claim, and the first row of one; those of this process;
 * where a node has column mode n. */
ptrdiff_t crs_cp_stretches(const crease_cp_claim *c);
ptrdiff_t crs_cp_stretch(const crs_cp_check *k, ptrdiff_t s);
ptrdiff_t crs_cp_share(const crs_cp_check *k, int rank);
ptrdiff_t crs_cp_node_mode(const crs_cp_check *k, int n);
bool crs_cp_nodes_open(crs_verifier *v, crs_cp_check *k);

/* A node of zeros for stretch s, NULL: out of memory; then it is added to those before it. */
crs_cp_node *crs_cp_node_begin(crs_verifier *v, crs_cp_check *k, ptrdiff_t s);
void crs_cp_node_end(crs_cp_check *k);

/* Once every process has passed over its rows: rank 0 has all sums. False: one could not. */
bool crs_cp_agree(const crs_cp_check *k, bool well, crease_error *e);
void crs_cp_unite(crs_cp_check *k);

/* The pass over a list (entries.c), in long double; the sizes that its rounding goes by. */
crs_cp_sweep crs_cp_sweep_entries;

/* Everything that follows from a pass: the factors, and a core, then three blocks and the
 * constraint. */
int crs_cp_factors(const crs_cp_check *k);
void crs_cp_find(crs_cp_check *k, crs_finding *block, crs_finding *feasibility);
real crs_cp_model_rounding(const crs_cp_check *k); /* |rounding of M| */
void crs_tucker_find(crs_cp_check *k, crs_finding *block);

/* The verdict on a claim that fits its shape. */
bool crs_cp_judge(crs_cp_check *k, double eps, bool relative, crease_verification *out,
                  crease_error *e);

#endif
