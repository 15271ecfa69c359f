/* SPDX-License-Identifier: MIT
 * theory.h: the steps of an analysis, shared by the files of this folder */
#ifndef CRS_THEORY_H
#define CRS_THEORY_H

#include "method/method.h"

/* Which block goes last and which method: fills method, last, exact_last (choose.c). */
bool crs_choose(const crease_problem *p, const crease_options *o, crease_analysis *a,
                crease_error *e);

/* The constants of f, the maps, sets and settings of every block (constants.c). */
bool crs_gather(const crease_problem *p, int last, crease_analysis *a, crease_error *e);

/* Exact or prox step for every block but the last (plan.c). */
bool crs_plan_blocks(const crease_problem *p, crease_analysis *a, crease_error *e);

#endif
