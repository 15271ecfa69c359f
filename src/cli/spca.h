/* SPDX-License-Identifier: MIT
 * spca.h: the verb spca and its report */
#ifndef CRS_SPCA_VERB_H
#define CRS_SPCA_VERB_H

#include "cli/cli.h"

typedef struct {
    const crs_args *a;
    crease_options o;
    crs_named_reg penalty;
    crease_spca_settings s;
    ptrdiff_t components; /* asked for */
    double noise_times;   /* > 0: the threshold is so many times the noise */

    crs_array data;
    crease_spca *model;
    double norm;                      /* of the data */
    int run;                          /* components that were run: found, or the first zero */
    bool stopped;                     /* by a signal or the clock, with components left to find */
    crease_spca_component *component; /* `components` places */
    double *factor[CREASE_MAX_ORDER]; /* unit columns; zeros for what was not found */
    double *weight, *left;            /* sigma, and |T| after each component */
} crs_spca_job;

/* The summary and the document (spca_report.c). */
void crs_spca_print(const crs_spca_job *j);
json_t *crs_spca_json(const crs_spca_job *j);

/* component_k/ for crease verify: the tensor before the component is sought, the problem and the
 * point after. */
bool crs_spca_keep_tensor(const crs_spca_job *j, int k, crease_error *e);
bool crs_spca_keep_certificate(const crs_spca_job *j, int k, crease_error *e);

#endif
