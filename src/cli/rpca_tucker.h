/* SPDX-License-Identifier: MIT
 * rpca_tucker.h: the insides of rpca with --model tucker, matrix and pcp */
#ifndef CRS_RPCA_TUCKER_H
#define CRS_RPCA_TUCKER_H

#include "cli/rpca.h"
#include "io/folder.h"

typedef struct {
    const crs_args *a;
    crs_named_reg penalty;
    crease_tucker_rpca_settings s;
    crease_options run;
    crs_array data, truth;
    crease_space given; /* the shape before --merge */
    crease_tucker_rpca *model;
    double *lowrank;
    double error; /* NaN without the truth */
    crs_folder folder;
    crs_problem_file *file; /* problem.json of the folder, as verify will read it */
    crs_log *log;
} crs_tucker_job;

/* What the command line says (rpca_tucker_options.c). */
bool crs_tucker_options(crs_tucker_job *j, crease_error *e);
/* --rank for the data at hand: one a mode, one for all, or by the singular values. */
bool crs_tucker_ranks(crs_tucker_job *j, crease_error *e);

/* data.npy, mask.npy and problem.json in the folder (rpca_tucker_problem.c). */
bool crs_tucker_problem(const crs_tucker_job *j, crease_error *e);

/* The verb for these models (rpca_tucker.c). */
bool crs_tucker_run(const crs_args *a, crease_error *e);

#endif
