/* SPDX-License-Identifier: MIT
 * solver.h: the solver's insides, shared by the files of this folder */
#ifndef CRS_SOLVER_H
#define CRS_SOLVER_H

#include <stdatomic.h>

#include <crease/solver.h>

#include "method/method.h"
#include "problem/problem.h"
#include "theory/theory.h"

struct crease_solver {
    const crease_problem *given; /* what the caller asked; certificates are about it */
    const crease_problem *p;     /* what is run: `given`, or with a slack block */
    crs_extension *extension;    /* NULL: none */
    crease_options o;
    crease_analysis *a;
    const crs_method *method;
    crs_state st;

    double **before;               /* the iterate before the last one, for extrapolation */
    double **kept, *kept_lambda;   /* to take a step or a candidate back */
    double **best, *best_lambda;   /* the best certified iterate */
    crease_certificate now, found; /* of the iterate, and of the best one */
    double *certify_work;
    const double **scale_point; /* scratch of certificates with relative scales */
    double *memory;             /* every array above, in one block */
    double **pointers;
    crease_residual *residuals;

    crease_report report;
    crease_progress progress;
    bool started;
    double begun, first; /* time and objective of the start */
    double potential, last_move;
    double stalled;     /* feasibility where the extension last began anew */
    long since_restart; /* iterations since the extrapolation began anew */
    crease_callback *call;
    void *user;
    atomic_bool stop;
};

/* How many doubles a solver takes, without taking them. */
bool crs_solver_forecast(const crease_problem *p, const crease_analysis *a, ptrdiff_t *doubles,
                         crease_error *e);

/* The slack takes up the whole residual; mu grows when it stalls (extension.c). */
void crs_restart_extension(crease_solver *s);
void crs_adapt_extension(crease_solver *s);

/* Extrapolate, then go on from there only if the potential allows (accelerate.c). */
void crs_accelerate(crease_solver *s);

/* Did the potential fall as the theorem says? Called after each step; false when a step was taken
 * back because M was guessed too small (audit.c). */
bool crs_audit(crease_solver *s, double move);

/* A residual by the measure that is compared with eps. */
static inline double crs_rated(const crease_solver *s, const crease_residual *r)
{
    return s->o.relative && r->residual != 0 ? r->residual / r->scale : r->residual;
}

static inline ptrdiff_t crs_size(const crease_solver *s, int i)
{
    return crease_size(&s->p->space[i]);
}

static inline void crs_copy_point(const crease_solver *s, double *const *from, double *const *to)
{
    for (int i = 0; i < s->p->count; i++) copy(crs_size(s, i), from[i], to[i]);
}

#endif
