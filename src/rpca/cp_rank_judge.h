/* SPDX-License-Identifier: MIT
 * cp_rank_judge.h: what a table of ranks recommends */
#ifndef CRS_CP_RANK_JUDGE_H
#define CRS_CP_RANK_JUDGE_H

#include <crease/cp_fit.h>
#include <crease/rpca_rank.h>

#include "core/core.h"

typedef struct {
    crease_cp_rank_table *t;
    double **residual;  /* of each row: |T - M| of the entries held out */
    ptrdiff_t held_out; /* how many they are */
    double least;       /* consistency of a rank that may be recommended */
} crs_rank_judge;

/* The loss of every row, its excess and that one's standard error (cp_rank_loss.c). */
void crs_rank_losses(const crs_rank_judge *s);

/* Is row k worse than row b, by more than chance and than a trifle? error: the standard error of
 * the difference of their losses, entry by entry. */
bool crs_rank_worse(const crs_rank_judge *s, ptrdiff_t k, ptrdiff_t b);
double crs_rank_error(const crs_rank_judge *s, ptrdiff_t k, ptrdiff_t b);

/* What the terms that make row k of row m gain, each, in the mean of r^2 over the entries held out
 * that are no outliers of row `of` */
double crs_rank_gain(const crs_rank_judge *s, ptrdiff_t m, ptrdiff_t k, ptrdiff_t of);

/* A row that chance alone may have put behind row `at`, or ahead of it without a verdict; -1: none
 */
ptrdiff_t crs_rank_rival(const crs_rank_judge *s, ptrdiff_t at);

bool crs_rank_sound(const crs_rank_judge *s, ptrdiff_t k); /* consistent enough */
bool crs_rank_doubtful(const crs_rank_judge *s, ptrdiff_t k);

/* Places of rows: of least loss; the smallest rank that is not worse; less doubtful terms */
ptrdiff_t crs_rank_best(const crs_rank_judge *s);
ptrdiff_t crs_rank_nearly_best(const crs_rank_judge *s);
ptrdiff_t crs_rank_recommend(const crs_rank_judge *s);
void crs_rank_explain(const crs_rank_judge *s); /* fills in rank and reason */

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

#endif
