/* SPDX-License-Identifier: MIT
 * sample.h: what the random instances of catalogue entries share */
#ifndef CRS_SAMPLE_H
#define CRS_SAMPLE_H

#include <crease/crease.h>

#include "core/core.h"
#include "selftest/draw.h"
#include "selftest/selftest.h"

enum {
    CRS_MOST = 16, /* entries of the largest sample point */
    CRS_ASKED = 4  /* trials that ask the checker */
};

/* Parameters drawn from the whole of their ranges. */
void crs_sample_params(draws *d, const crease_param *params, ptrdiff_t n, double *par);

/* Does the independent checker know every entry of p? Notes it under CRS_KNOWN. x is zero in every
 * block, and so is lambda. */
void crs_note_checker(crs_report *r, const crease_problem *p);

#endif
