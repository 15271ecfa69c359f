/* SPDX-License-Identifier: MIT
 * cp_rank_judge.h: what a table of ranks recommends */
#ifndef CRS_CP_RANK_JUDGE_H
#define CRS_CP_RANK_JUDGE_H

#include <crease/cp_fit.h>
#include <crease/rpca_rank.h>

#include "core/core.h"

typedef struct {
    crease_cp_rank_table *t;
    double least;       /* consistency of a rank that may be recommended */
    ptrdiff_t held_out; /* entries */
} crs_rank_judge;

bool crs_rank_doubtful(const crs_rank_judge *s, ptrdiff_t k);

/* Places of rows: the smallest rank whose held-out error is nearly the least; less doubtful terms
 */
ptrdiff_t crs_rank_nearly_best(const crs_rank_judge *s);
ptrdiff_t crs_rank_recommend(const crs_rank_judge *s);

/* What is left of a model of `over` terms when the envelope's solver has pruned it, or of more, at
 * most high, where nothing was pruned; rank 0 if nothing ever was.
 * s: as of crease_cp_fit_envelope. Free it. */
typedef struct {
    ptrdiff_t rank;
    double *factor[CREASE_MAX_ORDER];
} crs_rank_pruned;
bool crs_rank_prune(const crease_cp_fit_settings *s, const crease_cp_fit_request *r, ptrdiff_t over,
                    ptrdiff_t high, crs_rank_pruned *out, crease_error *e);
void crs_rank_pruned_free(crs_rank_pruned *p);

ptrdiff_t crs_rank_highest(const crease_space *shape); /* of a search, cp_rank.c */
void crs_rank_explain(const crs_rank_judge *s);        /* fills in rank and reason */

#endif
