/* SPDX-License-Identifier: MIT
 * portfolio.h: the cores of composite/ behind the one driver: which runs, when another takes over,
 * how its points come back to the user's problem */
#ifndef CRS_PORTFOLIO_H
#define CRS_PORTFOLIO_H

#include <crease/certificate.h>

#include "method/method.h"
#include "presolve/presolve.h"

typedef struct crs_portfolio crs_portfolio;

/* Borrows p. NULL with a sentence: no core takes it. */
crs_portfolio *crs_portfolio_new(const crease_problem *p, const crease_options *o, crease_error *e);
void crs_portfolio_free(crs_portfolio *f);

/* The method of the core that runs. */
crease_method crs_portfolio_method(const crs_portfolio *f);
/* The k-th core that it may come to; NULL: no more. */
const crs_core *crs_portfolio_planned(const crs_portfolio *f, int k);
const crs_plan *crs_portfolio_plan(const crs_portfolio *f);

/* Before the first step: the run's watch, and the certificate of the start for the tolerances.
 * doubted: the start is stationary, and a plain step is taken before any core looks at it. */
bool crs_portfolio_begin(crs_portfolio *f, crease_watch *w, const crease_certificate *c,
                         bool doubted, crease_error *e);
/* The multiplier to begin with, where presolve left the constraint as it is. */
void crs_portfolio_multiplier(crs_portfolio *f, const double *lambda);
/* The problem p has new numbers in its old matrices; x is where the run was. Then begin again. */
bool crs_portfolio_update(crs_portfolio *f, const crease_problem *p, const double *const *x,
                          crease_error *e);
/* An estimate of L, the Lipschitz constant of grad f; INFINITY: there is none. */
double crs_portfolio_curvature(const crs_portfolio *f);
crs_core_state crs_portfolio_step(crs_portfolio *f);

/* The certificate c of a point that the core took for done says that it is not: aim lower.
 * Returns how often that was said. */
int crs_portfolio_aim(crs_portfolio *f, const crease_certificate *c);

bool crs_portfolio_forced(const crs_portfolio *f); /* the method was asked for by name */
/* y for the checker to confirm that the user's constraint has no solution; NULL: none was found. */
const double *crs_portfolio_separator(const crs_portfolio *f);

/* Where the core stands; x by the user's blocks, lambda NULL without a constraint. */
void crs_portfolio_point(const crs_portfolio *f, double *const *x, double *lambda);
crs_standing crs_portfolio_standing(const crs_portfolio *f);
double crs_portfolio_pairs(const crs_portfolio *f);

/* The place of the core that runs in its row; what steps change, of a run whose core was there. */
int crs_portfolio_place(const crs_portfolio *f);
void crs_portfolio_visit(crs_visitor *v, crs_portfolio *f, int place, crease_watch *w);

#endif
