/* SPDX-License-Identifier: MIT
 * regression.h: coordinate descent for penalized regression, shared by regression_*.c
 *
 * In the engine's terms the objective is F(b) = (1/n) sum_i phi(u_i) + sum_u w_u rho(|b_u|) with
 * scores e = x b, u = e - y (y o e for labels); x and y are divided by the scale c of the loss,
 * the weights by c^2. A unit u is a column, or the columns of a group, which are neighbours here.
 */
#ifndef CRS_REGRESSION_H
#define CRS_REGRESSION_H

#include <stdatomic.h>

#include <crease/regression.h>

#include "reg/reg.h"
#include "smooth/smooth.h"

typedef struct {
    ptrdiff_t n, p, cols, units; /* cols = p, or p + 1 with a column of ones for b_0 */
    const crs_loss *loss;
    double c;
    double *x, *y;             /* column-major n x cols; n */
    ptrdiff_t *start, *column; /* of units; which column of the problem each one is */
    double *weight;            /* one a unit */
    double *size;              /* |x_j|^2/n, one a column */
    double *length;            /* >= |x_u|_2^2/n, one a unit */
    double *row;               /* v_i, of mean 1; NULL: 1. x and y are times its root */
    double *center, *spread;   /* of the columns of X */
    double y_center;
} crs_design;

/* When to end: by request, or at a time of crs_now(). */
typedef struct {
    atomic_bool stop;
    double until;
    bool ended; /* something early */
} crs_deadline;

enum { CRS_PAST = 5 }; /* steps that an extrapolation looks back on */

typedef struct {
    const crs_design *d;
    const crease_penalty *penalty;
    double par[CREASE_PARS]; /* at the present lambda */
    double *b, *base;        /* coefficients; where the present quadratic model was made */
    double *e, *s, *h, *m;   /* scores; d phi/d e; curvatures; gradient of the model, of n rows */
    double *kept;            /* e at the base */
    double *grad;            /* x_j's/n of the columns at work */
    double *curve;           /* of the model, one a unit */
    double *step;            /* room for one unit */
    double *seen;            /* s when gradients were last looked at: */
    double *reach, *stamp, drift; /* |gradient of unit u| then was reach, the drift stamp */
    ptrdiff_t *work, working;     /* units at work */
    char *at_work;
    bool gram; /* squared loss and room for the Gram matrix of the columns at work */
    ptrdiff_t room, filled, *slot, *slot_column;
    double *g;                                /* of all columns met so far, each in its slot */
    double *pack, *q;                         /* of the columns at work, and their gradients */
    ptrdiff_t packed, packed_columns, *order; /* how many units; slots of the columns */
    double *past;                             /* CRS_PAST + 1 points on the columns at work */
    int points;                               /* so many of them are there */
    double tolerance;
    long sweeps, max_sweeps;
    crs_deadline *deadline; /* NULL: none */
} crs_descent;

struct crease_regression {
    crease_regression_settings s; /* with the defaults filled in */
    crs_design d;
    double *rows;   /* n x cols, row-major: the matrix of the problem */
    double *point;  /* path x cols, in the problem's order */
    double *coef;   /* path x p, for X itself */
    double *weight; /* of the problem: one a column or group */
    double *lambda;
    crease_groups groups;
    int block_number;
    crease_map map;
    crease_predictor predictor;
    crease_space space;
    crease_block *block; /* one a lambda */
    crease_problem *problem;
    crease_regression_solution *solution;
    double lambda_max, first_gradient; /* |gradient at b = 0| */
    double least; /* eigenvalue of x'x/n where it may decide convexity; 0: not known */
    crs_descent *descent;
    crs_deadline own, *deadline; /* own, or of the model that this one cross-validates */
};

/* Everything wrong with settings and data, in a sentence (regression_check.c). */
bool crs_regression_check(const crease_regression_settings *s, ptrdiff_t n, ptrdiff_t p,
                          const double *X, const double *y, crease_error *e);

/* A column's place among the problem's columns, and the unit's weight (regression_design.c). */
bool crs_design_new(crs_design *d, const crease_regression_settings *s, ptrdiff_t n, ptrdiff_t p,
                    const double *X, const double *y, crease_error *e);
void crs_design_free(crs_design *d);
bool crs_regression_centred(const crease_regression_settings *s); /* b_0 is eliminated */

/* The loss by its name's number; c, from the spread of y where it is 0 (regression_loss.c). */
const crs_loss *crs_regression_loss(crease_regression_loss loss);
bool crs_loss_scale(const crease_regression_settings *s, ptrdiff_t n, const double *y, double *c,
                    crease_error *e);
/* sum_i phi(u_i); s = d phi/d e; h = phi'' or, with `safe`, the curvature of a majorant. */
double crs_loss_sum(const crs_design *d, const double *e);
void crs_loss_slopes(const crs_design *d, const double *e, double *s);
void crs_loss_curves(const crs_design *d, const double *e, bool safe, double *h);
double crs_loss_curve(const crs_loss *loss, double u); /* phi'' */

/* rho with its parameters at lambda (regression_penalty.c). */
void crs_penalty_at(const crease_reg *one, double lambda, double par[CREASE_PARS]);
/* out = the minimizer over unit u of <g, .> + (curve/2)|. - b|^2 + w rho. */
void crs_unit_step(const crs_descent *t, ptrdiff_t u, double curve, const double *b,
                   const double *g, double *out);
/* dist(-g, w d rho(|b|))^2 */
double crs_unit_dist(const crs_descent *t, ptrdiff_t u, const double *b, const double *g);
double crs_units_value(const crs_descent *t);
/* Does a gradient of this length leave b_u = 0 where it is? */
bool crs_unit_stays(const crs_descent *t, ptrdiff_t u, double length);

crs_descent *crs_descent_new(const crs_design *d, crease_error *e);
void crs_descent_free(crs_descent *t);
void crs_descent_add(crs_descent *t, ptrdiff_t u); /* unit u goes to work */
/* One round of steps over the units at work; the length of what they changed. */
double crs_sweep_gram(crs_descent *t);
double crs_sweep_columns(crs_descent *t);
void crs_gram_pack(crs_descent *t);
void crs_gram_remember(crs_descent *t);         /* and extrapolate in due time */
bool crs_gram_add(crs_descent *t, ptrdiff_t u); /* false: no room */

/* Is it time to end? (regression_deadline.c) */
bool crs_deadline_met(crs_deadline *d);

/* Minimizes the model on the units at work; the residual there (regression_steps.c). */
void crs_descent_refresh(crs_descent *t);
double crs_descent_residual(const crs_descent *t);
void crs_descent_improve(crs_descent *t, double tolerance);

/* Puts units to work whose zero is not optimal; how many (regression_screen.c). */
ptrdiff_t crs_descent_screen(crs_descent *t);
void crs_descent_look(crs_descent *t, ptrdiff_t u); /* computes reach */
void crs_descent_drift(crs_descent *t);

/* Stationary at the present parameters from the present b? (regression_solve.c) */
bool crs_descent_solve(crs_descent *t);
void crs_descent_restart(crs_descent *t); /* the units at work are those with b_u != 0 */
double crs_descent_lambda_max(crs_descent *t, const crease_reg *one);

/* A model, with its problems or, for cross-validation, without (regression.c). */
crease_regression *crs_regression_make(const crease_regression_settings *s, ptrdiff_t n,
                                       ptrdiff_t p, const double *X, const double *y, bool problems,
                                       crease_error *e);
bool crs_regression_problems(crease_regression *m, crease_error *e); /* regression_problem.c */
bool crs_regression_least(crease_regression *m, crease_error *e);    /* regression_convexity.c */
bool crs_regression_convexity(const crease_regression *m, ptrdiff_t k,
                              crease_regression_certificate *out, crease_error *e);

/* The path of a model; the numbers of a solution (regression_path.c). */
bool crs_regression_lambdas(crease_regression *m, crease_error *e);
double crs_regression_deviance(const crs_design *d, double y, double score);
/* The first `solved` lambdas, in the order of solving, are the whole path (regression_deadline.c).
 */
void crs_regression_cut(crease_regression *m, ptrdiff_t solved);

static inline const double *column_of(const crs_design *d, ptrdiff_t j) { return d->x + j * d->n; }
static inline ptrdiff_t unit_size(const crs_design *d, ptrdiff_t u)
{
    return d->start[u + 1] - d->start[u];
}

#endif
