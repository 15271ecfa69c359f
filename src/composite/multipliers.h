/* SPDX-License-Identifier: MIT
 * multipliers.h: what the method of multipliers stands on besides an inner core */
#ifndef CRS_MULTIPLIERS_H
#define CRS_MULTIPLIERS_H

#include "composite/composite.h"

/* Does y = -s/|s|, s = A x - b, separate b from all that the sets reach (separate.c)? y has a
 * number a row of the constraint, room one a coordinate. */
bool crs_separates(const crs_composite *c, const double *s, const double *x, double *y,
                   double *room);

/* x and lambda for min sum rho(|x_j|) s.t. A x = b with an infinite slope of rho at 0 and x = 0
 * given, where every method stays; anything else is left as it is (reweighted.c). False: out of
 * memory. */
bool crs_reweighted_start(const crs_composite *c, double *x, double *lambda, crease_error *e);

#endif
