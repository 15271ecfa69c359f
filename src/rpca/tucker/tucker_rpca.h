/* SPDX-License-Identifier: MIT
 * tucker_rpca.h: the insides of robust PCA with a Tucker model and of matrices */
#ifndef CRS_TUCKER_RPCA_H
#define CRS_TUCKER_RPCA_H

#include "rpca/rpca.h"
#include "rpca/tucker/tucker_fit.h"

typedef struct {
    crease_rpca_kind form;
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
    long passes;               /* at most so many readings of T for it */
    uint64_t seed;
} crease_tucker_rpca_settings;

/* The first form, l1, learn = 3, alpha_N = 1, eps = 1e-6, 1000 passes. */
crease_tucker_rpca_settings crease_tucker_rpca_default(const crease_space *shape,
                                                       const crease_space *ranks);

typedef struct crease_tucker_rpca crease_tucker_rpca;

/* The problem with its own copy of the tensor. The start of its blocks is the robust fit of the
 * first form, for that form stationary to eps unless the passes ran out. NULL with a sentence on
 * failure; an entry that is not finite is named by its index, counted from 1. */
crease_tucker_rpca *crease_tucker_rpca_new(const crease_tucker_rpca_settings *s,
                                           const double *tensor, crease_error *e);
void crease_tucker_rpca_free(crease_tucker_rpca *m);

/* Blocks X1 .. Xd, C, E, Z, B; X, Y, E, B, Z; or L, S. Valid as long as the model. */
const crease_problem *crease_tucker_rpca_problem(const crease_tucker_rpca *m);

/* The multiplier that goes with the start; NULL: none is known. */
const double *crease_tucker_rpca_multiplier(const crease_tucker_rpca *m);

typedef struct {
    crease_tucker_rpca_settings used; /* every default filled in, the penalty as learned */
    ptrdiff_t missing;
    long passes;
    double residual;  /* of the fit, relative; NaN: there was none */
    double deviation; /* of the noise, robust, in the data's unit */
    double threshold; /* beyond which an entry is an outlier */
} crease_tucker_rpca_facts;
crease_tucker_rpca_facts crease_tucker_rpca_about(const crease_tucker_rpca *m);

/* sqrt(2 alpha_N) W of the first form; NULL: all observed. */
const double *crease_tucker_rpca_weights(const crease_tucker_rpca *m);

/* The low-rank part at a point of the problem, and the numbers of the blocks E (S) and B (-1:
 * none). */
bool crease_tucker_rpca_lowrank(const crease_tucker_rpca *m, const double *const *x, double *out,
                                crease_error *e);
int crease_tucker_rpca_sparse(const crease_tucker_rpca *m);
int crease_tucker_rpca_noise(const crease_tucker_rpca *m);

/* Doubles that building takes, for forecasts; -1: more than can be counted. */
ptrdiff_t crease_tucker_rpca_size(const crease_tucker_rpca_settings *s);

enum { CRS_TUCKER_BLOCKS = CREASE_MAX_ORDER + 4 };

struct crease_tucker_rpca {
    crease_tucker_rpca_facts facts;
    crease_problem problem;
    crease_space space[CRS_TUCKER_BLOCKS];
    crease_block block[CRS_TUCKER_BLOCKS];
    char name[CREASE_MAX_ORDER][16];
    crease_reg penalty; /* R */
    crease_set inside[3];

    int factor[CREASE_MAX_ORDER]; /* block numbers */
    crease_tucker_data tucker;
    crease_factorization_data product;
    crease_distance_data noise; /* alpha_N |B|^2 */
    crease_predictor weighed;   /* alpha_N |W o B|^2 */
    crease_map weighed_map;
    int weighed_block;
    crease_smooth term[2];
    crease_smooth_list sum;

    double *tensor;      /* T, 0 where it is missing */
    unsigned char *mask; /* W; NULL: ones */
    double *root;        /* sqrt(2 alpha_N) W; NULL: W = 1 */
    double *x[CRS_TUCKER_BLOCKS], *lambda;
};

/* The blocks of the forms, their spaces and the problem (tucker_blocks.c). Before the start: the
 * spaces and what the blocks hold; after it: penalties, sets and couplings. */
void crs_tucker_spaces(crease_tucker_rpca *m);
void crs_tucker_assemble(crease_tucker_rpca *m);

/* The robust fit into x and lambda, and what it teaches (tucker_begin.c). */
bool crs_tucker_begin(crease_tucker_rpca *m, crease_error *e);

#endif
