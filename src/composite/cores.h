/* SPDX-License-Identifier: MIT
 * cores.h: the table of cores, each of which lowers F of a composite problem by its own candidates
 * and the one test S, or meets a constraint around one that does */
#ifndef CRS_CORES_H
#define CRS_CORES_H

#include "composite/composite.h"
#include "core/checkpoint.h"

typedef enum {
    CRS_CORE_GOES_ON,
    CRS_CORE_DONE, /* ratio <= 1 */
    CRS_CORE_STUCK /* no step leads lower, or the watch is over */
} crs_core_state;

/* What a core is given. The owner may lower tolerances between two steps. */
typedef struct {
    crs_composite *c;
    const double *start;      /* n numbers, inside the sets */
    const double *multiplier; /* of the constraint; NULL: 0 */
    double beta;              /* penalty to begin with; 0: the core's choice */
    const double *tolerance;  /* one a block: residual_i <= tolerance_i */
    const double *feasible;   /* |A x - b| <= *feasible; NULL: no constraint */
} crs_task;

/* Where it stands. Pointers stay valid until the next step. */
typedef struct {
    const double *x, *multiplier;
    double objective; /* F */
    double ratio; /* the worst of residual over tolerance, feasibility included, by what the core
                     has at hand: no product is made for it */
    double feasibility;
    double beta;
    const double *u, *g;     /* K x and grad f at x where the core has both at hand; NULL */
    const double *separator; /* y for crease_verify_infeasible to confirm; NULL: none was found */
} crs_standing;

typedef struct crs_core {
    const char *name;
    const char *needs; /* what suits() asks for: "... needs <this>" */
    double patience;   /* the race leaves it alone this many times as long; 0: once */
    bool constrained;  /* takes problems with a constraint (and none without) */
    bool (*suits)(const crs_composite *c);
    void *(*open)(const crs_task *task, crease_error *e); /* NULL with a sentence */
    crs_core_state (*step)(void *self); /* one iteration; asks c->watch in its inner loops */
    void (*stand)(const void *self, crs_standing *s);
    /* Terms or parameters of the composite changed (a multiplier, a penalty), x stays: begin anew
     * there with what is still true of caches. NULL: close and open. */
    bool (*renew)(void *self);
    void (*close)(void *self);
    crs_visit_function *visit; /* what steps change; NULL: it cannot be noted between two of them */
} crs_core;

/* Are products of columns kept (newton/gram.c)? Made anew they may differ in their last bits, so a
 * checkpoint waits until they are gone. */
static inline bool crs_keeps_products(const crs_composite *c)
{
    bool any = c->constraint && c->constraint->gram;
    for (int t = 0; t < c->terms; t++) any = any || c->term[t].gram;
    return any;
}

/* One line in decide.c and in method/cores.c besides. */
extern const crs_core crs_core_direct, crs_core_newton, crs_core_panoc, crs_core_gauss_newton,
    crs_core_tangent, crs_core_multipliers, crs_core_splitting, crs_core_alternation,
    crs_core_frank_wolfe, crs_core_grid, crs_core_plain, crs_core_variable_projection;

/* The k-th core of the decision table for this structure, k from 0; NULL: there are no more
 * (decide.c). */
const crs_core *crs_core_at(const crs_composite *c, int k);

#endif
