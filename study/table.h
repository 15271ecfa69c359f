/* SPDX-License-Identifier: MIT
 * paper.h: the verb paper: what it was asked for, what came out, how that compares */
#ifndef CRS_CLI_PAPER_H
#define CRS_CLI_PAPER_H

#include "cli/cli.h"
#include "study/paper.h"

enum { CRS_ITER, CRS_ERR, CRS_NUM, CRS_FIGURES };

/* Ours minus theirs in standard errors of the difference; NaN where there is nothing to compare. */
typedef struct {
    double score[CRS_FIGURES];
    bool differs[CRS_FIGURES];
} crs_paper_difference;

typedef struct {
    crs_paper_row row;
    crs_paper_method method;
    crs_paper_outcome *outcome; /* of each instance */
    double seconds;
    double mean[CRS_FIGURES], sampling[CRS_FIGURES]; /* of Num: the count, as in the tables */
    double mean_z;                                   /* error of Z */
    crs_paper_figures printed, earlier;
    crs_paper_difference from_printed, from_earlier;
} crs_paper_result;

typedef struct {
    const crs_args *a;
    crs_paper_recipe recipe;
    int table, instances, threads;
    bool row[CRS_PAPER_ROWS], method[CRS_PAPER_METHODS];
    bool has_earlier; /* a measurement by the same recipe and start */
    int count;
    crs_paper_result *result; /* by row, then by method */
} crs_paper_job;

bool crs_paper_options(crs_paper_job *j, crease_error *e); /* paper_options.c */
/* --rows; chosen has CRS_PAPER_ROWS items. */
bool crs_paper_read_rows(const crs_args *a, bool *chosen, crease_error *e);

/* Means, sampling errors and differences from the outcomes; value has as many doubles as there
 * are instances (paper_compare.c). */
void crs_paper_compare(const crs_paper_job *j, crs_paper_result *r, double *value);

/* How many results differ in a figure from the paper, or from the earlier measurement. */
int crs_paper_differing(const crs_paper_job *j, int figure, bool earlier);

const char *crs_paper_figure(int figure); /* "Iter." */
const char *crs_paper_title(crs_paper_method m);
const char *crs_paper_name(crs_paper_method m);

/* A table as it grows: its head, a cell (the one before it, or NULL), the conclusion. */
typedef struct {
    void (*head)(const crs_paper_job *j);
    void (*cell)(const crs_paper_job *j, const crs_paper_result *r, const crs_paper_result *before);
    const char *bullet;
} crs_paper_style;
extern const crs_paper_style crs_paper_text, crs_paper_markdown;

void crs_paper_conclude(const crs_paper_job *j, const char *bullet); /* paper_verdict.c */
bool crs_paper_beyond(const crs_paper_job *j, crease_error *e);      /* paper_beyond.c */
bool crs_paper_json(const crs_paper_job *j, crease_error *e);        /* paper_json.c */

#endif
