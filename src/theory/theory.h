/* SPDX-License-Identifier: MIT
 * theory.h: shared with the solver, which analyses a problem before it runs and doubts it later */
#ifndef CRS_THEORY_H
#define CRS_THEORY_H

#include <crease/analysis.h>

#include "problem/problem.h"

/* How it stands with sum A_i x_i = b over the sets and the domains of the r_i. */
typedef struct {
    crease_status status; /* VIOLATED: y proves that there is no solution */
    double off;           /* |sum A_i x_i - b| at the nearest point found; NaN: none was tried */
    double *y;            /* with VIOLATED; else NULL */
    double **x;           /* the point that shows it, one array per block; NULL: none */
    int count;            /* of blocks */
    char text[160];
} crs_feasibility;

void crs_feasibility_free(crs_feasibility *f);

/* By construction, or by at most `effort` projected gradient steps from `from` (NULL: from the
 * starts, and no point is asked for where one is known to exist);
 * beyond 10^5 unknowns and rows by less, down to a tenth of them. */
enum { CRS_EFFORT = 2000 }; /* where speed is not asked for */

bool crs_seek_feasible(const crease_problem *p, const double *const *from, long effort,
                       const crease_watch *watch, crs_feasibility *out, crease_error *e);

/* Lines of the analysis on whether there is an answer at all: feasibility, a stationary point
 * (Assumption 1.1), and for a slack bounded level sets and multipliers (Assumption 4.1). */
bool crs_note_existence(const crease_problem *p, long effort, const crease_watch *watch,
                        crease_analysis *a, crease_error *e);

/* crease_analyse, with this much effort spent on feasibility; 0: a run will tell. */
crease_analysis *crs_analyse(const crease_problem *p, const crease_options *o, long effort,
                             crease_error *e);

#endif
