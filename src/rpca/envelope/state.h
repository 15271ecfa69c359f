/* SPDX-License-Identifier: MIT
 * state.h: what solver.c, step.c and prune.c share */
#ifndef CRS_ENVELOPE_STATE_H
#define CRS_ENVELOPE_STATE_H

#include "core/carve.h"
#include "rpca/envelope/envelope.h"
#include "rpca/observed/observed.h"
#include "rpca/tall/tall.h"

/* What is to be verified when the ridge stage ends again; over: no more of it. */
typedef enum {
    CRS_ATTEMPT_NONE,
    CRS_ATTEMPT_LESS,
    CRS_ATTEMPT_REFILL,
    CRS_ATTEMPT_OVER
} crs_envelope_attempt;
enum { CRS_STREAM_REFILL = 400, CRS_ENVELOPE_PAIRS = 8 };

/* The quadratic model of the objective around the factors,
 *
 *     q(d) = g'd + (1/2) d'H d,   d'H d = curvature sum W (J d)^2 + nu |d|^2,
 *
 * J d the derivative of [[X_1, .., X_d]]. W is taken as a product of one weight for each index, so
 * that with Y_n = D_n^{1/2} X_n and e_n = D_n^{1/2} d_n only R x R matrices are needed:
 *     mode n of J'J e  =  e_n G_n + Y_n sum_{m != n} (e_m'Y_m) o G_nm,
 * G_n and G_nm the Hadamard products of all Y_k'Y_k but those of n, or of n and m. */
typedef struct {
    crease_space shape;
    ptrdiff_t rank;
    double curvature, nu;
    double *root;    /* D_n^{1/2}, sum I_n */
    double *y;       /* Y_n one after another, as every vector of unknowns */
    double *gram;    /* Y_n'Y_n, d R^2 */
    double *pair;    /* G_nm for n < m, d(d-1)/2 R^2 */
    double *except;  /* G_n, d R^2 */
    double *inverse; /* of the diagonal blocks with the damping, d R^2 */
    double *cross;   /* e_m'Y_m, d R^2 */
    double *small;   /* 2 R^2 */
    double *held;    /* 1 where an unknown is held, or NULL */
} crs_envelope_model;

static inline ptrdiff_t rows_of(const crease_space *shape) /* sum I_n */
{
    ptrdiff_t rows = 0;
    for (int n = 0; n < shape->order; n++) rows += shape->dim[n];
    return rows;
}

/* The first unknown of factor n. */
static inline ptrdiff_t first_unknown(const crs_envelope_model *m, int n)
{
    ptrdiff_t rows = 0;
    for (int k = 0; k < n; k++) rows += m->shape.dim[k];
    return rows * m->rank;
}

static inline ptrdiff_t unknowns(const crs_envelope_model *m) /* R sum I_n */
{
    return first_unknown(m, m->shape.order);
}

/* A point and what one pass over the tensor tells about it. */
typedef struct {
    double *x;        /* factors, one after another */
    double *sm;       /* S_(n)M_n likewise */
    double *marginal; /* of the weights, sum I_n */
    crs_envelope_sums *sums;
    crs_penalty_value penalty; /* that sm and the marginals are for */
    double data;               /* sum phi(r) for it */
} crs_envelope_iterate;

struct crs_envelope_solver {
    crs_envelope_solver_settings c;
    crs_envelope *pass;
    crs_tall *tall;              /* steps of the last stages with the rows eliminated; NULL: none */
    crs_observed_pass *observed; /* such steps of all stages, by the observed entries; NULL: none */
    bool rows;                   /* the trial is such a step */
    bool without_rows;           /* no more of them in this stage */
    long most;                   /* passes */
    crs_envelope_progress out;
    crs_envelope_model model;
    crs_envelope_iterate at, trial;
    crs_penalty_value goal; /* that the path leads to */
    double noise;           /* c = alpha_N/(1 + alpha_N) */
    double nu;              /* the stage's */
    double typical;         /* median |T| */
    double eta, predicted, length;
    double threshold_factor; /* the path's threshold in medians */
    double ceiling;          /* of the path's thresholds */
    double before;           /* |r|'s median a while ago, to see the path end */
    bool known;              /* `at` is the evaluation of at.x */
    bool built;              /* the model is that of `at` */
    long since;              /* the step at which the stage began */
    bool learned;
    double kept; /* the threshold learned last */
    crs_envelope_attempt attempt;
    int refills, rounds; /* columns filled again; returns from the last stage */
    ptrdiff_t first_rank, backup_rank;
    double backup_squares, *backup;  /* before the attempt */
    crease_cp_cut *cut, *backup_cut; /* what has left the start, in its order; room for c.rank */
    ptrdiff_t cuts, backup_cuts;
    double *pairs; /* steps and changes of the gradient, `stride` apart */
    ptrdiff_t stride;
    int first_pair, pair_count;
    double pair_weight[CRS_ENVELOPE_PAIRS];
    double *gradient, *step, *scaled, *rhs, *cg;
    crease_error failure; /* of a pass */
    void *memory;
};

static inline double ridge_value(const crs_envelope_solver *s, const double *x)
{
    return s->nu == 0 ? 0 : s->nu / 2 * square(crs_norm(unknowns(&s->model), x));
}

/* solver.c: what was learned is to be learned again. */
void crs_envelope_unlearn(crs_envelope_solver *s);

/* step.c */
void crs_envelope_model_carve(crs_envelope_model *m, crs_carver *c); /* for its shape and rank */
bool crs_envelope_step_direction(crs_envelope_solver *s);            /* false: no step is felt */
bool crs_envelope_step_judge(crs_envelope_solver *s);                /* is the trial taken? */
void crs_envelope_balance(crs_envelope_solver *s);                   /* columns to equal norms */

/* prune.c: true when the factors changed, and must be evaluated again */
bool crs_envelope_rank(crs_envelope_solver *s);

static inline void forget_pairs(crs_envelope_solver *s) { s->pair_count = s->first_pair = 0; }

/* Damping and radius */
static inline void reset_step(crs_envelope_solver *s)
{
    s->out.mu = 0;
    s->out.radius = INFINITY;
    s->eta = 1;
    s->without_rows = false;
}

#endif
