/* SPDX-License-Identifier: MIT
 * solver.h: the one object that owns memory. All of it is there before the first iteration, but
 * for proofs that there is no answer. */
#ifndef CREASE_SOLVER_H
#define CREASE_SOLVER_H

#include <crease/analysis.h>
#include <crease/certificate.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct crease_solver crease_solver;

typedef struct {
    crease_outcome outcome;
    long iterations, evaluations;
    double seconds;
    long audit_violations;        /* iterations whose potential rose beyond rounding */
    double audit_worst;           /* the worst rise, relative */
    long accelerated, restarts;   /* accepted extrapolations; changes of L-hat or mu */
    long moved_starts;            /* start points that were projected onto their sets */
    double bound;                 /* K from the first iterate; INFINITY: none */
    double pairs;                 /* products with all maps and their adjoints; NaN: not counted */
    long spectra, factorizations; /* of blocks; of linear systems. Counted along with pairs */
    char note[200];               /* a sentence when something is off, else empty */
} crease_report;

/* One of the points that a run with several starts, or with continuation, ended at. */
typedef struct {
    char start[32];       /* "given", "given, led", "squares", "random 1", ... */
    crease_method method; /* that ended there */
    crease_outcome outcome;
    double objective, residual; /* F and the worst residual, in the measure of eps */
    long iterations;            /* of its run and of the stages before it */
} crease_point;

/* Called after every iteration; false asks to stop. */
typedef bool crease_callback(const crease_progress *progress, void *user);

/* Borrows the problem; copies options. NULL with a sentence on failure. */
CREASE_API crease_solver *crease_solver_new(const crease_problem *p, const crease_options *o,
                                            crease_error *e);
CREASE_API void crease_solver_free(crease_solver *s);

/* Before the first step: the multiplier to begin with, one number a row of the constraint, copied.
 * The starts of x are the blocks'. False with a sentence, as for methods whose theorem counts from
 * 0. */
CREASE_API bool crease_solver_begin_at(crease_solver *s, const double *lambda, crease_error *e);

/* The problem that the solver borrowed has new numbers: the right-hand side, data vectors and
 * weights of f, its linear terms, regularizers or sets; spaces, maps and matrices are as they were.
 * The next step begins another run, from the answer of this one with its multiplier and everything
 * that was computed of the matrices. False with a sentence; the solver can then only be freed. */
CREASE_API bool crease_solver_update(crease_solver *s, crease_error *e);

CREASE_API void crease_solver_callback(crease_solver *s, crease_callback *call, void *user);

/* Stops this run; may be called from a signal handler or another thread. A watch of the options
 * (watch.h) does it for every run that it was given to. */
CREASE_API void crease_solver_stop(crease_solver *s);

/* One iteration. Returns the outcome so far: NOT_RUN means go on. */
CREASE_API crease_outcome crease_step(crease_solver *s);

/* Iterations until the certificate says stationary or a limit says stop. */
CREASE_API crease_outcome crease_solve(crease_solver *s);

/* The best certified iterate, its multiplier (NULL without a constraint) and certificate. */
CREASE_API const double *crease_solution(const crease_solver *s, int block);
CREASE_API const double *crease_multiplier(const crease_solver *s);
CREASE_API const crease_certificate *crease_solver_certificate(const crease_solver *s);
/* What was done to the problem before the run, one sentence each; NULL: no more than k. */
CREASE_API const char *crease_presolve(const crease_solver *s, int k);
/* The points that options starts and continuation led to, in order; crease_solution is the one with
 * the lowest F of those that are certified. 0: neither was asked for. The report then counts all
 * runs together, each of which takes memory of its own. */
CREASE_API int crease_point_count(const crease_solver *s);
CREASE_API crease_point crease_point_at(const crease_solver *s, int k);
/* The k-th method of the run's row of the decision table (docs/methods.md), which goes on where the
 * one before it stalls, and what that method takes, in words; AUTO: no more than k, or the run has
 * no such row. needs may be NULL. */
CREASE_API crease_method crease_planned(const crease_solver *s, int k, const char **needs);
CREASE_API const crease_analysis *crease_solver_analysis(const crease_solver *s);
CREASE_API crease_report crease_solver_report(const crease_solver *s);
CREASE_API crease_progress crease_solver_progress(const crease_solver *s);

/* The proof of an INFEASIBLE run, for crease_verify_infeasible: one number per row; of an UNBOUNDED
 * one, for crease_verify_unbounded from crease_solution. NULL after any other outcome. */
CREASE_API const double *crease_separator(const crease_solver *s);
CREASE_API const double *crease_ray(const crease_solver *s, int block);

#ifdef __cplusplus
}
#endif

#endif
