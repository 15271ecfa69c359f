/* SPDX-License-Identifier: MIT
 * observed.h: passes over the observed entries alone, in O(observed x rank), for data of which most
 * are missing
 *
 *   F(Y) = min_X sum phi(t - [[X, Y]]) + (nu/2) sum |.|^2,   X the factor of the longest mode
 *
 * An evaluation of the envelope at given factors, and steps of Newton's method on the other factors
 * with every row of X eliminated exactly. */
#ifndef CRS_OBSERVED_H
#define CRS_OBSERVED_H

#include "rpca/envelope/envelope.h"

typedef struct crs_observed_pass crs_observed_pass;

/* Room for passes with factors of at most the settings' rank; steps: for crs_observed_descend as
 * well. The entries are borrowed. NULL: out of memory. */
crs_observed_pass *crs_observed_open(const crs_envelope_settings *c, const crs_coordinates *t,
                                     bool steps);
void crs_observed_free(crs_observed_pass *s);

/* As crs_envelope_evaluate, all but `observed`; unit is the histogram's. */
void crs_observed_evaluate(crs_observed_pass *s, ptrdiff_t rank, const double *const *factor,
                           const crs_penalty_value *judge, const crs_penalty_value *next,
                           double unit, crs_envelope_sums *out);

typedef struct {
    ptrdiff_t rank;
    crs_penalty_value penalty;
    double nu;
    int steps;                   /* of Newton's method, at most */
    double fall;                 /* enough: the gradient at the end by that at the beginning */
    long most;                   /* passes: beyond it no product and no trial begins but one */
    crease_watch *watch;         /* asked between passes; NULL: none */
    double *x[CREASE_MAX_ORDER]; /* the factors, in and out */
    long passes, cg;             /* out: passes, and products among them */
} crs_observed_run;

/* false: no step was found that lowers F. */
bool crs_observed_descend(crs_observed_pass *s, crs_observed_run *run);

#endif
