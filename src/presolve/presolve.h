/* SPDX-License-Identifier: MIT
 * presolve.h: what can be done on paper before a core runs. Every reduction is an equivalence: a
 * stationary point of the reduced problem gives one of the user's, multipliers included, and its
 * residuals are the user's (docs/theory.md, eliminations) */
#ifndef CRS_PRESOLVE_H
#define CRS_PRESOLVE_H

#include "composite/cores.h"

typedef struct crs_reduction crs_reduction;
struct crs_reduction {
    const crs_composite *from; /* borrowed */
    crs_composite *to;         /* owned; its blocks are those of `from` that kept[i] >= 0 numbers */
    int *kept;                 /* a block of `to`: its number in `from` */
    /* The point of `from` that x and lambda of `to` stand for. */
    void (*back)(const crs_reduction *r, const double *x, const double *lambda, double *X,
                 double *Lambda);
    void (*release)(crs_reduction *r); /* NULL: nothing but `to`, kept and memory */
    void *data, *memory;
    char text[200]; /* what was done, for people */
};

/* The rules. false with e->code CREASE_OK: it does not apply; otherwise out of memory. */
typedef bool crs_rule(const crs_composite *c, crs_reduction *out, crease_error *e);
crs_rule crs_rows, crs_unsplit, crs_eliminate;

/* A term of `from` with its matrices copied into `to`, which lacks block `dropped` (-1: none). */
bool crs_keep_term(const crs_term *t, int dropped, crs_composite *to, crease_error *e);

enum { CRS_MOST_REDUCTIONS = 8 };

typedef struct {
    crs_composite *user, *c; /* of the problem as given, and what cores run on */
    int count;
    crs_reduction step[CRS_MOST_REDUCTIONS];
    double *x[2], *lambda[2]; /* on the way back */
    crs_work work;
} crs_plan;

/* Borrows p. NULL with a sentence: the problem has no such form. */
crs_plan *crs_plan_new(const crease_problem *p, uint64_t seed, bool presolve, crease_watch *watch,
                       crease_error *e);
void crs_plan_free(crs_plan *plan);

/* The user's x, one long vector, and multiplier that belong to those of plan->c. */
void crs_plan_back(const crs_plan *plan, const double *x, const double *lambda, double *X,
                   double *Lambda);

/* The number of the user's block that block i of plan->c is. */
int crs_plan_block(const crs_plan *plan, int i);

#endif
