/* SPDX-License-Identifier: MIT
 * sample.h: what the random instances of catalogue entries share */
#ifndef CRS_SAMPLE_H
#define CRS_SAMPLE_H

#include <crease/crease.h>

#include "core/core.h"
#include "selftest/draw.h"
#include "selftest/selftest.h"

enum { CRS_MOST = 16 }; /* entries of the largest sample point */

/* Parameters drawn from the whole of their ranges. */
void crs_sample_params(draws *d, const crease_param *params, ptrdiff_t n, double *par);

#endif
