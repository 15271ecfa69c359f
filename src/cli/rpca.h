/* SPDX-License-Identifier: MIT
 * rpca.h: the insides of the verb rpca, and of verify where it judges its results */
#ifndef CRS_RPCA_H
#define CRS_RPCA_H

#include "cli/entry.h"
#include "cli/outdir.h"
#include "cli/run.h"
#include "io/formats/io.h"

#include <crease/rpca_rank.h>

enum { CRS_PATH_ROOM = 4096 };

typedef struct {
    const crs_args *a;
    crs_named_reg penalty;
    crease_cp_fit_settings s;
    crease_cp_rank_table *ranks; /* that were compared; NULL: none */
    char rank_reason[500];       /* "": the rank was given */

    crs_array data;
    crs_npy_stream truth;
    char truth_path[CRS_PATH_ROOM];
    crs_array factor[CREASE_MAX_ORDER], factor_weight; /* of --init DIR */
    const double *start[CREASE_MAX_ORDER];
    crs_array true_factor[CREASE_MAX_ORDER]; /* empty where --truth has none */
    ptrdiff_t true_rank;                     /* 0: none at all */
    crease_space given;                      /* the shape before --merge */
    char hash[32];                           /* of the data, nan where they are missing */
    double bytes, most_bytes;                /* forecasts: E very sparse, and dense */

    crease_cp_fit *fit;
    crs_log *log;
    double *unit[CREASE_MAX_ORDER], *weight;
    double error_lowrank, error_z; /* NaN without the truth */
    double *cosine;                /* true_rank x order */
    crease_verification verified;
} crs_rpca_job;

/* Options, penalty and numbers, before any data are read (rpca_options.c). */
bool crs_rpca_options(crs_rpca_job *j, crease_error *e);
bool crs_rpca_groups(const char *text, crease_cp_rpca_settings *s, crease_error *e);

/* Does --init name a start? Otherwise it is a folder. s may be NULL. */
bool crs_rpca_init(const char *text, crease_cp_rpca_settings *s);

/* The tensor, its mask, the truth and the start; rank and memory (rpca_data.c). */
bool crs_rpca_read(crs_rpca_job *j, crease_error *e);
/* Missing entries become nan; axes are merged; hash is of what results. */
bool crs_rpca_take(crs_array *data, const char *mask, const char *axes, crease_cp_rpca_settings *s,
                   char hash[32], crease_error *e);

/* The folder of --truth: lowrank.npy, factors or both; the terms found beside the true ones
 * (rpca_truth.c). */
bool crs_rpca_open_truth(crs_rpca_job *j, crease_error *e);
bool crs_rpca_match(crs_rpca_job *j, crease_error *e);
void crs_rpca_print_match(const crs_rpca_job *j);
json_t *crs_rpca_match_json(const crs_rpca_job *j);

bool crs_read_in(const char *folder, const char *name, crs_array *out, crease_error *e);
bool crs_same_shape(const char *what, const crs_array *x, const crease_space *s, crease_error *e);

/* Without a rank the data choose one; the fits that were compared (rpca_rank.c). */
bool crs_rpca_choose_rank(crs_rpca_job *j, crease_error *e);
json_t *crs_rpca_rank_json(const crs_rpca_job *j);
void crs_rpca_rank_log(const crs_rpca_job *j);

/* lowrank.npy of the folder of --truth, shaped as the data; empty without that option. */
bool crs_rpca_truth(const crs_args *a, const crease_space *given, crs_array *out, crease_error *e);

/* What was found, as files, and its errors (rpca_result.c); as JSON (rpca_json.c); as text. */
bool crs_rpca_write(crs_rpca_job *j, crease_error *e);
json_t *crs_rpca_json(const crs_rpca_job *j);
const char *crs_rpca_status(const crs_rpca_job *j);
void crs_rpca_banner(const crs_rpca_job *j);
void crs_rpca_footer(const crs_rpca_job *j);
void crs_rpca_summary(const crs_rpca_job *j);

/* A folder of results judged by the checker (rpca_check.c). */
typedef struct {
    const char *folder;
    crease_cp_rpca_settings s;
    double *const *unit; /* and the weights: what the files hold */
    const double *weight;
    const double *tensor;     /* nan where it is missing, unless there is a fit to ask */
    const crease_cp_fit *fit; /* may be NULL */
    double eps;
    bool relative;
    int threads; /* 0: all there are */
} crs_rpca_claim;
bool crs_rpca_check(const crs_rpca_claim *c, crease_verification *v, crease_error *e);

/* INVALID where lowrank.npy is not that of the factors (rpca_lowrank.c). */
bool crs_rpca_judge_lowrank(const crs_rpca_claim *c, crease_verification *v, crease_error *e);

/* The verb verify on such a folder (rpca_verify.c); is it one? */
bool crs_rpca_is_result(const char *folder);
bool crs_rpca_verify(const crs_args *a, crease_error *e);

#endif
