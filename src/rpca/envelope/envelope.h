/* SPDX-License-Identifier: MIT
 * envelope.h: CP robust PCA as a function of the factors alone, in one pass over the tensor
 *
 *   F(X) = sum phi(r) + (nu/2) sum |X_n|^2,   r = T - M,  M = [[X_1, .., X_d]],
 *   phi(r) = min_e c (r - e)^2 + alpha rho(|e|),  c = alpha_N/(1 + alpha_N),
 *   e = prox_{(alpha/(2c)) rho}(r),  s = r - e;   dF/dX_n = -2c S_(n) M_n + nu X_n.
 *
 * The minimum over Z, E, B of fused.h's problem: E = e, Z = M + c s, B = c s/alpha_N and
 * Lambda = 2c s. Entries with W = 0 are not observed: there s = e = 0, and nothing is summed. */
#ifndef CRS_ENVELOPE_H
#define CRS_ENVELOPE_H

#include <crease/rpca.h>

#include "core/checkpoint.h"
#include "rpca/kernels/kernels.h"
#include "slab/slab.h"

typedef struct {
    crease_space shape;                /* order >= 2 */
    ptrdiff_t rank;                    /* the largest there will be */
    double alpha_noise;                /* > 0 */
    int threads;                       /* 1 .. CRS_CP_MOST_THREADS; results do not depend on it */
    const crs_envelope_kernel *kernel; /* NULL: the one of these instructions: */
    int instructions;                  /* 0: the fastest that runs here */
    crease_watch *watch;               /* asked between slabs; NULL: none */
} crs_envelope_settings;

/* Of these instructions, or the fastest slower ones that are there. */
const crs_envelope_kernel *crs_envelope_kernel_of(int instructions);

/* sum_n sqrt(I_n): noise of deviation 1 holds no rank-one tensor of a larger norm, nearly. */
static inline double crs_noise_edge(const crease_space *shape)
{
    double edge = 0;
    for (int n = 0; n < shape->order; n++) edge += sqrt((double)shape->dim[n]);
    return edge;
}

/* |column|_2 and the entries it reaches, |column|_2^4/|column|_4^4, of a factor of `rank` columns
 */
static inline double crs_column_reach(ptrdiff_t rows, ptrdiff_t rank, const double *x,
                                      double *reach)
{
    double largest = 0, two = 0, four = 0;
    for (ptrdiff_t i = 0; i < rows; i++) largest = larger(largest, fabs(x[i * rank]));
    *reach = 0;
    if (!(largest > 0)) return 0;
    for (ptrdiff_t i = 0; i < rows; i++) {
        const double q = square(x[i * rank] / largest);
        two += q;
        four += q * q;
    }
    *reach = two * two / four;
    return largest * sqrt(two);
}

/* |r|, in a unit between 1 and 2 that follows from the data, by its exponent and the first three
 * bits after it: eight bins per octave from CRS_ENVELOPE_LEAST on; the first takes all below, the
 * last all above and NaN. */
enum { CRS_ENVELOPE_BINS = 2048 };
#define CRS_ENVELOPE_LEAST 0x1p-128

/* What an evaluation yields. gradient and marginal are filled in by the caller: arrays of
 * I_n x rank and I_n, NULL where not wanted. */
typedef struct {
    double value;       /* sum phi_judge(r) */
    double value_next;  /* sum phi_next(r); this and all below with next's s and e */
    double squares;     /* sum s^2 */
    double weights;     /* sum w, w = s/r, 1 where r = 0 */
    ptrdiff_t observed; /* entries */
    ptrdiff_t nonzeros; /* of e */
    bool uncut;         /* in: the watch is not asked */
    int every;          /* in: the histogram takes one row in so many, scattered; 0, 1: all */
    ptrdiff_t histogram[CRS_ENVELOPE_BINS]; /* of |r|/unit, over the observed entries */
    double unit;
    double *gradient[CREASE_MAX_ORDER]; /* S_(n) M_n */
    double *marginal[CREASE_MAX_ORDER]; /* sums of w over the entries with one index in mode n */
} crs_envelope_sums;

typedef struct crs_envelope crs_envelope;

/* Bytes that crs_envelope_new will allocate; -1: the settings are wrong, with the reason in e. */
ptrdiff_t crs_envelope_bytes(const crs_envelope_settings *c, crease_error *e);

/* T is borrowed and must outlive the result. NULL on failure. */
crs_envelope *crs_envelope_new(const crs_envelope_settings *c, crs_source *T, crease_error *e);
void crs_envelope_free(crs_envelope *s);

/* factor[n] is I_n x rank, 1 <= rank <= the settings'; judge and next may be the same. False: a
 * slab could not be had, or the watch is over before the last one (CREASE_OK in e); out is not to
 * be read then. */
bool crs_envelope_evaluate(crs_envelope *s, ptrdiff_t rank, const double *const *factor,
                           const crs_penalty_value *judge, const crs_penalty_value *next,
                           crs_envelope_sums *out, crease_error *e);

/* The q-quantile of |r|, 0 <= q <= 1, linear within a bin; NaN when nothing is observed. */
double crs_envelope_quantile(const crs_envelope_sums *a, double q);

/* A part at a point, as large as the tensor. Where W = 0, B is -M. */
bool crs_envelope_read(crs_envelope *s, ptrdiff_t rank, const double *const *factor,
                       const crs_penalty_value *penalty, crs_cp_part part, double *out,
                       crease_error *e);

/* Minimizes F by a trust-region Levenberg-Marquardt method on the factors. A point is stationary
 * for the problem with Z, E, B and Lambda exactly when it is for F, and its relative residual in
 * block n (balanced factors) is
 *     |-2c S_(n)M_n + nu X_n| / (2 |Z_(n)M_n| + 2 |X_nG_n| + nu |X_n|),  Z = M + c S,
 * with X_n >= 0 the numerator taken over the normal cone. The method's stages:
 *   path    l1 with a threshold that falls with the median of |r|, and a ridge of its own
 *   ridge   l1 at the last threshold, still with the ridge; then components are pruned
 *   last    l1, and the model's own nu
 *   wanted  a penalty other than l1, from the point l1 led to */
typedef struct {
    crease_space shape;        /* order >= 2 */
    ptrdiff_t rank;            /* of the start, >= 1 */
    crs_penalty_value penalty; /* the wanted penalty; not read where `learn` is positive */
    double learn;              /* > 0: l1 with the threshold learn * robust scale of the residual */
    double alpha_noise, nu;    /* > 0; >= 0 */
    bool nonneg;
    int threads;
    bool path;               /* follow a falling threshold */
    double threshold_factor; /* the threshold on the path, in medians of |r| */
    bool prune;          /* a ridge first, then drop components that vanish or sit on outliers */
    double ridge;        /* that ridge, in units of alpha median|T|^(1-2/d) */
    uint64_t seed;       /* of columns that are filled again */
    double eps;          /* relative residual to reach */
    double aim;          /* of steps that eliminate rows, in eps: further while it comes cheaply */
    double whole;        /* the least objective of T alone (crs_cp_objective); 0: residuals are
                            relative to their terms */
    long most;           /* passes that a step may lead to; 0: no limit */
    crease_watch *watch; /* NULL: none */
} crs_envelope_solver_settings;

typedef enum {
    CRS_ENVELOPE_RUNNING,
    CRS_ENVELOPE_STATIONARY,
    CRS_ENVELOPE_STALLED,
    CRS_ENVELOPE_FAILED /* a slab of the tensor could not be had: crs_envelope_solver_failure */
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
    long passes, cg, steps;            /* passes over T, inner iterations, accepted steps */
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

/* With path and pruning, eps = 1e-6; what depends on the data is the caller's. */
crs_envelope_solver_settings crs_envelope_solver_default(const crease_space *shape, ptrdiff_t rank);

typedef struct crs_envelope_solver crs_envelope_solver;

/* Is it a tall matrix, whose rows are eliminated in the last stages (rpca/tall)? A step then takes
 * many passes and ends near the minimum. Those take all slabs here, whatever team T has. */
bool crs_envelope_solver_tall(const crs_envelope_solver_settings *c);

/* Bytes that crs_envelope_solver_new will allocate; -1: the settings are wrong. */
ptrdiff_t crs_envelope_solver_bytes(const crs_envelope_solver_settings *c, crease_error *e);

/* T is borrowed. NULL on failure. */
crs_envelope_solver *crs_envelope_solver_new(const crs_envelope_solver_settings *c, crs_source *T,
                                             crease_error *e);
void crs_envelope_solver_free(crs_envelope_solver *s);

/* factor[n] is I_n x rank, rank <= the settings'. May be called again for another start. */
bool crs_envelope_solver_start(crs_envelope_solver *s, ptrdiff_t rank, const double *const *factor,
                               crease_error *e);

/* At most one pass, of a tall matrix many. */
crs_envelope_status crs_envelope_solver_step(crs_envelope_solver *s);
const crease_error *crs_envelope_solver_failure(const crs_envelope_solver *s);

/* Steps while it is running, at most `most` passes since the start, and `late` is false: a unit of
 * a checkpoint. self is for `late`, which is told the passes since the start. False with the
 * sentence where a step has failed. */
typedef bool crs_envelope_late(const void *self, long passes);
bool crs_envelope_solver_lead(crs_envelope_solver *s, long most, crs_envelope_late *late,
                              const void *self, crease_error *e);
void crs_envelope_solver_visit(crs_visitor *v, void *solver); /* what steps change */
void crs_envelope_visit_cuts(crs_visitor *v, ptrdiff_t count, crease_cp_cut *cut);
void crs_envelope_visit_sums(crs_visitor *v, crs_envelope_sums *a);
/* A penalty of a fit: none, l1, mcp or the one that is wanted. */
void crs_envelope_visit_penalty(crs_visitor *v, const crs_penalty_value *wanted,
                                crs_penalty_value *x);

/* Another threshold factor from the next start on. */
void crs_envelope_solver_follow(crs_envelope_solver *s, double threshold_factor);

const crs_envelope_progress *crs_envelope_solver_progress(const crs_envelope_solver *s);
const crs_penalty_value *crs_envelope_solver_penalty(const crs_envelope_solver *s);
const double *crs_envelope_solver_factor(const crs_envelope_solver *s, int n); /* I_n x rank now */

/* Why the terms are gone that the start had more than the point: so many, in the order in which
 * they went. */
const crease_cp_cut *crs_envelope_solver_cuts(const crs_envelope_solver *s);

/* sum s^2 at the point: of l1 with threshold t, sum min(|r|, t)^2. */
double crs_envelope_solver_squares(const crs_envelope_solver *s);

/* The robust deviation of the noise: that of the learned threshold, or of the point's residual;
 * and the share of entries beyond three of it, less that of normal noise. After a step. */
double crs_envelope_solver_deviation(const crs_envelope_solver *s);
double crs_envelope_solver_share(const crs_envelope_solver *s);

/* What is known of runs by fits that descend and no theorem bounds; crease_analysis_free. */
crease_analysis *crs_envelope_analysis(crease_error *e);

/* A penalty as the kernels use it. */
crs_envelope_rule crs_envelope_rule_of(const crs_penalty_value *f, double alpha_noise);

/* The largest |r| that the prox of a penalty takes to 0, for this c. */
double crs_envelope_threshold(const crs_penalty_value *f, double c);

/* l1 with that threshold t. */
crs_penalty_value crs_envelope_l1(double t, double c);

/* The penalty's penalty for data in the unit that makes t its threshold; alpha becomes 2c. A
 * penalty without a threshold stays as it is. */
crs_penalty_value crs_envelope_with_threshold(const crs_penalty_value *f, double t, double c);

/* The noise's standard deviation from the histogram of |r|: the median of the part that is within
 * 2.5 deviations, over 0.6745, and corrected for the parameters that were fitted. */
double crs_envelope_scale(const crs_envelope_sums *a, double parameters);

#endif
