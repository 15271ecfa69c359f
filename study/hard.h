/* SPDX-License-Identifier: MIT
 * hard.h: instances harder than the paper's: many and large outliers, a wrong rank, columns that
 * are alike, much noise, order 4 */
#ifndef CRS_HARD_H
#define CRS_HARD_H

#include "study/trial.h"

enum { CRS_HARD_METHODS = 7 };

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

crease_cp_instance *crs_hard_generate(const crs_hard_cell *cell, uint64_t seed, crease_error *e);

/* What is tried on the cells: run() makes the trials of an instance, show() prints those of all
 * instances of a cell or puts them into the document. */
typedef struct crs_hard_suite crs_hard_suite;
struct crs_hard_suite {
    crs_study *s;
    int trials; /* per instance */
    void (*head)(const crs_study *s);
    bool (*run)(const crs_hard_suite *h, uint64_t seed, crs_trial *out, crease_error *e);
    bool (*show)(const crs_hard_suite *h, crease_error *e);
    bool method[CRS_HARD_METHODS]; /* asked for; of the verb hard alone */
    const crs_hard_cell *cell;     /* at present */
    crs_trial *trial;              /* of its instances, `trials` each */
};

/* The cells that were asked for, one after the other. */
bool crs_hard_run(crs_hard_suite *h, crease_error *e);

#endif
