/* SPDX-License-Identifier: MIT
 * envelope_solve.h: CP robust PCA by a trust-region Levenberg-Marquardt method on the factors
 *
 * Minimizes envelope.h's F. A point is stationary for the problem with Z, E, B and Lambda exactly
 * when it is for F, and its relative residual in block n (balanced factors) is
 *     |-2c S_(n)M_n + nu X_n| / (2 |Z_(n)M_n| + 2 |X_nG_n| + nu |X_n|),  Z = M + c S,
 * with X_n >= 0 the numerator taken over the normal cone. The method's stages:
 *   path    l1 with a threshold that falls with the median of |r|, and a ridge of its own
 *   ridge   l1 at the last threshold, still with the ridge; then components are pruned
 *   last    l1, and the model's own nu
 *   wanted  a penalty other than l1, from the point l1 led to */
#ifndef CRS_ENVELOPE_SOLVE_H
#define CRS_ENVELOPE_SOLVE_H

#include "rpca/envelope/envelope.h"

typedef struct {
    crease_space shape;        /* order >= 2 */
    ptrdiff_t rank;            /* of the start, >= 1 */
    crs_envelope_face face;    /* the wanted penalty; not read where `learn` is positive */
    double learn;              /* > 0: l1 with the threshold learn * robust scale of the residual */
    double alpha_noise, nu;    /* > 0; >= 0 */
    const unsigned char *mask; /* borrowed; NULL: all observed */
    bool nonneg;
    int threads;
    bool single;   /* T is float */
    bool path;     /* follow a falling threshold */
    double kap;    /* the threshold on the path, in medians of |r| */
    bool prune;    /* a ridge first, then drop components that vanish or sit on outliers */
    double ridge;  /* that ridge, in units of alpha median|T|^(1-2/d) */
    uint64_t seed; /* of columns that are filled again */
    double eps;    /* relative residual to reach */
} crs_envelope_solver_settings;

typedef enum {
    CRS_ENVELOPE_RUNNING,
    CRS_ENVELOPE_STATIONARY,
    CRS_ENVELOPE_STALLED
} crs_envelope_status;
typedef enum {
    CRS_STAGE_PATH,
    CRS_STAGE_RIDGE,
    CRS_STAGE_LAST,
    CRS_STAGE_WANTED
} crs_envelope_stage;

typedef struct {
    crs_envelope_status status;
    crs_envelope_stage stage;
    long passes, cg, steps;            /* reads of T, inner iterations, accepted steps */
    double value;                      /* F for the penalty and nu of the stage */
    double residual[CREASE_MAX_ORDER]; /* relative, for the same */
    double worst;                      /* the largest of them */
    double violation;                  /* the largest, not relative */
    double angle;                      /* the largest |gradient of X_n|/(2c |S| |M_n|) */
    double threshold;                  /* largest |r| that is all noise: prox = 0 */
    double median, scale;              /* of |r|; robust standard deviation of the noise */
    double rho, mu, radius, curvature; /* gain ratio, damping, trust radius, 2c eta */
    ptrdiff_t rank;
} crs_envelope_progress;

/* Without path and kap = 1, eps = 1e-6 and so on: the settings for given data are the caller's. */
crs_envelope_solver_settings crs_envelope_solver_default(const crease_space *shape, ptrdiff_t rank);

typedef struct crs_envelope_solver crs_envelope_solver;

/* Bytes that crs_envelope_solver_new will allocate; -1: the settings are wrong. */
ptrdiff_t crs_envelope_solver_bytes(const crs_envelope_solver_settings *c, crease_error *e);

/* T (double, or float if c->single) is borrowed. NULL on failure. */
crs_envelope_solver *crs_envelope_solver_new(const crs_envelope_solver_settings *c, const void *T,
                                             crease_error *e);
void crs_envelope_solver_free(crs_envelope_solver *s);

/* factor[n] is I_n x rank, rank <= the settings'. May be called again for another start. */
bool crs_envelope_solver_start(crs_envelope_solver *s, ptrdiff_t rank, const double *const *factor,
                               crease_error *e);

crs_envelope_status crs_envelope_solver_step(crs_envelope_solver *s); /* at most one read of T */

/* Another kap from the next start on. */
void crs_envelope_solver_follow(crs_envelope_solver *s, double kap);

/* Goes on from here with another penalty. */
bool crs_envelope_solver_switch(crs_envelope_solver *s, const crs_envelope_face *face,
                                crease_error *e);

const crs_envelope_progress *crs_envelope_solver_progress(const crs_envelope_solver *s);
const crs_envelope_face *crs_envelope_solver_face(const crs_envelope_solver *s);
const double *crs_envelope_solver_factor(const crs_envelope_solver *s, int n); /* I_n x rank now */
crs_envelope *crs_envelope_solver_pass(crs_envelope_solver *s);

/* The robust deviation of the noise: that of the learned threshold, or of the point's residual;
 * and the share of entries beyond three of it, less that of normal noise. After a step. */
double crs_envelope_solver_deviation(const crs_envelope_solver *s);
double crs_envelope_solver_share(const crs_envelope_solver *s);

/* The largest |r| that the prox of a face takes to 0, for this c. */
double crs_envelope_threshold(const crs_envelope_face *face, double c);

/* l1 with that threshold t. */
crs_envelope_face crs_envelope_l1(double t, double c);

/* The face's penalty for data in the unit that makes t its threshold; alpha becomes 2c. A penalty
 * without a threshold stays as it is. */
crs_envelope_face crs_envelope_with_threshold(const crs_envelope_face *f, double t, double c);

/* The noise's standard deviation from the histogram of |r|: the median of the part that is within
 * 2.5 deviations, over 0.6745, and corrected for the parameters that were fitted. */
double crs_envelope_scale(const crs_envelope_sums *a, double parameters);

#endif
