/* SPDX-License-Identifier: MIT
 * units.h: robust PCA of data far from 1 in size, worked on in a unit of their own
 *
 * The run is given T' = 2^-k T and settings that say the same of T'; whatever is asked of it is
 * handed out in the user's unit. With F and X_n the objective and the factors, and the powers in
 * parentheses,
 *     cp      F (2k), X_n (k/d)       tucker  F (2k), X_n (0), core (k)
 *     ball    F (2k), X and Y (k/2)   pcp     F (k), L and S (k)
 * E, Z, B and right-hand side have the power k, residuals that of F less that of their block. */
#ifndef CRS_RPCA_UNITS_H
#define CRS_RPCA_UNITS_H

#include "rpca/rpca.h"

typedef struct crs_units crs_units;

/* NULL in *out: the data are of an ordinary size and nothing is to be done. Otherwise s and o are
 * changed to those of the run, and the data of the run are crs_units_data. learns: the penalty's
 * parameters are in a unit of their own. False with a sentence when the squares of the data are no
 * numbers, or settings forbid another unit, or memory runs out. */
bool crs_units_enter(crease_rpca_settings *s, const crease_options *o, bool learns,
                     const double *tensor, crs_units **out, crease_error *e);
void crs_units_free(crs_units *u);

double *crs_units_data(const crs_units *u);
void crs_units_blank(const crs_units *u, double *tensor); /* missing entries of the user's: 0 */
void crs_units_drop_data(crs_units *u);                   /* the run has a copy of its own */

/* What the run has filled in, in the user's unit. */
void crs_units_settings(const crs_units *u, crease_rpca_settings *s);
void crs_units_facts(const crs_units *u, crease_rpca_facts *f, crease_cp_rank_table *ranks);
void crs_units_progress(const crs_units *u, crease_progress *p);
const crease_certificate *crs_units_certificate(crs_units *u, const crease_certificate *c);

/* n numbers of block i of the run, or of its multiplier (-1), for which there is room. */
bool crs_units_reserve(crs_units *u, int i, ptrdiff_t n, crease_error *e);
const double *crs_units_block(crs_units *u, int i, ptrdiff_t n, const double *x);

/* n entries of a part of the run's answer become the user's. From entry `first` on: of T, out is W
 * before; of the noise, out is E and lowrank the low-rank part, both the user's. */
void crs_units_part(const crs_units *u, crease_rpca_part part, ptrdiff_t n, double *out);
void crs_units_tensor(const crs_units *u, ptrdiff_t first, ptrdiff_t n, double *out);
void crs_units_noise(const crs_units *u, ptrdiff_t first, ptrdiff_t n, const double *lowrank,
                     double *out);

/* The run's problem with the user's penalty and sets; s are the user's settings. Returned is the
 * place of T, to be filled in; NULL: memory. */
double *crs_units_problem(crs_units *u, const crease_problem *p, const crease_rpca_settings *s,
                          crease_error *e);
const crease_problem *crs_units_problem_of(const crs_units *u);

#endif
