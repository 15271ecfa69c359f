/* SPDX-License-Identifier: MIT
 * result.h: what a run found, as JSON documents and as a folder of files
 *
 * result.json (for people and programs), certificate.json (for crease verify), history.csv, and
 * x_<block>.npy, lambda.npy. Numbers that are not finite are null. */
#ifndef CRS_RESULT_H
#define CRS_RESULT_H

#include <crease/solver.h>
#include <crease/verify.h>

#include "io/problem/problem.h"

/* A result is a folder that appears under its name whole or not at all. */
typedef struct {
    char *path;    /* what it will be called */
    char *beside;  /* where it is written */
    bool replaces; /* an earlier result is in the way and may go */
} crs_folder;

/* Could the folder be written? With `force` an earlier result may be replaced, and nothing else:
 * a folder with any other file in it is refused. */
bool crs_folder_possible(const char *path, bool force, crease_error *e);

/* A new folder beside `path`. Ends with commit, which gives it its name, or abandon. */
bool crs_folder_begin(const char *path, bool force, crs_folder *f, crease_error *e);
bool crs_folder_commit(crs_folder *f, crease_error *e);
void crs_folder_abandon(crs_folder *f);

/* "FOLDER/name", to be freed; NULL with e filled in. */
char *crs_folder_file(const char *folder, const char *name, crease_error *e);

/* A file for writing; and its end: on the disk, or removed and e filled in. */
FILE *crs_create(const char *path, crease_error *e);
bool crs_finish(FILE *f, const char *path, bool written, crease_error *e);

/* The course of a run in bounded memory: when it is full, every other row goes. */
enum { CRS_HISTORY = 4096 };

typedef struct {
    int count;
    long stride; /* iterations between two rows */
    crease_progress row[CRS_HISTORY];
    crease_progress last; /* the latest, whether it has a row or not */
} crs_history;

void crs_history_add(crs_history *h, const crease_progress *p);

/* iteration,objective,feasibility,worst,theta,potential,seconds */
bool crs_history_write(const crs_history *h, const char *path, crease_error *e);
void crs_history_names(FILE *f);
void crs_history_line(FILE *f, const crease_progress *p);

enum { CRS_RESULT_VERSION = 1, CRS_CERTIFICATE_VERSION = 1 };

typedef struct {
    const char *path; /* of the problem file */
    const crs_problem_file *file;
    const crease_options *options;
    const crease_solver *solver;
    const crease_verification *verified;
    const crs_history *history;
} crs_run;

/* NULL when out of memory. */
json_t *crs_result_json(const crs_run *run);
json_t *crs_certificate_json(const crs_run *run);
json_t *crs_analysis_json(const crease_problem *p, const crease_analysis *a, double bound);

/* The folder, whole or not at all. */
bool crs_result_write(const char *folder, bool force, const crs_run *run, crease_error *e);

/* The same files in a folder that is there; `more` (may be NULL, is freed) adds to result.json. */
bool crs_result_fill(const char *folder, const crs_run *run, json_t *more, crease_error *e);
bool crs_write_document(const char *folder, const char *name, json_t *document, crease_error *e);
bool crs_write_array(const char *folder, const char *name, const crease_space *s, const double *x,
                     crease_error *e);

/* What crs_certificate_json wrote. The arrays belong to it. */
typedef struct {
    char *problem; /* path of the problem file */
    char hash[32];
    double eps;
    bool relative, gap;
    const double **x;
    const double *lambda; /* NULL without a constraint */
    crs_kept *kept;
} crs_certificate;

/* The problem it is about, by its path or the given one: opened between the two steps. */
bool crs_certificate_open(const char *folder, json_t **document, crs_certificate *c,
                          crease_error *e);
bool crs_certificate_fill(const char *folder, json_t *document, const crs_problem_file *file,
                          crs_certificate *c, crease_error *e);
void crs_certificate_free(crs_certificate *c);

/* "stationary", "iteration_limit", ... */
const char *crs_outcome_name(crease_outcome o, char out[32]);
/* Why no theorem covers the run: reason k, or NULL after the last. */
const crease_assumption *crs_doubt(const crease_analysis *a, int k);
/* The name of a block of the analysis: the slack of the extension is its last. */
const char *crs_planned_name(const crease_problem *p, int i);

/* null when not finite. */
json_t *crs_json_real(double x);
/* Nested lists, row-major; hex: C99 hexadecimal texts. */
json_t *crs_json_nested(const crease_space *s, const double *x);
json_t *crs_json_hex(ptrdiff_t n, const double *x);

#endif
