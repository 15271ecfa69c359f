/* SPDX-License-Identifier: MIT
 * cp_cosines.h: the terms of a CP model beside those of the truth */
#ifndef CRS_CP_COSINES_H
#define CRS_CP_COSINES_H

#include "core/core.h"

typedef struct {
    ptrdiff_t rank;
    const double *factor[CREASE_MAX_ORDER]; /* of a truth: NULL where it is not known */
} crs_cp_terms;

/* out[k][n] = |cos| of term k of the truth and its partner, in mode n; NaN where the truth is not
 * known, or a number is not finite. out is truth->rank x order. */
bool crs_cp_cosines(const crease_space *s, const crs_cp_terms *x, const crs_cp_terms *truth,
                    double *out, crease_error *e);

#endif
