/* SPDX-License-Identifier: MIT
 * pass.h: what passes and Newton's method share
 *
 * The rows of the lead mode are cut into bands of fixed places. What a band adds to the other modes
 * is its own, and added up in the order of bands: the same for any number of threads. */
#ifndef CRS_OBSERVED_PASS_H
#define CRS_OBSERVED_PASS_H

#include "core/carve.h"
#include "rpca/observed/observed.h"

/* What a worker needs for as many rows as a vector has lanes. */
typedef struct {
    double *s, *w, *p, *u, *design, *moves, *c, *l, *g, *d, *spare;
} crs_observed_room;

/* Factors as the kernels have them: rows of `stride`. */
typedef struct {
    double *x;      /* of the lead mode */
    double *y;      /* the others, one after the other */
    double *g;      /* of a solution: dF/dY in units of 2c */
    double *weight; /* of a solution: sums of phi''+ for each index of the others */
    double *rest;   /* of a solution: t - m of every entry */
    double *factor; /* and C of every row */
    double value, squares;
} crs_observed_point;

struct crs_observed_pass {
    crs_envelope_settings c;
    const crs_coordinates *t;
    const crs_envelope_kernel *kernel;
    int others, mode[CREASE_MAX_ORDER]; /* modes but the lead */
    ptrdiff_t length[CREASE_MAX_ORDER]; /* and theirs */
    ptrdiff_t rows, rest;               /* indices of the lead, and of all others */
    ptrdiff_t before[CREASE_MAX_ORDER]; /* of others, indices of those before it */
    ptrdiff_t most, longest;            /* stride of the largest rank; entries of such rows */
    ptrdiff_t bands, *band;             /* where they begin, and the end */
    double *out, *weight, *sums;        /* of all bands */
    ptrdiff_t *histogram;
    crs_observed_room *room;
    double *lead, *lead_weight;
    bool steps;
    crs_observed_point at, trial;
    double *d, *r, *z, *p, *hp;           /* of Newton's method: rest x stride */
    double *basis, *value, *small, *mean; /* of the preconditioner */
    void *memory;

    ptrdiff_t rank, stride; /* of the run */
    crs_envelope_rule next, judge;
    bool same;
    double unit, ridge;
    crs_listed_task task;
    crs_observed_point *on;
    const double *change;
    crs_observed_run *run;
};

/* One pass: what the bands have added is in the first one then. */
void crs_observed_look(crs_observed_pass *s, crs_listed_task task, crs_observed_point *on,
                       const double *change);
/* The factors of a run at a point, and back. */
void crs_observed_take(crs_observed_pass *s, ptrdiff_t rank, const double *const *factor,
                       crs_observed_point *to);
void crs_observed_give(const crs_observed_pass *s, const crs_observed_point *from,
                       double *const *factor);

#endif
