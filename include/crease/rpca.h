/* SPDX-License-Identifier: MIT
 * rpca.h: CP robust PCA: a tensor as a low-rank part, a sparse part and noise
 *
 *     min |Z - [[X_1, ..., X_d]]|^2 + alpha R(E) + alpha_N |W o B|^2 + (nu/2) sum |X_n|^2
 *     subject to  Z + E + B = T
 *
 * W is 1 where T was observed and 0 where it is missing. Without the constraint, B = T - Z - E:
 *     min |Z - [[X_1, ..., X_d]]|^2 + alpha R(E) + alpha_N |W o (Z + E - T)|^2 + ...           */
#ifndef CREASE_RPCA_H
#define CREASE_RPCA_H

#include <stdint.h>

#include <crease/problem.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CREASE_CP_STARTS(X)                                                                        \
    X(AUTO, auto, "of the envelope a family of its own, of the other methods als")                 \
    X(RANDOM, random, "factors drawn from N(0,1)")                                                 \
    X(HOSVD, hosvd, "singular vectors of the unfoldings, then one sweep of least squares")         \
    X(ALS, als, "the same with as many sweeps as the settings say")                                \
    X(GEVD, gevd, "simultaneous diagonalization of the compressed tensor by eigenvectors")

typedef enum {
#define X(id, name, meaning) CREASE_START_##id,
    CREASE_CP_STARTS(X)
#undef X
} crease_cp_start;

/* Z^0: the data (where they are missing, the low-rank part of the start), ones, or N(0,1). */
typedef enum { CREASE_Z_DATA, CREASE_Z_ONES, CREASE_Z_NORMAL } crease_cp_z;

/* Groups of entries that are sparse together: the fibres along an axis, or the slices across it
 * (all entries with the same index there). */
typedef enum { CREASE_GROUPS_GIVEN, CREASE_GROUPS_FIBRES, CREASE_GROUPS_SLICES } crease_cp_groups;

typedef struct {
    crease_space shape; /* order 2 to CREASE_MAX_ORDER */
    ptrdiff_t rank;
    crease_reg penalty;      /* R; ops NULL: the 1-norm. What it borrows must outlive the model */
    crease_cp_groups groups; /* of a penalty with groups: its own, or made for it */
    int axis;                /* counted from 0 */
    double alpha;            /* weight of R; 0: 2/sqrt(max_n I_n) */
    double alpha_noise;      /* alpha_N > 0 */
    double ridge;            /* nu >= 0; positive: the level sets are bounded in the factors */
    bool missing;            /* NaN in the tensor marks an entry that was not observed */
    const double *mask;      /* W, 0 or 1 an entry; NULL: ones. Read only while building */
    bool nonneg;             /* X_n >= 0 */
    bool unconstrained;      /* blocks X_1..X_d, E, Z; otherwise X_1..X_d, E, Z, B */
    crease_cp_start start;
    crease_cp_z z;
    int sweeps;                  /* of the start by least squares */
    double clip;                 /* start from T cut at +-clip median|T|; 0: from T itself */
    const double *const *factor; /* X_n^0; NULL: by `start`. Read only while building */
    uint64_t seed;
} crease_cp_rpca_settings;

/* alpha as above, alpha_N = 1, the 1-norm, the start auto, 20 sweeps where it is als, Z^0 = T. */
CREASE_API crease_cp_rpca_settings crease_cp_rpca_default(const crease_space *shape,
                                                          ptrdiff_t rank);

typedef struct crease_cp_rpca crease_cp_rpca;

/* The problem with its own copy of the tensor, and a start point. NULL with a sentence on failure;
 * an entry that is not finite is named by its index, counted from 1. */
CREASE_API crease_cp_rpca *crease_cp_rpca_new(const crease_cp_rpca_settings *s,
                                              const double *tensor, crease_error *e);
CREASE_API void crease_cp_rpca_free(crease_cp_rpca *m);

/* Valid as long as the model. With d the order: blocks 0..d-1 are X_n, d is E, d+1 is Z, d+2 is B.
 */
CREASE_API const crease_problem *crease_cp_rpca_problem(const crease_cp_rpca *m);

/* The settings with every default filled in, and how many entries were not observed. */
CREASE_API crease_cp_rpca_settings crease_cp_rpca_used(const crease_cp_rpca *m);
CREASE_API ptrdiff_t crease_cp_rpca_missing(const crease_cp_rpca *m);

/* Makes the missing entries of the tensor NaN, so that the mask is no longer needed; refuses data
 * that are not finite, as above. Of the settings: shape, missing and mask. */
CREASE_API bool crease_cp_apply_mask(const crease_cp_rpca_settings *s, double *tensor,
                                     crease_error *e);

/* Doubles that building takes, for forecasts; -1: more than can be counted. */
CREASE_API ptrdiff_t crease_cp_rpca_size(const crease_cp_rpca_settings *s);

/* out = [[X_1, ..., X_d]] */
CREASE_API bool crease_cp_lowrank(const crease_space *shape, ptrdiff_t rank,
                                  const double *const *factor, double *out, crease_error *e);

/* The same sum of rank-one terms as weights times unit columns, by descending weight >= 0. In every
 * column but those of the last factor the entry of largest magnitude is positive. A term that is
 * zero has zero columns. unit[n] may not be factor[n]. */
CREASE_API bool crease_cp_components(const crease_space *shape, ptrdiff_t rank,
                                     const double *const *factor, double *const *unit,
                                     double *weight, crease_error *e);

/* How alike two models are, in [0, 1]: the mean over paired terms of the product of their columns'
 * |cosines| and of how near their sizes are; the best pairing. 1: the same terms in any order. */
CREASE_API bool crease_cp_match(const crease_space *shape, ptrdiff_t rank_x, const double *const *x,
                                ptrdiff_t rank_y, const double *const *y, double *score,
                                crease_error *e);

/* |x - truth|/|truth|; where the truth is 0: 0 or INFINITY. */
CREASE_API double crease_relative_error(ptrdiff_t n, const double *x, const double *truth);

/* The rank at which the singular values of an unfolding first fall by a factor above 4 (where none
 * does: by the largest factor), the largest over all modes. Missing entries count as 0: they are
 * NaN, or 0 in the mask, which may be NULL. */
CREASE_API bool crease_cp_rank(const crease_space *shape, const double *tensor, const double *mask,
                               ptrdiff_t *rank, crease_error *e);

/* The instances of Jiang, Lin, Ma, Zhang 2019, section 5: X_n ~ N(0,1), an outlier in
 * round(outliers * size) entries ~ N(0, magnitude^2), noise * N(0,1) everywhere. */
typedef struct {
    crease_space shape;
    ptrdiff_t rank;
    double outliers, magnitude, noise; /* fraction in [0,1]; >= 0; >= 0 */
    uint64_t seed;
} crease_cp_recipe;

typedef struct {
    crease_cp_recipe recipe;
    ptrdiff_t count; /* outliers */
    double *tensor, *lowrank, *sparse, *noise;
    double *factor[CREASE_MAX_ORDER];
} crease_cp_instance;

CREASE_API crease_cp_recipe crease_cp_recipe_default(const crease_space *shape, ptrdiff_t rank);
/* Is every number in its range? */
CREASE_API bool crease_cp_recipe_check(const crease_cp_recipe *r, crease_error *e);
CREASE_API crease_cp_instance *crease_cp_generate(const crease_cp_recipe *r, crease_error *e);
CREASE_API void crease_cp_instance_free(crease_cp_instance *c);

/* Fluorescence of mixtures, samples x emission x excitation: concentrations in [0.05, 1], smooth
 * spectra >= 0 of maximum 1; the sparse part is the scatter ridges, of height magnitude, and spikes
 * in a fraction `outliers` of the entries. */
CREASE_API crease_cp_recipe crease_eem_recipe_default(void);
CREASE_API crease_cp_instance *crease_eem_generate(const crease_cp_recipe *r, crease_error *e);
/* In nm; axis 1 is emission, 2 excitation, 0 <= i < dim[axis]. */
CREASE_API double crease_eem_wavelength(const crease_space *shape, int axis, ptrdiff_t i);

#ifdef __cplusplus
}
#endif

#endif
