/* SPDX-License-Identifier: MIT
 * table.h: a table of the paper: what was asked for, what came out, how that compares */
#ifndef CRS_STUDY_TABLE_H
#define CRS_STUDY_TABLE_H

#include "study/paper.h"
#include "study/study.h"

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
    crs_study *s;
    crs_paper_recipe recipe;
    int table, instances;
    bool row[CRS_PAPER_ROWS], method[CRS_PAPER_METHODS];
    bool has_earlier; /* a measurement by the same recipe and start */
    int count;
    crs_paper_result *result; /* by row, then by method */
} crs_paper_job;

/* --table, --rows and --seed (table.c). */
bool crs_paper_options(crs_paper_job *j, crs_study *s, crease_error *e);
bool crs_paper_read_rows(const crs_study *s, bool chosen[CRS_PAPER_ROWS], crease_error *e);

/* A table as it grows: its head, a cell (the one before it, or NULL), the conclusion (report.c). */
bool crs_paper_head(const crs_paper_job *j, crease_error *e);
bool crs_paper_show(const crs_paper_job *j, const crs_paper_result *r,
                    const crs_paper_result *before, crease_error *e);
void crs_paper_conclude(const crs_paper_job *j);

#endif
