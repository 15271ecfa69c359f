/* SPDX-License-Identifier: MIT
 * audit.h: what counts as a rise of a potential */
#ifndef CRS_AUDIT_H
#define CRS_AUDIT_H

#include <crease/solver.h>

#include "core/core.h"

/* By how much `now` lies above before - promised, relative to the terms it is the sum of. */
static inline double crs_rise(double before, double now, double promised, double squares)
{
    return (now - before + promised) / (1 + fabs(before) + fabs(now) + squares);
}

/* Puts a rise beyond rounding down in the report. */
void crs_count_rise(crease_report *r, const char *method, const char *theorem, double rise);

#endif
