/* SPDX-License-Identifier: MIT
 * sample_smooth.h: shared by the samples of couplings */
#ifndef CRS_SAMPLE_SMOOTH_H
#define CRS_SAMPLE_SMOOTH_H

#include "selftest/sample.h"

/* Blocks in balls of radius 2, 3, ... */
void crs_sample_blocks(crs_smooth_sample *o, int count, const crease_space *space);

/* A random instance of each loss of a linear predictor (sample_losses.c). */
#define LOSS(symbol) void crs_sample_##symbol(draws *d, crs_smooth_sample *o);
#define SMOOTH(symbol)
#include "smooth/list.def"
#undef LOSS
#undef SMOOTH

#endif
