/* SPDX-License-Identifier: MIT
 * core_run.h: a core turned by hand: in every step F does not rise, and what the core says of its
 * point is recomputed from the problem */
#ifndef CREASE_CORE_RUN_H
#define CREASE_CORE_RUN_H

#include <crease/certificate.h>

#include "composite/cores.h"
#include "support/arrays.h"

typedef struct {
    const crease_problem *p;
    crs_work work;
    crs_composite *c;
    double *tolerance, *u, *g;
    const double **x;
    crs_task task;
    const crs_core *core;
    void *self;
    crs_standing at;
    crs_core_state state;
    long steps;
    bool from_above; /* the core's ratio is only a bound */
} core_run;

static inline void begin_run(core_run *r, const crs_core *core, const crease_problem *p, double eps)
{
    crease_error e = { CREASE_OK, "" };
    *r = (core_run){ .p = p, .core = core };
    r->c = crs_composite_new(p, 1, &r->work, NULL, &e);
    if (!r->c) fail_msg("no composite: %s", e.text);
    r->tolerance = doubles(p->count);
    r->u = unset_doubles(r->c->rows);
    r->g = unset_doubles(r->c->n);
    r->x = calloc((size_t)p->count, sizeof *r->x);
    fill(p->count, eps, r->tolerance);
    r->task = (crs_task){ .c = r->c, .start = r->c->start, .tolerance = r->tolerance };
    assert_true(core->suits(r->c));
    r->self = core->open(&r->task, &e);
    if (!r->self) fail_msg("%s does not open: %s", core->name, e.text);
    core->stand(r->self, &r->at);
}

static inline void check_standing(core_run *r, double before)
{
    double F;
    crease_error e;
    for (int i = 0; i < r->c->count; i++) r->x[i] = r->at.x + r->c->at[i];
    if (!crease_objective(r->p, r->x, &F, &e)) fail_msg("no objective: %s", e.text);
    if (!(r->at.objective <= before + 1e-12 * fabs(before)))
        fail_msg("%s: F rose by %g in step %ld", r->core->name, r->at.objective - before, r->steps);
    if (!(fabs(r->at.objective - F) <= 1e-10 * (1 + fabs(F))))
        fail_msg("%s says F = %.17g, it is %.17g", r->core->name, r->at.objective, F);
    crs_smooth_both(r->c, r->at.x, r->u, r->g);
    const double ratio = crs_residual(r->c, r->at.x, r->g, r->tolerance);
    const double off = r->from_above ? pos(ratio - r->at.ratio) : fabs(r->at.ratio - ratio);
    if (!(off <= 1e-4 * ratio + 0.1))
        fail_msg("%s says a ratio of %g, it is %g", r->core->name, r->at.ratio, ratio);
}

/* At most this many steps more, or until it ends. */
static inline void turn(core_run *r, long most)
{
    r->state = CRS_CORE_GOES_ON;
    for (long k = 0; k < most && r->state == CRS_CORE_GOES_ON; k++) {
        const double before = r->at.objective;
        r->state = r->core->step(r->self);
        r->steps++;
        r->core->stand(r->self, &r->at);
        check_standing(r, before);
    }
}

/* The worst residual by the certificate. */
static inline double certified_residual(core_run *r)
{
    crease_certificate c = { .count = r->p->count };
    c.block = calloc((size_t)r->p->count, sizeof *c.block);
    double *work = unset_doubles(crease_certify_scratch(r->p));
    for (int i = 0; i < r->c->count; i++) r->x[i] = r->at.x + r->c->at[i];
    crease_certify(r->p, r->x, NULL, &c, work);
    assert_true(c.outside <= 1e-12);
    free(c.block), free(work);
    return c.worst;
}

static inline void end_run(core_run *r)
{
    r->core->close(r->self);
    crs_composite_free(r->c);
    free(r->tolerance), free(r->u), free(r->g), free(r->x);
}

/* Turned until it is certified to eps. */
static inline void run_to(core_run *r, const crs_core *core, const crease_problem *p, double eps,
                          long most)
{
    begin_run(r, core, p, eps);
    turn(r, most);
    const double worst = certified_residual(r);
    if (r->state != CRS_CORE_DONE || !(worst <= 1.5 * eps))
        fail_msg("%s ends with state %d after %ld steps, residual %g", core->name, (int)r->state,
                 r->steps, worst);
}

#endif
