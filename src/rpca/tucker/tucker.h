/* SPDX-License-Identifier: MIT
 * tucker.h: Tucker robust PCA with Z, E, B and Lambda eliminated
 *
 *     minimize over C, X_1 .. X_d   sum phi(T - C x_1 X_1 ... x_d X_d),
 *     phi(r) = min_e c (r-e)^2 + alpha rho(|e|),   c = alpha_N/(1 + alpha_N)
 *
 * by majorization: with s = r - prox(r), phi lies below c|M + s - M'|^2 + a constant, so that a
 * least-squares Tucker step on M + s never raises the sum. Seen as left x I_d the low-rank part is
 * P X_d' with P = C x_1 X_1 ... x_{d-1} X_{d-1}: a matrix of rank R_d, and one pass over T gives
 * S X_d and S'P, which is all that is needed. Order 2 is matrix robust PCA. */
#ifndef CRS_TUCKER_H
#define CRS_TUCKER_H

#include "rpca/envelope/envelope.h"
#include "tensor/tensor.h"

typedef struct {
    crease_space shape, ranks; /* R_n <= I_n, and R_n <= the product of the others */
    crs_penalty_value penalty; /* the penalty, alpha included */
    double learn;              /* > 0: the threshold is learn * robust scale of the residual, and
                                  the penalty's parameters are in that unit */
    double alpha_noise;
    const unsigned char *mask; /* borrowed; NULL: all observed */
    int threads;
    double eps; /* relative residual to reach */
    uint64_t seed;
} crs_tucker_settings;

/*   path    a falling threshold, far outliers without any weight
 *   wanted  the penalty asked for
 *   revive  l1 for a while, which gives outlying rows their weight back; then `wanted` again */
typedef enum { CRS_TUCKER_PATH, CRS_TUCKER_WANTED, CRS_TUCKER_REVIVE } crs_tucker_stage;

typedef struct {
    crs_tucker_stage stage;
    long passes;
    double value;    /* sum phi of the penalty in use */
    double residual; /* largest relative residual over X_1 .. X_d and C, for the same */
    double scale;    /* robust standard deviation of the residual */
    double threshold;
    ptrdiff_t nonzeros; /* of E */
} crs_tucker_statistics;

/* What model.c reads: factors with orthonormal columns, core, P, and the pass, which with the
 * factors {P, X_d} yields E, Z, B, Lambda and the low-rank part by rows. The rest is fit.c's. */
typedef struct {
    crs_tucker_settings c;
    crs_envelope *pass; /* of T as left x I_d */
    ptrdiff_t left;
    crease_space half; /* I_1 x ... x I_{d-1} x R_d */
    double *factor[CREASE_MAX_ORDER], *core;
    double *P;                       /* left x R_d */
    double *SX;                      /* S X_d, left x R_d */
    double *SP;                      /* S'P, I_d x R_d */
    double *rows, *columns;          /* sums of s/r over a row or a column */
    double *A;                       /* (M + S) X_d */
    double *chain;                   /* products on the way from half to ranks */
    double *unfolded;                /* of a projected half */
    double *svd;                     /* its singular vectors and values, and the work for them */
    double *slab;                    /* a few rows of T */
    bool fresh;                      /* X_1 .. X_{d-1} are not there yet */
    bool back;                       /* the next step is that of X_d */
    bool changed;                    /* the penalty is not the last step's */
    bool cautious;                   /* long steps have failed */
    int revived, rest;               /* how often; passes left of this time */
    double least;                    /* no learned threshold is below this */
    double best;                     /* value of the wanted penalty before the last time */
    crs_penalty_value goal, penalty; /* the penalty to end with, and the one in use */
    crs_envelope_sums sums;
    crs_tucker_statistics statistics;
    const double *T;
    void *memory;
} crs_tucker_fit;

ptrdiff_t crs_tucker_fit_bytes(const crs_tucker_settings *c, crease_error *e);

/* T is borrowed. NULL with a sentence on failure. The start is by the singular vectors of T with
 * its entries clipped. */
crs_tucker_fit *crs_tucker_fit_new(const crs_tucker_settings *c, const double *T, crease_error *e);
void crs_tucker_fit_free(crs_tucker_fit *s);

/* One pass over T: true once the point is stationary to eps; it then stays as it is. */
bool crs_tucker_fit_step(crs_tucker_fit *s);

/* The penalty asked for, with what was learned so far. */
crs_penalty_value crs_tucker_fit_goal(const crs_tucker_fit *s);

#endif
