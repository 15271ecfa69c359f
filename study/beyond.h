/* SPDX-License-Identifier: MIT
 * beyond.h: the instances of the paper's tables by the defaults of this library, given R alone */
#ifndef CRS_BEYOND_H
#define CRS_BEYOND_H

#include "rpca/rpca.h"
#include "study/paper.h"
#include "study/trial.h"

typedef struct {
    crs_paper_row row;
    crs_paper_recipe recipe;
    crease_cp_start start; /* and how it is clipped, as of crease_cp_rpca_settings */
    double clip;
} crs_beyond;

/* Instances 0 .. count-1 of a row, several at a time. */
bool crs_beyond_runs(const crs_beyond *b, int count, int threads, crs_trial *out, crease_error *e);

/* The method of the paper with most successes on a row, then least iterations. */
crs_paper_method crs_beyond_best(const crs_paper_row *row);

#endif
