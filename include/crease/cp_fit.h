/* SPDX-License-Identifier: MIT
 * cp_fit.h: a run of CP robust PCA (rpca.h) on the fastest engine that suits the model
 *
 * The answer is the factors X_n and E; all else follows in closed form. With M = [[X_1..X_d]],
 * s = W o (T - E - M) and c = alpha_N/(1 + alpha_N):
 *     Z = M + c s,  B = s/(1 + alpha_N) where T was observed, elsewhere T - Z - E with T = 0,
 *     Lambda = 2 alpha_N W o B = 2 c s,
 * so that the constraint and the blocks Z and B hold exactly, and the certificate is about
 *     dist(Lambda, alpha dR(E))  and  |-2c S_(n) M_n + nu X_n|,  S = s as a tensor. */
#ifndef CREASE_CP_FIT_H
#define CREASE_CP_FIT_H

#include <crease/rpca.h>
#include <crease/solver.h>
#include <crease/verify.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    crease_cp_rpca_settings model; /* unconstrained is set by the method */
    crease_options run;            /* method auto, envelope, admm-g, admm-m, prox-bcd or bcd; its
                                      seconds are from crease_cp_fit_new on */
    double learn; /* > 0, envelope: the threshold beyond which an entry is an outlier
                     is so many robust deviations of the residual, fewer for l1 where
                     outliers are many; alpha and the unit of the penalty's
                     parameters follow from it */
    int starts;   /* of the envelope: so many are compared; 0: one, and more while
                     the fit is bad. model.start or model.factor is the first of
                     them, the family's follow, after a random one random ones */
    int threads;  /* 0: all there are */
    bool single;  /* tensors of the iteration in single precision; not of the envelope */
    /* Of the envelope, NULL: none: asked after every reading before the first iteration; true: make
     * do with what there is. */
    bool (*stop)(void *user);
    void *user;
} crease_cp_fit_settings;

/* The model's defaults; eps is relative. Paper mode is the recipe of section 5 of Jiang, Lin, Ma,
 * Zhang 2019 unless beta, h, theta or the iteration limit say otherwise. */
CREASE_API crease_cp_fit_settings crease_cp_fit_default(const crease_space *shape, ptrdiff_t rank);

typedef struct crease_cp_fit crease_cp_fit;

/* What preceded the run by the envelope; all 0 without. */
typedef struct {
    int starts;
    long passes;       /* steps of the solver and its first looks, each a reading of the tensor */
    long readings;     /* those and the readings by starts and tests */
    double agreement;  /* least match of starts that ended alike (crease_cp_match); NaN: no two */
    double spread;     /* largest relative difference of their deviations from the best */
    double deviation;  /* of the noise, robust */
    double threshold;  /* where the sparse part begins, in the data's unit */
    double share;      /* of entries beyond three deviations, less that of normal noise */
    const char *start; /* that the answer came from: a name of CREASE_CP_STARTS, with -clipped
                          where T was, "singular-clipped" or "given" */
} crease_cp_pilot;

/* Bytes the run will take at its peak, the tensor's own included; INFINITY: more than can be
 * counted. `missing`: will there be entries that are not observed? `dense`: will E have nonzeros
 * in more than one entry of a hundred, at any time? */
CREASE_API double crease_cp_fit_bytes(const crease_cp_fit_settings *s, bool missing, bool dense);

/* Borrows the tensor, which must outlive the fit and in which missing entries become 0. NULL with
 * a sentence on failure. */
CREASE_API crease_cp_fit *crease_cp_fit_new(const crease_cp_fit_settings *s, double *tensor,
                                            crease_error *e);
CREASE_API void crease_cp_fit_free(crease_cp_fit *f);

/* As of a solver (solver.h). The stop may be asked for from a signal handler. */
CREASE_API void crease_cp_fit_callback(crease_cp_fit *f, crease_callback *call, void *user);
CREASE_API void crease_cp_fit_stop(crease_cp_fit *f);

/* One iteration, and iterations until the certificate or a limit says stop. */
CREASE_API crease_outcome crease_cp_fit_step(crease_cp_fit *f);
CREASE_API crease_outcome crease_cp_fit_run(crease_cp_fit *f);

/* What was found: the iterate with the best certificate where E follows from the factors (a convex
 * penalty, or one whose weak convexity is below 2c) and the mode is not paper's, otherwise the
 * last one. The terms are sorted, and their columns have the same norm in every mode. */
CREASE_API const double *crease_cp_fit_factor(const crease_cp_fit *f, int n);
CREASE_API const crease_certificate *crease_cp_fit_certificate(const crease_cp_fit *f);
CREASE_API crease_report crease_cp_fit_report(const crease_cp_fit *f);
CREASE_API crease_progress crease_cp_fit_progress(const crease_cp_fit *f);
CREASE_API const crease_analysis *crease_cp_fit_analysis(const crease_cp_fit *f);
CREASE_API crease_cp_fit_settings crease_cp_fit_used(const crease_cp_fit *f);
CREASE_API const char *crease_cp_fit_engine(const crease_cp_fit *f); /* "envelope", ... */
CREASE_API ptrdiff_t crease_cp_fit_missing(const crease_cp_fit *f);
CREASE_API crease_cp_pilot crease_cp_fit_pilot(const crease_cp_fit *f);
/* How often the tensor was read from end to end: the check of the data, starts, tests, steps and
 * certificates; an iteration of another engine counts as one, and so does a test of extrapolated
 * factors. */
CREASE_API long crease_cp_fit_readings(const crease_cp_fit *f);
CREASE_API bool crease_cp_fit_theta_stop(const crease_cp_fit *f); /* STOPPED by theta */

/* A part of the answer as left x right, both from the first call: rows first .. first+count-1 go
 * to out. B is 0 where nothing was observed, T as it was given but 0 there. */
typedef enum {
    CREASE_CP_LOWRANK,
    CREASE_CP_SPARSE,
    CREASE_CP_SPLIT, /* Z */
    CREASE_CP_NOISE, /* B */
    CREASE_CP_DATA,  /* T */
    CREASE_CP_SEEN   /* W */
} crease_cp_part;
CREASE_API void crease_cp_fit_rows(const crease_cp_fit *f, ptrdiff_t *left, ptrdiff_t *right);
CREASE_API void crease_cp_fit_read(const crease_cp_fit *f, crease_cp_part part, ptrdiff_t first,
                                   ptrdiff_t count, double *out);

/* A claim about CP robust PCA, to be checked without any code of the solvers. */
typedef struct {
    crease_space shape;
    ptrdiff_t rank;
    crease_reg penalty; /* of the catalogue: by entries, without weights */
    double alpha, alpha_noise, ridge;
    bool nonneg;
    const double *const *factor;
    ptrdiff_t left, right; /* how the tensors are read: left rows of right entries, left over the
                              first modes */
    bool (*read)(void *user, crease_cp_part part, ptrdiff_t row, double *out);
    void *user;
    int threads; /* 0: all there are; the answer is the same for any number */
} crease_cp_claim;

/* Judges X_n, E, Z, B and Lambda = 2 alpha_N W o B by the definitions, a few rows at a time, in
 * double and, where the bounds of its rounding leave the verdict open, once more in long double:
 * the rows are read in order, and then again from the first. The blocks are X_1..X_d, E, Z, B. B is
 * read where T was observed, elsewhere it is -Z - E. False with a sentence when memory or reading
 * fails. Free with crease_verification_free. */
CREASE_API bool crease_cp_verify(const crease_cp_claim *c, double eps, bool relative,
                                 crease_verification *out, crease_error *e);

#ifdef __cplusplus
}
#endif

#endif
