/* SPDX-License-Identifier: MIT
 * theory.h: shared by the files of this folder */
#ifndef CRS_THEORY_H
#define CRS_THEORY_H

#include <crease/analysis.h>
#include <crease/certificate.h>

#include "problem/problem.h"

enum { CRS_ASSUMPTIONS_A_BLOCK = 3, CRS_ASSUMPTIONS_ALL = 24 };

/* One more line of the analysis. A violated or unknown assumption takes the guarantee away. */
#if defined(__GNUC__)
__attribute__((format(printf, 6, 7)))
#endif
void crs_note(crease_analysis *a, const char *name, int block, crease_status status, double number,
              const char *reason, ...);

/* proved when the condition holds, violated otherwise. */
static inline crease_status when(bool holds) { return holds ? CREASE_PROVED : CREASE_VIOLATED; }

/* The parameters anew, after the constants in a changed. */
void crs_retune(const crease_problem *p, const crease_options *o, crease_analysis *a);

/* The constants of f, the maps, sets and settings of every block (constants.c). */
bool crs_gather(const crease_problem *p, int last, crease_analysis *a, crease_error *e);

/* Which block goes last and which method: fills method, last, exact_last (choose.c). */
bool crs_choose(const crease_problem *p, const crease_options *o, crease_analysis *a,
                crease_error *e);

/* Exact or prox step for every block but the last (plan.c). */
bool crs_plan_blocks(const crease_problem *p, crease_analysis *a, crease_error *e);

/* Parameters, decrease and kappa by the theorem of each method. */
void crs_recipe_gcg(const crease_problem *p, const crease_options *o, crease_analysis *a);
void crs_recipe_bcd(const crease_problem *p, const crease_options *o, crease_analysis *a);
void crs_recipe_admm_g(const crease_problem *p, const crease_options *o, crease_analysis *a);
void crs_recipe_admm_m(const crease_problem *p, const crease_options *o, crease_analysis *a);
void crs_recipe_exact(const crease_problem *p, const crease_options *o, crease_analysis *a);

/* The analysis of the problem with a slack block (recipe_extension.c). */
crease_analysis *crs_analyse_extension(const crease_problem *p, const crease_options *o,
                                       crease_error *e);

/* What the ADMM recipes share: h of every block and kappa_4 (plan.c). */
void crs_set_h(const crease_options *o, crease_analysis *a, double h, double least);
double crs_kappa_blocks(const crease_analysis *a);
double crs_least_h(const crease_analysis *a);
double crs_free_beta(const crease_analysis *a);

#endif
