/* SPDX-License-Identifier: MIT
 * rank_trial.h: is the rank of the paper's instances found by a sweep (rpca_rank.h)? */
#ifndef CRS_RANK_TRIAL_H
#define CRS_RANK_TRIAL_H

#include "study/paper.h"

/* A search that begins with R_CP + ceil(0.2 R_CP) + 2 terms, and one that is told nothing. */
enum { CRS_RANK_FROM, CRS_RANK_FREE, CRS_RANK_SEARCHES };

typedef struct {
    ptrdiff_t rank; /* recommended */
    int fits;       /* rows of the table */
    long readings;  /* of the tensor */
    double seconds;
} crs_rank_trial;

ptrdiff_t crs_rank_trial_from(const crs_paper_row *row);

/* Instances 0 .. count-1 of a row, several at a time; out has count rows of CRS_RANK_SEARCHES. */
bool crs_rank_trials(const crs_paper_row *row, uint64_t seed, int count, int threads,
                     crs_rank_trial *out, crease_error *e);

#endif
