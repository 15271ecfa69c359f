/* SPDX-License-Identifier: MIT
 * run.h: what the verbs that run or judge problems share */
#ifndef CRS_RUN_H
#define CRS_RUN_H

#include "cli/cli.h"
#include "io/result/result.h"

/* The problem and its options; what the command line says beats what the file says. */
crs_problem_file *crs_open_problem(const crs_args *a, crease_options *o, crease_error *e);

/* The options of a run that the command line gives. */
bool crs_run_options(const crs_args *a, crease_options *o, crease_error *e);

/* "1 block, 5 variables, no constraint" */
void crs_size_text(const crease_problem *p, char *out, size_t size);
/* "beta 1.2, gamma 0.8": the parameters that the method has. */
void crs_parameter_text(const crease_analysis *a, char *out, size_t size);
/* Bytes the solver will take. */
bool crs_forecast_bytes(const crease_problem *p, const crease_analysis *a, double *bytes,
                        crease_error *e);

/* The log of a run on standard error. */
typedef struct {
    bool quiet, verbose;
    long every, next; /* the next iteration with a line of its own */
    FILE *csv;        /* NULL: none */
    crs_history history;
} crs_log;

void crs_log_banner(const crs_log *log, const crs_run *run);
crease_callback crs_log_progress; /* user: the crs_log */
void crs_log_line(const crease_progress *p);
void crs_log_footer(const crs_log *log, const crs_run *run);

/* SIGINT and SIGTERM call stop(self), the second one ends the program; `leave` gives the signals
 * back and tells which came, 0: none. */
typedef void crs_stop(void *self);
void crs_signals_enter(crs_stop *stop, void *self);
int crs_signals_leave(void);
bool crs_signals_caught(void);

/* The JSON document on standard output; frees it. NULL is out of memory. */
bool crs_print_document(json_t *document, crease_error *e);

#endif
