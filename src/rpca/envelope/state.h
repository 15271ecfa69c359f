/* SPDX-License-Identifier: MIT
 * envelope_solver_state.h: what the parts of the envelope's solver share */
#ifndef CRS_ENVELOPE_SOLVER_STATE_H
#define CRS_ENVELOPE_SOLVER_STATE_H

#include "rpca/envelope/envelope_model.h"
#include "rpca/envelope/envelope_solve.h"

/* What is to be verified when the ridge stage ends again; over: no more of it. */
typedef enum {
    CRS_ATTEMPT_NONE,
    CRS_ATTEMPT_LESS,
    CRS_ATTEMPT_REFILL,
    CRS_ATTEMPT_OVER
} crs_envelope_attempt;
enum { CRS_STREAM_REFILL = 400, CRS_ENVELOPE_PAIRS = 8 };

/* A point and what one read of the tensor tells about it. */
typedef struct {
    double *x;        /* factors, one after another */
    double *sm;       /* S_(n)M_n likewise */
    double *marginal; /* of the weights, sum I_n */
    crs_envelope_sums *sums;
    crs_envelope_face face; /* that sm and the marginals are for */
    double data;            /* sum phi(r) for it */
} crs_envelope_point;

struct crs_envelope_solver {
    crs_envelope_solver_settings c;
    crs_envelope *pass;
    crs_envelope_progress out;
    crs_envelope_model model;
    crs_envelope_point at, trial;
    crs_envelope_face goal; /* that the path leads to */
    double noise;           /* c = alpha_N/(1 + alpha_N) */
    double nu;              /* the stage's */
    double typical;         /* median |T| */
    double eta, predicted, length;
    double kap;     /* the path's threshold in medians */
    double ceiling; /* of the path's thresholds */
    double before;  /* |r|'s median a while ago, to see the path end */
    bool known;     /* `at` is the evaluation of at.x */
    bool built;     /* the model is that of `at` */
    long since;     /* the step at which the stage began */
    bool learned;
    double kept; /* the threshold learned last */
    crs_envelope_attempt attempt;
    int refills, rounds; /* columns filled again; returns from the last stage */
    ptrdiff_t first_rank, backup_rank;
    double backup_squares, *backup; /* before the attempt */
    double *pairs;                  /* steps and changes of the gradient, `stride` apart */
    ptrdiff_t stride;
    int first_pair, pair_count;
    double pair_weight[CRS_ENVELOPE_PAIRS];
    double *gradient, *step, *scaled, *rhs, *cg;
    double *memory;
};

/* F's part that needs no data, and the residuals (envelope_residual.c) */
double crs_envelope_ridge(const crs_envelope_solver *s, const double *x);
void crs_envelope_measure(crs_envelope_solver *s);
void crs_envelope_balance(crs_envelope_solver *s); /* columns to equal norms */

/* envelope_trust.c */
void crs_envelope_trust_reset(crs_envelope_solver *s);
bool crs_envelope_trust_direction(crs_envelope_solver *s); /* false: no step that is felt */
bool crs_envelope_trust_judge(crs_envelope_solver *s);     /* is the trial taken? */

/* envelope_secant.c */
void crs_envelope_secant_forget(crs_envelope_solver *s);
void crs_envelope_secant_learn(crs_envelope_solver *s);
void crs_envelope_secant_balance(crs_envelope_solver *s, ptrdiff_t at, ptrdiff_t rows, double a);
void crs_envelope_secant_before(crs_envelope_solver *s, double *q);
void crs_envelope_secant_after(const crs_envelope_solver *s, double *z);

/* envelope_path.c: the goal's threshold, the next penalty, the ridge for a threshold */
double crs_envelope_path_goal(const crs_envelope_solver *s);
bool crs_envelope_path_ends(const crs_envelope_solver *s);
crs_envelope_face crs_envelope_path_next(crs_envelope_solver *s);
double crs_envelope_path_ridge(const crs_envelope_solver *s, double t);
void crs_envelope_typical(crs_envelope_solver *s);

/* envelope_learn.c: the goal where the path ends, or (true) lower than it was */
void crs_envelope_learn(crs_envelope_solver *s);
bool crs_envelope_learn_lower(crs_envelope_solver *s);
void crs_envelope_unlearn(crs_envelope_solver *s);
bool crs_envelope_learn_share(crs_envelope_solver *s); /* lower, for the share of outliers */

/* envelope_stage.c; stuck: no step is felt any more */
void crs_envelope_advance(crs_envelope_solver *s, bool stuck);
void crs_envelope_wanted(crs_envelope_solver *s); /* the stage begins */

/* envelope_merge.c: how many pairs of components became one; the others' places are 0 */
ptrdiff_t crs_envelope_merge(crs_envelope_solver *s);

/* envelope_prune.c: true when components went */
bool crs_envelope_prune(crs_envelope_solver *s);
bool crs_envelope_drop_zeros(crs_envelope_solver *s);

/* envelope_rank.c: true when the factors changed, and must be evaluated again */
bool crs_envelope_rank(crs_envelope_solver *s);

#endif
