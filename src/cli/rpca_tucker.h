/* SPDX-License-Identifier: MIT
 * rpca_tucker.h: the insides of rpca with --model tucker, matrix and pcp */
#ifndef CRS_RPCA_TUCKER_H
#define CRS_RPCA_TUCKER_H

#include "cli/rpca.h"
#include "io/result/result.h"

typedef struct {
    const crs_args *a;
    crs_named_reg penalty;
    crease_tucker_rpca_settings s;
    crease_options run;
    crs_array data, truth;
    crease_space given; /* the shape before --merge */
    crease_tucker_rpca *model;
    double *lowrank;
    double seconds; /* of the fit */
    double error;   /* NaN without the truth */
    crs_folder folder;
    crs_problem_file *file; /* problem.json of the folder, as verify will read it */
    crs_log *log;
} crs_tucker_job;

/* What the command line says (rpca_tucker_options.c). */
bool crs_tucker_options(crs_tucker_job *j, crease_error *e);
/* --rank for the data at hand: one a mode, one for all, or by the singular values. */
bool crs_tucker_ranks(crs_tucker_job *j, crease_error *e);

/* "3" or "3,4,5" for a shape, each from 1 to the mode's length. */
bool crs_parse_ranks(const char *text, const crease_space *shape, crease_space *ranks,
                     crease_error *e);

/* data.npy, mask.npy and problem.json in the folder (rpca_tucker_problem.c). */
bool crs_tucker_problem(const crs_tucker_job *j, crease_error *e);

/* The model's own members of result.json; that document, or a summary, on standard output
 * (rpca_tucker_print.c). */
json_t *crs_tucker_facts(const crs_tucker_job *j);
bool crs_tucker_print(const crs_tucker_job *j, const crs_run *run, json_t *more, crease_error *e);

/* generate tucker and matrix (generate_tucker.c); what all kinds of instances take: --outliers,
 * --magnitude, --noise. */
bool crs_generates_tucker(const crs_args *a);
bool crs_generate_tucker(const crs_args *a, crease_error *e);
bool crs_generate_spoils(const crs_args *a, crease_cp_recipe *r, crease_error *e);

/* The verb for these models (rpca_tucker.c). */
bool crs_tucker_run(const crs_args *a, crease_error *e);

#endif
