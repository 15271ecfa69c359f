/* SPDX-License-Identifier: MIT
 * tucker_rpca.h: robust PCA with a Tucker model, and of matrices
 *
 *   tucker  min |Z - C x_1 X_1 ... x_d X_d|^2 + alpha R(E) + alpha_N |W o B|^2,  Z + E + B = T
 *   ball    min |Z - X Y'|^2 + alpha R(E),  Z + E + B = T,  |B|_F <= eta, |X|_F, |Y|_F <= radius
 *   convex  min |L|_* + alpha |S|_1,  L + S = T   (principal component pursuit)
 *
 * Order 2 of the first is matrix robust PCA with noise that is penalized; the second bounds it.
 * W is 1 where T was observed and 0 where it is missing (first model only). */
#ifndef CREASE_TUCKER_RPCA_H
#define CREASE_TUCKER_RPCA_H

#include <stdint.h>

#include <crease/options.h>
#include <crease/problem.h>
#include <crease/rpca.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum { CREASE_RPCA_TUCKER, CREASE_RPCA_BALL, CREASE_RPCA_CONVEX } crease_rpca_form;

typedef struct {
    crease_rpca_form form;
    crease_space shape, ranks; /* R_n <= I_n and <= the product of the others; not read: convex */
    crease_reg penalty;        /* R by entries; ops NULL: the 1-norm */
    double alpha;              /* 0: learned from the data; then R's parameters are in the unit of
                                  `learn` deviations of the residual. Convex: 1/sqrt(max I_n) */
    double learn;              /* > 0 */
    double alpha_noise;        /* > 0; of the first form */
    double eta;                /* 0: what the deviation of the residual says; of the second */
    bool missing;              /* NaN in the tensor marks an entry that was not observed */
    const double *mask;        /* W, 0 or 1 an entry; NULL: ones. Read only while building */
    int threads;               /* 0: all there are */
    double eps;                /* relative residual of the fit that starts the first two forms */
    long passes;               /* at most so many passes over T for it */
    uint64_t seed;
} crease_tucker_rpca_settings;

/* The first form, l1, learn = 3, alpha_N = 1, eps = 1e-6, 1000 passes. */
CREASE_API crease_tucker_rpca_settings crease_tucker_rpca_default(const crease_space *shape,
                                                                  const crease_space *ranks);

typedef struct crease_tucker_rpca crease_tucker_rpca;

/* The problem with its own copy of the tensor. The start of its blocks is the robust fit of the
 * first form, for that form stationary to eps unless the passes ran out. NULL with a sentence on
 * failure; an entry that is not finite is named by its index, counted from 1. */
CREASE_API crease_tucker_rpca *crease_tucker_rpca_new(const crease_tucker_rpca_settings *s,
                                                      const double *tensor, crease_error *e);
CREASE_API void crease_tucker_rpca_free(crease_tucker_rpca *m);

/* Blocks X1 .. Xd, C, E, Z, B; X, Y, E, B, Z; or L, S. Valid as long as the model. */
CREASE_API const crease_problem *crease_tucker_rpca_problem(const crease_tucker_rpca *m);

/* The multiplier that goes with the start; NULL: none is known. */
CREASE_API const double *crease_tucker_rpca_multiplier(const crease_tucker_rpca *m);

typedef struct {
    crease_tucker_rpca_settings used; /* every default filled in, the penalty as learned */
    ptrdiff_t missing;
    long passes;
    double residual;  /* of the fit, relative; NaN: there was none */
    double deviation; /* of the noise, robust, in the data's unit */
    double threshold; /* beyond which an entry is an outlier */
} crease_tucker_rpca_facts;
CREASE_API crease_tucker_rpca_facts crease_tucker_rpca_about(const crease_tucker_rpca *m);

/* sqrt(2 alpha_N) W of the first form; NULL: all observed. */
CREASE_API const double *crease_tucker_rpca_weights(const crease_tucker_rpca *m);

/* The low-rank part at a point of the problem, and the numbers of the blocks E (S) and B (-1:
 * none). */
CREASE_API bool crease_tucker_rpca_lowrank(const crease_tucker_rpca *m, const double *const *x,
                                           double *out, crease_error *e);
CREASE_API int crease_tucker_rpca_sparse(const crease_tucker_rpca *m);
CREASE_API int crease_tucker_rpca_noise(const crease_tucker_rpca *m);

/* For every mode, where the singular values of its unfolding fall; missing entries (NaN) count as
 * 0, entries beyond five times the median magnitude as that. Modes longer than 1500 are given the
 * largest of the others'. */
CREASE_API bool crease_tucker_ranks(const crease_space *shape, const double *tensor,
                                    crease_space *ranks, crease_error *e);

/* T = C x_1 X_1 ... x_d X_d + E + B with its truth. The factors are N(0,1); the core is N(0,1), or
 * has ones on its diagonal, by a number that gives the low-rank part's entries deviation 1. The
 * parts' factors and rank are not part of it. */
typedef struct {
    crease_cp_recipe parts; /* shape, outliers, magnitude, noise, seed */
    crease_space ranks;
    bool diagonal;
} crease_tucker_recipe;

typedef struct {
    crease_tucker_recipe recipe;
    crease_cp_instance *parts; /* tensor, lowrank, sparse, noise; how many outliers */
    double *factor[CREASE_MAX_ORDER], *core;
} crease_tucker_instance;

CREASE_API crease_tucker_instance *crease_tucker_generate(const crease_tucker_recipe *r,
                                                          crease_error *e);
CREASE_API void crease_tucker_instance_free(crease_tucker_instance *c);

/* Doubles that building takes, for forecasts; -1: more than can be counted. */
CREASE_API ptrdiff_t crease_tucker_rpca_size(const crease_tucker_rpca_settings *s);

#ifdef __cplusplus
}
#endif

#endif
