/* SPDX-License-Identifier: MIT
 * apply.h: the insides of the verb apply */
#ifndef CRS_APPLY_H
#define CRS_APPLY_H

#include "cli/entry.h"
#include "cli/outdir.h"

typedef struct {
    const crs_args *a;
    crs_named_reg penalty;
    crease_cp_apply_settings s;
    int order;
    crs_array data, mask, factor[CREASE_MAX_ORDER], weight;
    crease_space given; /* the shape of the data as they came */
    const double *use[CREASE_MAX_ORDER];
    crease_cp_apply_result out;
} crs_apply_job;

/* Settings and factors of a result of rpca (apply_model.c): factors with the columns of a term
 * alike in norm, trained coefficients, the penalty. */
bool crs_apply_model(crs_apply_job *j, crease_error *e);

#endif
