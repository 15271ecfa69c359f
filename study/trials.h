/* SPDX-License-Identifier: MIT
 * trials.h: many trials, several at a time; what comes out does not depend on how many */
#ifndef CRS_TRIALS_H
#define CRS_TRIALS_H

#include "core/core.h"

/* run(self, k, e) for k = 0 .. count-1; the first that failed is named. */
bool crs_trials(int threads, int count, bool (*run)(void *self, int k, crease_error *e), void *self,
                crease_error *e);

#endif
