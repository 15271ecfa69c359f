/* SPDX-License-Identifier: MIT
 * cp_rank_judge.h: what a table of ranks recommends */
#ifndef CRS_CP_RANK_JUDGE_H
#define CRS_CP_RANK_JUDGE_H

#include <crease/rpca_rank.h>

#include "core/core.h"

typedef struct {
    crease_cp_rank_table *t;
    double least;       /* consistency of a rank that may be recommended */
    ptrdiff_t held_out; /* entries */
} crs_rank_judge;

static inline bool crs_rank_doubtful(const crease_cp_rank_row *r) { return r->consistency < 99; }

ptrdiff_t crs_rank_recommend(const crs_rank_judge *s); /* the place of a row */
void crs_rank_explain(const crs_rank_judge *s);        /* fills in rank and reason */

#endif
