/* SPDX-License-Identifier: MIT
 * cp_apply.h: shared by the files that regress new slices on fitted factors */
#ifndef CRS_CP_APPLY_H
#define CRS_CP_APPLY_H

#include <crease/rpca_apply.h>

#include "rpca/cp_slice.h"

/* Settings, factors and data in range (cp_apply_check.c). */
bool crs_apply_check(const crease_cp_apply_settings *s, const double *tensor,
                     const crease_reg *penalty, crease_error *e);

/* All of a score but its distance; work has a double an entry (cp_scores.c). */
crease_cp_slice_score crs_slice_score(const crs_slice *p, const double *t, const double *a,
                                      double *work);

/* The distances of all slices, in their scores. */
bool crs_apply_distances(const crease_cp_apply_settings *s, const crease_cp_apply_result *out,
                         crease_error *e);

#endif
