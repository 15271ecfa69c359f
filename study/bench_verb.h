/* SPDX-License-Identifier: MIT
 * bench.h: the verb bench: suites of instances whose truth is known */
#ifndef CRS_CLI_BENCH_H
#define CRS_CLI_BENCH_H

#include "study/hard.h"
#include "study/trial_verb.h"

typedef struct {
    const crs_args *a;
    int instances, threads;
    uint64_t seed;
    json_t *list; /* of cells or rows; NULL: a table in Markdown */
} crs_bench;

/* A suite: what it is called, the options that are its own, and what it prints. */
typedef struct {
    const char *name;
    const crs_taken *takes;
    bool (*run)(crs_bench *b, crease_error *e);
} crs_suite;
extern const crs_suite crs_bench_hard, crs_bench_rank, crs_bench_alpha;

/* A cell or row for the document; takes it over. */
bool crs_bench_append(const crs_bench *b, json_t *item, crease_error *e);

/* The cells of the hard suite that were asked for, in turn; out has `trials` for every instance.
 * The head is printed before the first table row (bench_cells.c). */
typedef bool crs_bench_cell(void *self, const crs_hard_cell *cell, crs_trial *out, crease_error *e);
bool crs_bench_cells(const crs_bench *b, int trials, void (*head)(const crs_bench *b),
                     crs_bench_cell *each, void *self, crease_error *e);

/* Those that a list names, or all. */
bool crs_bench_choose(const char *what, const char *text, int count, const char *(*name)(int),
                      bool *chosen, crease_error *e);

#endif
