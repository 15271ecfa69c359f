/* SPDX-License-Identifier: MIT
 * core_steps.h: a core on a problem, step by step, and its answer by the definitions */
#ifndef CREASE_CORE_STEPS_H
#define CREASE_CORE_STEPS_H

#include "composite/cores.h"
#include "support/test.h"

enum { CORE_BLOCKS = 4 };

typedef struct {
    const crs_core *core;
    crs_work work;
    crs_composite *c;
    void *self;
    double tolerance[CORE_BLOCKS], feasible;
    crs_task task;
    crs_standing now;
    crs_core_state said;
    long steps;
} core_steps;

static inline void core_begin(core_steps *r, const crs_core *core, const crease_problem *p,
                              double eps, crease_watch *watch)
{
    crease_error e = { CREASE_OK, "" };
    *r = (core_steps){ .core = core, .feasible = eps };
    for (int i = 0; i < CORE_BLOCKS; i++) r->tolerance[i] = eps;
    r->c = crs_composite_new(p, 0, &r->work, watch, &e);
    if (!r->c) fail_msg("%s", e.text);
    r->task = (crs_task){ .c = r->c, .start = r->c->start, .tolerance = r->tolerance };
    if (core->constrained) r->task.feasible = &r->feasible;
    assert_true(core->suits(r->c));
    r->self = core->open(&r->task, &e);
    if (!r->self) fail_msg("%s", e.text);
    core->stand(r->self, &r->now);
}

/* Until it ends; without a constraint F never rises. */
static inline void core_go(core_steps *r, long most)
{
    for (r->steps = 0, r->said = CRS_CORE_GOES_ON; r->said == CRS_CORE_GOES_ON && r->steps < most;
         r->steps++) {
        const double before = r->now.objective;
        r->said = r->core->step(r->self);
        r->core->stand(r->self, &r->now);
        if (!r->core->constrained && r->now.objective > before + 1e-12 * (1 + fabs(before)))
            fail_msg("F rises from %.17g to %.17g in step %ld of %s", before, r->now.objective,
                     r->steps, r->core->name);
    }
}

static inline void core_end(core_steps *r)
{
    r->core->close(r->self);
    crs_composite_free(r->c);
}

/* The worst residual by the definitions. */
static inline double core_certified(const core_steps *r, const crease_problem *p)
{
    double *work = crs_alloc((size_t)crease_certify_scratch(p), sizeof *work);
    const double *x[CORE_BLOCKS];
    crease_residual block[CORE_BLOCKS];
    crease_certificate c = { .block = block };
    assert_non_null(work);
    for (int i = 0; i < p->count; i++) x[i] = r->now.x + r->c->at[i];
    crease_certify(p, x, r->now.multiplier, &c, work);
    crs_free(work);
    return c.worst;
}

#endif
