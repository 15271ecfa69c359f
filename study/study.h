/* SPDX-License-Identifier: MIT
 * study.h: crease-study, the program that repeats the paper's tables and measures the defaults.
 * A verb is a table: what it takes, how it is explained, what it does. */
#ifndef CRS_STUDY_H
#define CRS_STUDY_H

#include <jansson.h>

#include "core/core.h"

#define CRS_STUDY_OPTION_LIST(X)                                                                   \
    X(TABLE, "--table", "N", "table 1, 2 or 3 of the paper (default 1)")                           \
    X(ROWS, "--rows", "A,B,..", "rows 1 to 9 of the table (default all)")                          \
    X(METHODS, "--methods", "A,B,..", "methods, by name (default all)")                            \
    X(CELLS, "--cells", "A,B,..", "cells of the suite, by name (default all)")                     \
    X(DATA, "--data", "FILE.npy", "data of your own instead of cells; seeds count up")             \
    X(CALIBRATED, "--calibrated", "",                                                              \
      "outliers in 0.005 of the entries and the stop |dx| < 1e-6 |x|, instead of 0.001 and "       \
      "theta_k < 1e-6")                                                                            \
    X(START, "--start", "NAME", "paper (Z constant) or generic (Z random; default paper)")         \
    X(INIT, "--init", "NAME",                                                                      \
      "random, hosvd, als or gevd, the last three also with -clipped (default: as of crease "      \
      "rpca)")                                                                                     \
    X(TIMES, "--times", "N", "every dimension so many times as large (default 1)")                 \
    X(INSTANCES, "--instances", "N", "random instances per row or cell (default 20)")              \
    X(THREADS, "--threads", "N", "threads to use (default: all); they change no number")           \
    X(SEED, "--seed", "N", "seed of the instances (default 0)")                                    \
    X(VERBOSE, "--verbose", "", "a line on standard error for every cell")                         \
    X(MARKDOWN, "--markdown", "", "tables in Markdown")                                            \
    X(JSON, "--json", "", "one JSON document on standard output")                                  \
    X(HELP, "--help", "", "show this help")

typedef enum {
#define X(id, name, values, text) CRS_STUDY_##id,
    CRS_STUDY_OPTION_LIST(X)
#undef X
        CRS_STUDY_OPTIONS
} crs_study_option;

#define CRS_STUDY_TAKES(id) (1u << CRS_STUDY_##id)

typedef struct crs_study crs_study;

typedef struct {
    const char *name;
    const char *text;
    const char *example; /* works as pasted */
    unsigned takes;      /* options besides those that all verbs take */
    int least;           /* instances */
    bool (*run)(crs_study *s, crease_error *e);
} crs_study_verb;
extern const crs_study_verb crs_study_paper, crs_study_beyond, crs_study_hard, crs_study_rank,
    crs_study_ranks, crs_study_tucker, crs_study_alpha;

/* A parsed command line, and the document that it asks for. */
struct crs_study {
    const crs_study_verb *verb;
    const char *value[CRS_STUDY_OPTIONS]; /* NULL: not given */
    int instances, threads;
    uint64_t seed;
    json_t *document; /* NULL: tables for people */
    json_t *cells;    /* of the document */
};

static inline const char *crs_study_given(const crs_study *s, crs_study_option id)
{
    return s->value[id];
}

/* argv is what follows the verb. The document is begun; crs_study_end prints and frees it. */
bool crs_study_begin(crs_study *s, int argc, char **argv, crease_error *e);
bool crs_study_end(crs_study *s, bool done, crease_error *e);

/* A whole number in [low, high], or `otherwise` when the option was not given. */
bool crs_study_integer(const crs_study *s, crs_study_option id, double low, double high,
                       double otherwise, double *x, crease_error *e);

/* Those that the list of an option names, or all. */
bool crs_study_choose(const crs_study *s, crs_study_option id, int count, const char *(*name)(int),
                      bool *chosen, crease_error *e);

/* Into the document, which takes the value over; NULL is out of memory. */
bool crs_study_set(crs_study *s, const char *key, json_t *value, crease_error *e);
bool crs_study_append(crs_study *s, json_t *cell, crease_error *e);
json_t *crs_study_real(double x); /* null when not finite */
json_t *crs_study_shape(const crease_space *shape);

void crs_study_help(const crs_study_verb *v);
void crs_study_wrap(const char *text, int first_column, int indent); /* at 100 columns */

#endif
