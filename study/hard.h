/* SPDX-License-Identifier: MIT
 * hard.h: instances harder than the paper's: many and large outliers, a wrong rank, columns that
 * are alike, much noise, order 4 */
#ifndef CRS_HARD_H
#define CRS_HARD_H

#include "study/trial.h"

typedef struct {
    const char *name;
    crease_space shape;
    ptrdiff_t true_rank, rank;
    double outliers;   /* fraction of the entries */
    double magnitude;  /* their deviation, in deviations of the low-rank part */
    double congruence; /* mean cosine of two columns of a factor */
    double decibel;    /* signal-to-noise ratio */
} crs_hard_cell;

int crs_hard_cells(void);
const crs_hard_cell *crs_hard_cell_at(int k);

/* Penalties of the envelope: by l1 and by three that do not bias; the others take the alpha that
 * the envelope learned. */
#define CRS_HARD_METHOD_LIST(X)                                                                    \
    X(ENVELOPE, "envelope", "envelope")                                                            \
    X(MCP, "mcp", "envelope, MCP")                                                                 \
    X(CAPPED, "capped-l1", "envelope, capped l1")                                                  \
    X(LSP, "lsp", "envelope, LSP")                                                                 \
    X(ADMM_G, "admm-g", "proximal ADMM-g")                                                         \
    X(PROX_BCD, "prox-bcd", "proximal BCD")                                                        \
    X(SQUARES, "least-squares", "least squares")

typedef enum {
#define X(id, name, title) CRS_HARD_##id,
    CRS_HARD_METHOD_LIST(X)
#undef X
        CRS_HARD_METHODS
} crs_hard_method;

crease_cp_instance *crs_hard_generate(const crs_hard_cell *cell, uint64_t seed, crease_error *e);

/* Instance k of a cell by the methods asked for; out has CRS_HARD_METHODS trials. */
bool crs_hard_run(const crs_hard_cell *cell, uint64_t seed, const bool *method, crs_trial *out,
                  crease_error *e);

/* Instances 0 .. count-1, several at a time; out has count rows of CRS_HARD_METHODS. */
typedef struct {
    const crs_hard_cell *cell;
    uint64_t seed;
    const bool *method;
    int count, threads;
} crs_hard_job;
bool crs_hard_runs(const crs_hard_job *j, crs_trial *out, crease_error *e);

#endif
