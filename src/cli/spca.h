/* SPDX-License-Identifier: MIT
 * spca.h: the verb spca and its report */
#ifndef CRS_SPCA_VERB_H
#define CRS_SPCA_VERB_H

#include "cli/cli.h"

typedef struct {
    const crs_args *a;
    crease_options o;
    crs_named_reg penalty;
    char penalty_text[160]; /* with all its parameters */
    crs_folder folder;
    crease_spca_settings s;
    ptrdiff_t components; /* asked for */
    double noise_times;   /* > 0: the threshold is so many times the noise */

    crs_array data;
    char hash[32]; /* of the data */
    crease_spca *model;
    double norm;                      /* of the data */
    int run;                          /* components that were run: found, or the first zero */
    bool stopped;                     /* by a signal or the clock, with components left to find */
    crease_spca_component *component; /* `components` places */
    double *factor[CREASE_MAX_ORDER]; /* unit columns; zeros for what was not found */
    double *point[CREASE_MAX_ORDER];  /* x_i itself */
    double *weight, *left;            /* sigma, and |T| after each component */
    int worst;                        /* the component that decides the exit status */
    int exit_status;
} crs_spca_job;

/* The summary, the files of the folder but result.json, and that (spca_report.c). */
void crs_spca_print(const crs_spca_job *j);
bool crs_spca_write(crs_spca_job *j, crease_error *e);
void crs_spca_result(const crs_spca_job *j, crs_document *d);

#endif
