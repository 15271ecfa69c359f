/* SPDX-License-Identifier: MIT
 * cp_rank_sweep.h: a sweep over ranks as it goes on */
#ifndef CRS_CP_RANK_SWEEP_H
#define CRS_CP_RANK_SWEEP_H

#include "rpca/cp_rank_judge.h"

typedef struct {
    crease_cp_rank_options o;
    crease_cp_fit_request r; /* mask: the entries to fit */
    double *fit;             /* that mask */
    double *lot;             /* of an entry, uniform; < 0: not observed */
    int folds;               /* so many have been held out, one after the other */
    crs_rank_pruned pruned;  /* a start for its rank; rank 0: none */
    crease_cp_rank_table *t;
    crs_rank_judge judge;
} crs_rank_sweep;

/* Which entries are held out when (cp_rank_row.c) */
enum { CRS_RANK_FOLDS = 8 }; /* at most */
void crs_rank_draw(crs_rank_sweep *s, const double *tensor, const double *mask);
/* A row for the rank, in its place. */
bool crs_rank_try(crs_rank_sweep *s, ptrdiff_t rank, crease_error *e);
/* Row k fitted again, by s->pruned if its rank is the row's; the better fit is kept. */
bool crs_rank_again(crs_rank_sweep *s, ptrdiff_t k, crease_error *e);
/* Rows that fit no better than smaller ranks (cp_rank_mend.c) */
bool crs_rank_mend(crs_rank_sweep *s, crease_error *e);
/* Twice as many folds for every row. */
bool crs_rank_refine(crs_rank_sweep *s, crease_error *e);

#endif
