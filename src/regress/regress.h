/* SPDX-License-Identifier: MIT
 * regress.h: coordinate descent for penalized regression, shared by the files of this folder
 *
 * In the engine's terms the objective is F(b) = (1/n) sum_i phi(u_i) + sum_u w_u rho(|b_u|) with
 * scores e = x b, u = e - y (y o e for labels); x and y are divided by the scale c of the loss,
 * the weights by c^2. A unit u is a column, or the columns of a group, which are neighbours here.
 * Rows of weights v = r^2 have x times r, so that e, slopes and curvatures of
 * v_i phi(e_i/r_i - y_i) are r_i z_i, r_i phi'(u_i) and phi''(u_i): lengths of columns, bounds and
 * models know nothing of weights. Of squares that is (e_i - r_i y_i)^2/2, and y is times r too. */
#ifndef CRS_REGRESS_H
#define CRS_REGRESS_H

#include <stdatomic.h>

#include <crease/regression.h>

#include "certify/certify.h"
#include "core/carve.h"
#include "core/checkpoint.h"
#include "dense/dense.h"
#include "reg/reg.h"
#include "smooth/smooth.h"

/* X as it is given: dense and row-major, or sparse rows whose columns ascend. Dense rows may be
 * given away: what *given points to, of crs_alloc and the same as dense, becomes the columns of the
 * design where it lies, and *given NULL. */
typedef struct {
    ptrdiff_t n, p;
    const double *dense;
    const crease_csr_matrix *sparse;
    double **given; /* NULL: the rows stay the caller's */
} crs_table;

typedef struct {
    void *memory;                /* of the arrays, */
    double *given;               /* but for x where the caller gave it */
    ptrdiff_t n, p, cols, units; /* cols = p, or p + 1 with a column of ones for b_0 */
    bool weighted, taken;        /* rows have weights; x is what was given */
    const crs_loss *loss;
    double c;
    double *x, *y; /* column-major n x cols; n */
    bool sparse;   /* then there is no x, but column j is, in the rows at[k], */
    ptrdiff_t entries, *first, *at;
    double *value, *shift, *r; /* value[k], k = first[j] .. first[j+1]-1, less shift_j r; r the
                                  roots of the weights of all rows, also of squares */
    ptrdiff_t *start, *column; /* of units; which column of the problem each one is */
    double *weight;            /* per unit */
    double *size;              /* |x_j|^2/n, per column */
    double *length;            /* >= |x_u|_2^2/n, per unit */
    double *row;               /* v_i, of mean 1; NULL: 1. x is times its root */
    double *root;              /* that; NULL: 1, or squared loss, where y is times it */
    double *center, *spread;   /* of the columns of X */
    double y_center;
    double one; /* b_0 is so many times its coefficient here */
} crs_design;

typedef struct {
    crease_watch watch; /* in the caller's */
    bool ended;         /* something early */
} crs_deadline;

/* How far the folds of a cross-validation are: solutions that are done, and of all folds. */
typedef struct {
    atomic_long done;
    double of;
} crs_folds_told;

/* A convex objective is followed to |residual| |b| <= CRS_NEAR eps F, F being what it is there; a
 * minimizer is called one within CRS_NEAR eps F of the least value. */
enum { CRS_NEAR = 100 };

enum { CRS_PAST = 5 }; /* steps that an extrapolation looks back on */

typedef struct {
    const crs_design *d;
    void *memory;            /* of the arrays */
    crs_penalty_value value; /* w_u rho at the present lambda, u the unit at hand */
    double first, concavity; /* rho'(0) there, and by what curvature rho becomes convex */
    double *b, *base;        /* coefficients; where the present quadratic model was made */
    double *e, *s, *h, *m;   /* scores; d phi/d e; curvatures; gradient of the model, of n rows */
    double *kept;            /* e at the base */
    double *grad;            /* x_j's/n of the columns of the working set */
    double *curve;           /* of the model, per unit */
    double *step;            /* room for one unit */
    ptrdiff_t *chosen; /* Newton's step: columns; room for crs_support_step; curvatures are at */
    double *newton, guard;             /* least this share of the majorant's */
    double *seen;                      /* s at the last `moments` when gradients were looked at: */
    double *reach;                     /* |gradient of unit u| was reach at moment stamp */
    ptrdiff_t *stamp, moment, moments; /* moments: a power of 2 */
    double *share, *rest, *moved; /* s now is share times that s and something of size rest, or that
                                     and something of size moved, both over sqrt(n) */
    double outside; /* dist(-grad f, dr)^2 over the units that the last screening met in doubt */
    double ahead; /* by what share the parameters fall before there is a look at all units; 0: no */
    ptrdiff_t *hopeful, hopes; /* those that alone are looked at until then; -1: not chosen yet */
    ptrdiff_t *work, working;  /* the working set and its size */
    char *in_set;              /* per unit */
    bool gram;                 /* squared loss and room for the Gram matrix of the working set */
    ptrdiff_t room, filled, *slot, *slot_column;
    double *g;                                /* of all columns met so far, each in its slot */
    double *pack, *q;                         /* of the working set, and its gradients */
    ptrdiff_t packed, packed_columns, *order; /* how many units; slots of the columns */
    double *past;                             /* CRS_PAST + 1 points on the working set */
    double total;                             /* lifted(s) */
    double *origin, *tilt, lift, cross, mass; /* of the model of a sparse design: descent.c */
    int points;                               /* so many of them are there */
    double tolerance;
    double near, finest; /* also |residual| |b| <= near F, or |residual| <= finest; near 0: no */
    long sweeps, max_sweeps;
    crs_deadline *deadline; /* NULL: none */
} crs_descent;

struct crease_regression {
    crease_regression_settings s; /* with the defaults filled in */
    crs_design d;
    double *rows; /* n x cols, row-major: the matrix of the problem where the columns of the
                     design are not; NULL: they are, or it is sparse, with */
    crease_csr_matrix csr; /* its rows without shifts, and u v', which are the shifts */
    crease_factored_matrix shifts;
    crease_map part[2];
    crease_map_list parts;
    double *point;  /* path x cols, in the problem's order */
    double *coef;   /* path x p, for X itself */
    double *weight; /* of the problem: per column or group */
    double *lambda;
    crease_groups groups;
    int block_number;
    crease_map map;
    crease_predictor predictor;
    crease_space space;
    crease_block *block; /* per lambda */
    crease_problem *problem;
    crease_regression_solution *solution;
    double lambda_max, first_gradient; /* |gradient at b = 0| */
    double least; /* eigenvalue of x'x/n where it may decide convexity; 0: not known */
    crease_reference *reference; /* of all problems, */
    double *at_zero;             /* like the gradient at 0 */
    /* Scores, slopes and x's of CRS_AHEAD solutions or, seen then saying whose are there, of all */
    double *images, *slopes, *gradients; /* NULL: of none (known.c) */
    char *seen;
    crs_descent *descent;
    ptrdiff_t solved, stride;    /* lambdas of the path; how many together, if they are near */
    crs_deadline own, *deadline; /* own; through this, what takes the model as it is may end it */
    crs_folds_told *among;       /* NULL: not of a fold */
    struct crs_rows_fit *on;     /* of rows in slabs (rows.h): then d has no rows, and there are
                                    neither problems nor a descent; NULL: X is in memory */
};

/* Everything wrong with settings and data, in a sentence (design.c). */
bool crs_regression_check(const crease_regression_settings *s, const crs_table *X, const double *y,
                          crease_error *e);
/* What does not depend on the data; n, p: the shape of X. */
bool crs_regression_check_settings(const crease_regression_settings *s, ptrdiff_t n, ptrdiff_t p,
                                   crease_error *e);
bool crs_design_new(crs_design *d, const crease_regression_settings *s, const crs_table *X,
                    const double *y, crease_error *e);

/* sum_i phi(u_i); s = d phi/d e; h = phi'' or, with `safe`, the curvature of a majorant. */
double crs_loss_sum(const crs_design *d, const double *e);
void crs_loss_slopes(const crs_design *d, const double *e, double *s);
void crs_loss_curves(const crs_design *d, const double *e, bool safe, double *h);

const crs_loss *crs_regression_loss_at(crease_regression_loss loss);
/* c, where it is not given from y and the weights of rows */
bool crs_loss_scale(const crease_regression_settings *s, ptrdiff_t n, const double *y, double *c,
                    crease_error *e);

/* rho with its parameters at lambda (descent.c). */
void crs_penalty_at(const crease_reg *one, double lambda, double par[CREASE_PARS]);

crs_descent *crs_descent_new(const crs_design *d, crease_error *e);
void crs_descent_free(crs_descent *t);
double crs_descent_gradient(crs_descent *t); /* |gradient| at b = 0, before any step */
double crs_units_value(crs_descent *t);      /* sum_u w_u rho(|b_u|) */
/* The least lambda at which 0 stays in every unit alone, the units without a weight being fitted.
 */
double crs_descent_lambda_max(crs_descent *t, const crease_reg *one);
void crs_descent_visit(crs_visitor *v, crs_descent *t); /* what solving changes */
/* Stationary at the present parameters from the present b? */
bool crs_descent_solve(crs_descent *t);
/* At a point b with x's, is a 0 in doubt? With its scores e, not NULL, the descent is there. */
bool crs_descent_go(crs_descent *t, const double *b, const double *e, const double *g);

enum { CRS_MOST_SUPPORT = 500 }; /* columns whose Hessian is made */

/* Columns of whole units, ascending, none of which is 0 unless it has no penalty (support.c). */
typedef struct {
    const crs_design *d;
    const crs_penalty_value *value; /* rho and its parameters; NULL: the loss alone */
    const double *h, *b;            /* curvatures of the loss, per row; the point */
    ptrdiff_t count;
    const ptrdiff_t *chosen;
    double *row; /* room for n numbers */
} crs_support;

/* step = H^{-1} grad F on the chosen columns, g being the gradient of the loss in all, or about
 * that by conjugate gradients where they are too many for H, or H is not positive definite; false:
 * it is not finite. g NULL: H is left in `room`, and that is all. */
bool crs_support_step(const crs_support *a, const double *g, double *room, double *step);
ptrdiff_t crs_support_room(ptrdiff_t count); /* at most CRS_MOST_SUPPORT of them, if g is NULL */

/* crease_regression_new of rows that are given away (path.c), which may be gone where it fails;
 * and the end of what a model has of them, when its certificates are there. */
crease_regression *crs_regression_of(const crease_regression_settings *s, ptrdiff_t n, ptrdiff_t p,
                                     double **X, const double *y, crease_error *e);
void crs_regression_forget(crease_regression *m);

/* A model, with its problems or, for cross-validation, without (path.c). */
crease_regression *crs_regression_make(const crease_regression_settings *s, const crs_table *X,
                                       const double *y, bool problems, crease_error *e);
/* The lambdas, from lambda_max unless they are given; solution k was found as the i-th: its
 * numbers are finite, and it is told (path.c). */
bool crs_regression_lambdas(crease_regression *m, crease_error *e);
bool crs_regression_finite(const crease_regression *m, ptrdiff_t k, crease_error *e);
void crs_regression_tell(crease_regression *m, ptrdiff_t i, ptrdiff_t k);
/* Rows in slabs: the path, a certificate, the end (rows_fit.c, rows_certify.c). */
bool crs_rows_path(crease_regression *m, crease_error *e);
bool crs_rows_certify(const crease_regression *m, ptrdiff_t k, crease_regression_certificate *out);
void crs_rows_fit_free(struct crs_rows_fit *f);

/* Of the deviances of each fold, and its weight behind them: means, errors, the best (cv.c). */
void crs_scores_summarize(const double *score, crease_regression_scores *out);

/* Of a symmetric k x k matrix of sums of n products, less its rounding and theirs (certify.c). */
bool crs_least_eigenvalue(ptrdiff_t n, ptrdiff_t k, const double *a, double *out, crease_error *e);

/* The first `solved` lambdas, in the order of solving, become the whole path (path.c). */
void crs_regression_cut(crease_regression *m, ptrdiff_t solved);

/* What certificates need of the solutions (known.c), and to be sure that none of a few that were
 * found together lacks a column. */
enum { CRS_AHEAD = 16 };
bool crs_known_prepare(crease_regression *m, crease_error *e); /* with the problems */
bool crs_known_begin(crease_regression *m, crease_error *e);   /* before the path */
/* At solutions first, ..., at most CRS_AHEAD; where they are then in images and gradients */
ptrdiff_t crs_known_look(crease_regression *m, ptrdiff_t first, ptrdiff_t count);
/* Of lambda k, from that look or with one of its own, in room for crs_known_room(m) numbers. */
ptrdiff_t crs_known_room(const crease_regression *m);
crs_known crs_known_at(const crease_regression *m, ptrdiff_t k, double *room);

/* Every lambda as a problem, and what the Gram matrix says of convexity (certify.c). */
bool crs_regression_problems(crease_regression *m, crease_error *e);

/* phi'' at the scale 1; NaN: not known */
static inline double loss_curve(const crs_loss *loss, double u)
{
    const double one[CREASE_PARS] = { 1 };
    return loss->quadratic ? 1 : loss->curve ? loss->curve(one, u) : NAN;
}

/* What phi is taken of in row i, from the scores; of a row of weight 0 nothing comes of it. */
static inline double loss_argument(const crs_design *d, const double *e, ptrdiff_t i)
{
    const double z = !d->root ? e[i] : d->root[i] > 0 ? e[i] / d->root[i] : 0;
    return d->loss->ops.labels ? d->y[i] * z : z - d->y[i];
}

static inline bool deadline_met(const crs_deadline *d) { return d && crease_watch_over(&d->watch); }

static inline const double *column_of(const crs_design *d, ptrdiff_t j) { return d->x + j * d->n; }

/* What products of s with the columns of a sparse design have in common: r's */
static inline double lifted(const crs_design *d, const double *s)
{
    return d->sparse ? crs_dot(d->n, d->r, s) : 0;
}

/* x_j's, where lift = lifted(s) */
static inline double column_dot(const crs_design *d, ptrdiff_t j, const double *s, double lift)
{
    if (!d->sparse) return crs_dot(d->n, column_of(d, j), s);
    double sum = 0;
    for (ptrdiff_t k = d->first[j]; k < d->first[j + 1]; k++) sum += d->value[k] * s[d->at[k]];
    return sum - d->shift[j] * lift;
}

/* e += a x_j, of a sparse design but for r times the change of lift. */
static inline void column_add(const crs_design *d, double a, ptrdiff_t j, double *e, double *lift)
{
    if (!d->sparse) {
        axpy(d->n, a, column_of(d, j), e);
        return;
    }
    for (ptrdiff_t k = d->first[j]; k < d->first[j + 1]; k++) e[d->at[k]] += a * d->value[k];
    *lift -= a * d->shift[j];
}

static inline void lift_by(const crs_design *d, double lift, double *e)
{
    if (d->sparse && lift != 0) axpy(d->n, lift, d->r, e);
}

/* out = x_j */
static inline void column_fill(const crs_design *d, ptrdiff_t j, double *out)
{
    double lift = 0;
    fill(d->n, 0, out);
    column_add(d, 1, j, out, &lift);
    lift_by(d, lift, out);
}

/* x_ij^2 h_i summed over all rows, h NULL: 1; of a sparse design all = sum_i h_i r_i^2 */
static inline double column_curve(const crs_design *d, ptrdiff_t j, const double *h, double all)
{
    double sum = 0, met = 0;
    const double *x = d->sparse ? NULL : column_of(d, j);
    if (!d->sparse && !h) return crs_dot(d->n, x, x);
    for (ptrdiff_t i = 0; !d->sparse && i < d->n; i++) sum += h[i] * (x[i] * x[i]);
    if (!d->sparse) return sum;
    for (ptrdiff_t k = d->first[j]; k < d->first[j + 1]; k++) {
        const double r = d->r[d->at[k]], w = h ? h[d->at[k]] : 1;
        sum += w * square(d->value[k] - d->shift[j] * r);
        met += w * square(r);
    }
    return sum + square(d->shift[j]) * larger(0, all - met);
}

static inline void design_free(crs_design *d)
{
    crs_free(d->memory);
    crs_free(d->given);
    d->memory = d->given = NULL;
}

static inline ptrdiff_t unit_size(const crs_design *d, ptrdiff_t u)
{
    return d->start[u + 1] - d->start[u];
}

#endif
