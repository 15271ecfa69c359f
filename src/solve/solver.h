/* SPDX-License-Identifier: MIT
 * solver.h: the solver of blocks, shared by the files of this folder */
#ifndef CRS_SOLVER_H
#define CRS_SOLVER_H

#include <crease/certificate.h>

#include "problem/problem.h"
#include "solve/engine.h"
#include "solve/portfolio.h"

typedef struct crs_points crs_points;

struct crease_solver {
    crs_driver run;
    const crease_problem *given; /* what the caller asked; certificates are about it */
    const crease_problem *p;     /* what is run: `given`, or with a slack block */
    crs_extension *extension;    /* NULL: none */
    crease_analysis *a;
    const crs_method *method;
    crs_portfolio *portfolio; /* the cores that run it; NULL: a method's own steps */
    crs_points *points;       /* the runs from several starts; NULL: one run, this solver's own */
    crs_state st;

    double **before;                        /* the iterate before the last one, for extrapolation */
    double *u_before, *s_before, *r_before; /* what belongs to it (method.h) */
    double **kept, *kept_lambda;            /* to take a step or a candidate back */
    double **best, *best_lambda;            /* the best certified iterate */
    double *certify_work;
    crease_reference *reference; /* what residuals are relative to; NULL: eps is absolute */
    void *memory;                /* every array above but for that, in one block */

    double potential, last_move;
    double stalled;     /* feasibility where the extension last began anew */
    long since_restart; /* iterations since the extrapolation began anew */

    long doubted;                     /* the iteration at which an answer was doubted last */
    double doubted_off, doubted_size; /* |A x - b| and |x| then */
    double doubted_worst, doubted_F;  /* the worst residual and F then */
    double settled;                   /* |x| where residuals first came below 1e-2; 0: not yet */
    double doubted_low;               /* F when it was last thought to have no least value */
    bool begins_at;                   /* with a multiplier that the caller gave */
    bool claimed;                     /* the core takes its point for stationary */
    bool stalls, grows;               /* what made its run doubtful */
    double core_size, core_F;         /* |x| and F of the core when that was asked last */
    int trials;                       /* of separators */
    double *separator, **ray;         /* proofs that there is none; NULL: none was found */
};

/* The engine of a solver with a portfolio (cores.c). */
extern const crs_engine crs_cores_engine;

/* What is common to both engines of a solver (blocks.c). */
void crs_solver_certify(void *self, crease_certificate *c);
void crs_solver_keep(void *self);

/* The race for a good point (points.c). True without points where the options ask for one run. */
bool crs_points_open(crease_solver *s, const crease_options *given, crease_error *e);
void crs_points_free(crs_points *p);
crease_outcome crs_points_step(crease_solver *s);
crease_outcome crs_points_solve(crease_solver *s); /* all steps, as units of a checkpoint */

/* Is extrapolation on; and does x move on to the candidate, if that is no worse (extrapolate.c)? */
bool crs_extrapolates(const crease_solver *s);
void crs_extrapolate(crease_solver *s);
/* The iterate counts as the one before, too: the next extrapolation goes nowhere. */
void crs_forget_before(crease_solver *s);
/* s and u of the iterate and of the one before from their definitions, so that rounding does not
 * add up: of one alone, extrapolation would amplify the difference. */
void crs_refresh_both(crease_solver *s);

/* The paper's method for the problem goes on where the cores are stuck; false: there is none, and
 * nothing has changed. */
bool crs_fall_back(crease_solver *s);

/* Is there no answer? INFEASIBLE or UNBOUNDED with a proof, otherwise NOT_RUN (refute.c). diverged:
 * F is so low that the run will end. */
crease_outcome crs_refute(crease_solver *s, bool diverged);
/* The same for a run of cores, at an iterate that was certified, with what its owner saw: that it
 * comes no nearer to the constraint, and that x grows. */
crease_outcome crs_refute_core(crease_solver *s, bool stalls, bool grows);
/* y of a core: does it prove that no point meets the constraint? Kept then. */
bool crs_confirm_separator(crease_solver *s, const double *y);
/* A line of the analysis as the run has it now. */
void crs_revise(crease_solver *s, const char *name, crease_status status, const char *reason);
void crs_forget_ray(crease_solver *s);
/* What the run that has ended says of feasibility goes into its analysis and its note. */
void crs_settle_doubts(crease_solver *s);

static inline ptrdiff_t crs_size(const crease_solver *s, int i)
{
    return crease_size(&s->p->space[i]);
}

static inline void crs_copy_point(const crease_solver *s, double *const *from, double *const *to)
{
    for (int i = 0; i < s->p->count; i++) copy(crs_size(s, i), from[i], to[i]);
}

#endif
