/* SPDX-License-Identifier: MIT
 * alpha_trial.h: how good is the alpha that was learned, against a grid of others? */
#ifndef CRS_ALPHA_TRIAL_H
#define CRS_ALPHA_TRIAL_H

#include "study/hard.h"

/* Multiples 0.1, 0.16, 0.25, 0.4, 0.63, 1, 1.6, ... 10 of the learned alpha; all start alike. */
enum { CRS_ALPHA_LEARNED, CRS_ALPHA_FIRST, CRS_ALPHA_STEPS = 11, CRS_ALPHA_TRIALS };
double crs_alpha_multiple(int k); /* k from 0 */

/* Instances 0 .. count-1 of a cell, several at a time; out has count rows of CRS_ALPHA_TRIALS. */
bool crs_alpha_trials(const crs_hard_cell *cell, uint64_t seed, int count, int threads,
                      crs_trial *out, crease_error *e);

#endif
