/* SPDX-License-Identifier: MIT
 * rpca.h: the insides of the verb rpca */
#ifndef CRS_RPCA_H
#define CRS_RPCA_H

#include "cli/entry.h"
#include "cli/outdir.h"

typedef struct {
    const crs_args *a;
    crease_options o;
    crs_named_reg penalty;
    crease_cp_rpca_settings s;
    bool paper;       /* the recipe of the paper */
    bool rank_chosen; /* from the data */

    crs_array data, mask, truth;
    crs_array factor[CREASE_MAX_ORDER], factor_weight; /* of --init DIR */
    const double *start[CREASE_MAX_ORDER];
    crease_space given; /* the shape before --merge */

    crease_cp_rpca *model;
    crease_solver *solver;
    double *lowrank, *noise; /* noise: 0 where nothing was observed */
    double *unit[CREASE_MAX_ORDER], *weight;
    double error_lowrank, error_z; /* NaN without the truth */
} crs_rpca_job;

/* Options, penalty and numbers, before any data are read (rpca_options.c). */
bool crs_rpca_options(crs_rpca_job *j, crease_error *e);

/* Which start --init names; -1: none, it is a folder. */
int crs_rpca_init_named(const char *text);

/* The tensor, its mask, the truth and the start; rank and memory (rpca_data.c). */
bool crs_rpca_read(crs_rpca_job *j, crease_error *e);

/* What was found, as arrays and files (rpca_result.c) and as JSON (rpca_json.c). */
bool crs_rpca_results(crs_rpca_job *j, crease_error *e);
bool crs_rpca_write(crs_rpca_job *j, crease_error *e);
json_t *crs_rpca_json(const crs_rpca_job *j);

#endif
