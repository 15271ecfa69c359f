/* SPDX-License-Identifier: MIT
 * paper.h: the experiment of Jiang, Lin, Ma, Zhang 2019, section 5
 *
 * The recipe: instances of cp_generate.c; alpha = 2/sqrt(max I_n), alpha_N = 1; X_n^0 ~ N(0,1),
 * Z^0 = 1, E^0 = B^0 = Lambda^0 = 0; the order X_1, X_2, X_3, E, Z, B, Lambda; at most 2000
 * iterations. R is R_CP in table 1, R_CP + 1 in table 2, R_CP + ceil(0.2 R_CP) in table 3.
 * Tables 1 and 2 have the same instances, as the paper's own have: its errors of BCD agree there
 * to four digits. */
#ifndef CRS_PAPER_H
#define CRS_PAPER_H

#include <crease/rpca_tools.h>

#include "rpca/fused/fused.h"

enum { CRS_PAPER_TABLES = 3, CRS_PAPER_ROWS = 9, CRS_PAPER_INSTANCES = 20, CRS_PAPER_MOST = 2000 };

#define CRS_PAPER_METHOD_LIST(X)                                                                   \
    X(ADMM_G, "admm-g", "proximal ADMM-g")                                                         \
    X(ADMM_M, "admm-m", "proximal ADMM-m")                                                         \
    X(BCD, "bcd", "BCD")                                                                           \
    X(PROX_BCD, "prox-bcd", "proximal BCD")

typedef enum {
#define X(id, name, title) CRS_PAPER_##id,
    CRS_PAPER_METHOD_LIST(X)
#undef X
        CRS_PAPER_METHODS
} crs_paper_method;

const char *crs_paper_name(crs_paper_method m);  /* "prox-bcd" */
const char *crs_paper_title(crs_paper_method m); /* "proximal BCD" */

/* Tables and rows count from 1. */
typedef struct {
    int table, row;
    crease_space shape;
    ptrdiff_t true_rank, rank;
} crs_paper_row;

/* Means over the instances, and how many have an error below 0.01. */
typedef struct {
    double iterations, error;
    int successes, instances;
} crs_paper_figures;

/* As printed, and as an earlier independent program measured, by the stated recipe and calibrated.
 */
typedef struct {
    crs_paper_figures printed, earlier, earlier_calibrated;
} crs_paper_cell;

crs_paper_row crs_paper_row_at(int table, int row);
crs_paper_cell crs_paper_cell_at(int table, int row, crs_paper_method method);

typedef struct {
    bool calibrated; /* outliers in 0.005 of the entries, stop at |dx| < 1e-6 |x|; otherwise in
                        0.001, stop at theta_k < 1e-6 */
    bool generic;    /* Z^0 ~ N(0,1) */
    uint64_t seed;
} crs_paper_recipe;

/* Parameters of a method on a row; one thread. */
crs_cp_settings crs_paper_settings(const crs_paper_row *row, crs_paper_method method);

typedef struct {
    long iterations;
    bool stopped;          /* by the rule, not by the limit */
    double error, error_z; /* |[[X]] - Z^true|/|Z^true| and |Z - Z^true|/|Z^true| */
    ptrdiff_t gram_rank;   /* of X_1'X_1 o X_2'X_2 at the end */
} crs_paper_outcome;

/* What an instance of a row is drawn from. */
crease_cp_recipe crs_paper_instance(const crs_paper_row *row, const crs_paper_recipe *r,
                                    int instance);

/* Instances 0 .. count-1, several at a time; out does not depend on the number of threads. */
bool crs_paper_runs(const crs_paper_row *row, const crs_paper_recipe *r, crs_paper_method method,
                    int count, int threads, crs_paper_outcome *out, crease_error *e);

static inline bool crs_paper_success(const crs_paper_outcome *o) { return o->error < 0.01; }

#endif
