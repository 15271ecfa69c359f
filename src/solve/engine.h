/* SPDX-License-Identifier: MIT
 * engine.h: what every engine supplies, and the run that the one driver makes of it (driver.c)
 *
 * An engine makes iterations and certificates of its iterate. Limits, callback, watch, best
 * certificate, report and outcome are the driver's. A step that the watch cuts leaves an iterate
 * that a certificate can be made of: the one before, or a part of the step that stands alone. */
#ifndef CRS_ENGINE_H
#define CRS_ENGINE_H

#include <crease/solver.h>

#include "core/checkpoint.h"
#include "method/method.h"

typedef enum {
    CRS_GO_ON,
    CRS_ASKS,  /* a certificate is due */
    CRS_DONE,  /* no step will change anything */
    CRS_BROKEN /* no step can be taken */
} crs_advance;

typedef struct {
    /* One iteration; what it knows of theta, potential, objective goes to the run's progress. */
    crs_advance (*step)(void *self);
    long (*evaluations)(const void *self);
    void (*certify)(void *self, crease_certificate *c); /* of the iterate */
    void (*keep)(void *self);   /* the iterate that was certified is the answer so far */
    void (*go_on)(void *self);  /* after a certificate that did not end the run; NULL: nothing */
    void (*settle)(void *self); /* when the run has ended; NULL: nothing */
    /* After a certificate that is not stationary: INFEASIBLE or UNBOUNDED with a proof, else
     * NOT_RUN. diverged: the run is about to be given up. NULL: never. */
    crease_outcome (*refute)(void *self, bool diverged);
    /* What a step lowers; NULL: a start that is certified is the answer. */
    double (*merit)(void *self);
    /* What steps change beside the run's own, for a checkpoint; NULL: nothing is noted. */
    crs_visit_function *visit;
    bool asks;   /* certificates only when a step asks for one, and of the start */
    bool at_end; /* certificates only when a step is done, otherwise every so many iterations */
    bool mends_start; /* a start outside the domain is no failure: the first step mends it */
} crs_engine;

typedef struct {
    const crs_engine *engine;
    void *self;
    crease_options o;
    bool keep_last; /* the answer is the last iterate, otherwise the best one */
    bool by_theta;  /* theta and limits end the run, never the certificate */
    long before;    /* iterations of earlier runs that the watch was told of; these count on */
    bool begun;     /* max_seconds count from when the watch was opened, else the first step */
    double first;   /* objective of the start */
    double drop;    /* and by how much the first iteration lowered it */
    double trial;   /* merit of a start that is certified, until a step was tried; else NaN */
    bool started, theta_stop;
    bool stepped;            /* the iteration is made, but not yet judged */
    crs_advance said;        /* by its step */
    bool part;               /* of a larger run, which says what its limits mean for that */
    const crs_engine *noted; /* the engine at the begin of a unit of a checkpoint; NULL: none */
    crease_certificate now,
        best;   /* of the iterate and of the answer; their blocks are the owner's */
    int blocks; /* that they have room for */
    crease_report report;
    crease_progress progress;
    crease_callback *call;
    void *user;
    const crease_comm *comm; /* the ranks that end together; NULL: this process alone */
    crease_watch watch;      /* of this run, in that of the options; stands open from the start */
} crs_driver;

/* A run by the method of an analysis; its watch is open where `begun`. False with a sentence when
 * an option that the method does not read has not its default. */
bool crs_driver_open(crs_driver *r, const crs_engine *engine, void *self, const crease_options *o,
                     const crease_analysis *a, crease_error *e);

/* Another run of the same engine from where it is. */
void crs_driver_again(crs_driver *r);

/* One iteration; NOT_RUN: go on. */
crease_outcome crs_driver_step(crs_driver *r);

/* Around a loop of steps, and between two of them: the run is a unit of a checkpoint. One that a
 * limit of iterations or evaluations has ended goes on from there, where there is more of it. */
void crs_driver_enter(crs_driver *r);
void crs_driver_tick(crs_driver *r);
void crs_driver_leave(crs_driver *r);
void crs_driver_visit(crs_visitor *v, void *run); /* with what its engine visits */

/* By how much `now` lies above before - promised, relative to the terms it is the sum of. */
static inline double crs_rise(double before, double now, double promised, double squares)
{
    return (now - before + promised) / (1 + fabs(before) + fabs(now) + squares);
}

/* Puts a rise of a potential beyond rounding down in the report. */
void crs_count_rise(crease_report *r, const crease_analysis *a, double rise);

/* How many doubles a solver of blocks takes, without taking them (blocks.c). */
bool crs_solver_forecast(const crease_problem *p, const crease_analysis *a, ptrdiff_t *doubles,
                         crease_error *e);

/* crease_solver_new with the paper's methods alone: the models of robust PCA have starts that
 * belong to them (blocks.c). */
crease_solver *crs_paper_solver(const crease_problem *p, const crease_options *o, crease_error *e);

/* A solver whose steps and certificates are those of an engine from elsewhere, which keeps its
 * answer in x, a vector for every block, and lambda; all of it borrowed (blocks.c). */
typedef struct {
    const crs_engine *engine;
    void *self;
    crease_method method;
    const char *theorem; /* that covers the steps, or what to say without one */
    double *const *x, *lambda;
} crs_guest;
crease_solver *crs_guest_solver(const crease_problem *p, const crease_options *o,
                                const crs_guest *guest, crease_error *e);

/* The run of a solver of blocks (blocks.c). */
crs_driver *crs_solver_driver(crease_solver *s);
/* Of one with the steps of a paper's method: what they change, its run included. */
void crs_solver_visit(crs_visitor *v, crease_solver *s);

/* The steps of a solver that another run turns ask that run's watch. */
void crs_solver_watch(crease_solver *s, crease_watch *w);

#endif
