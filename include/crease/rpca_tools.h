/* SPDX-License-Identifier: MIT
 * rpca_tools.h: what surrounds robust PCA (rpca.h): terms of a CP model, how many of them, new
 * slices, made-up data
 *
 * Slices: with M the Khatri-Rao product of the other factors, a the coefficients of a new slice t
 *     min_a,e  c |t - M a - e|^2 + alpha R(e) + (nu/2)|a|^2,  c = alpha_N/(1 + alpha_N) */
#ifndef CREASE_RPCA_TOOLS_H
#define CREASE_RPCA_TOOLS_H

#include <crease/rpca.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Makes the missing entries of the tensor NaN, so that the mask is no longer needed; refuses data
 * that are not finite, naming the entry. nan: NaN marks missing entries already. */
CREASE_API bool crease_rpca_mask(const crease_space *shape, const double *mask, bool nan,
                                 double *tensor, crease_error *e);

/* out = [[X_1, ..., X_d]] */
CREASE_API bool crease_cp_lowrank(const crease_space *shape, ptrdiff_t rank,
                                  const double *const *factor, double *out, crease_error *e);

/* The same sum of rank-one terms as weights times unit columns, by descending weight >= 0. In every
 * column but those of the last factor the entry of largest magnitude is positive. A term that is
 * zero has zero columns. unit[n] may not be factor[n]. */
CREASE_API bool crease_cp_components(const crease_space *shape, ptrdiff_t rank,
                                     const double *const *factor, double *const *unit,
                                     double *weight, crease_error *e);

/* Of such unit columns and weights: the share w_k^2/sum w^2 of each term in the energy of all (NaN:
 * all are zero), and the index of the entry of largest magnitude in its column of mode n, the first
 * of equal ones, in peak[k * order + n]. */
CREASE_API void crease_cp_peaks(const crease_space *shape, ptrdiff_t rank,
                                const double *const *unit, const double *weight, double *share,
                                ptrdiff_t *peak);

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

/* For every mode, where the singular values of its unfolding fall; missing entries (NaN) count as
 * 0, entries beyond five times the median magnitude as that. Modes longer than 1500 are given the
 * largest of the others'. */
CREASE_API bool crease_tucker_ranks(const crease_space *shape, const double *tensor,
                                    crease_space *ranks, crease_error *e);

/* What a fit is asked for: a robust CP model of the entries with mask > 0. */
typedef struct {
    crease_space shape;
    const double *tensor; /* finite where mask > 0 */
    const double *mask;   /* NULL: every entry was observed */
    ptrdiff_t rank;
    uint64_t seed;
    const double *const *start; /* factors that may be near; NULL: none are known */
    double eps;                 /* relative residual to reach; 0: 1e-4, which medians do not show */
    bool beside;                /* of a sweep: a term may dwarf the others */
    long *readings;             /* grows by 1 with every reading of the tensor; NULL: not counted */
    crease_watch *watch;        /* NULL: none */
} crease_cp_fit_request;

/* factor[n] (I_n x rank) receives the model; *objective a value to be minimized, for the table.
 * False with a sentence on failure. */
typedef bool (*crease_cp_fitter)(void *self, const crease_cp_fit_request *r, double *const *factor,
                                 double *objective, crease_error *e);

/* The factors that minimize the sum of Huber's function of T - M, with a threshold of three robust
 * deviations of the residual (the Moreau envelope of l1), by the method of crease_rpca; bad starts
 * are detected and replaced. self: NULL, or a crease_cp_rank_options whose threads and nonneg are
 * used. The objective is that sum. */
CREASE_API bool crease_cp_fit_envelope(void *self, const crease_cp_fit_request *r,
                                       double *const *factor, double *objective, crease_error *e);

/* 100 (1 - |G - I|^2/R) where G is the core that fits the cleaned tensor M + clip(T - M) best and I
 * the superdiagonal one: near 100 for a CP model of the right rank, low or negative beyond it. NaN
 * where R exceeds a dimension. Bro, Kiers, A new efficient method for determining the number of
 * components in PARAFAC models, 2003. */
CREASE_API bool crease_cp_consistency(const crease_cp_fit_request *r, const double *const *factor,
                                      double *percent, crease_error *e);

/* The largest singular value of the residual's unfoldings, squared, relative to that of noise of
 * the same size: about 1 where the model has found all there is to find; above 1.5 where a term is
 * missing or unfinished, from a bad start or too small a rank, at any ratio of signal to noise that
 * lets a term be seen. 0 for a residual of 0. */
CREASE_API bool crease_cp_structure(const crease_cp_fit_request *r, const double *const *factor,
                                    double *structure, crease_error *e);

typedef struct {
    ptrdiff_t low, high; /* ranks to try; low = 0: search */
    ptrdiff_t from;      /* of a search: it begins with what pruning leaves of so many terms;
                            0: of somewhat more than the singular values suggest */
    double share;        /* of the entries, held out by each fold; 0: 0.1 */
    ptrdiff_t most;      /* entries: of a larger tensor some of the slices are taken, of the longest
                            modes first; 0: as many as there are */
    uint64_t seed;
    int threads;          /* of the library's own fits; 0: all there are */
    bool nonneg;          /* X_n >= 0 in them */
    crease_cp_fitter fit; /* NULL: crease_cp_fit_envelope */
    void *self;           /* of a fit that is supplied */
    crease_watch *watch;  /* NULL: none; over: what is known by then is the answer */
} crease_cp_rank_options;

/* Fits of several ranks to all entries, the best of several starts each; then to all but those that
 * a fold holds out, segments of fibres, for each of four folds. From a small rank it is gone up by
 * one term, or by two, while the loss falls by more than two standard errors over the folds and 2 %
 * a term: so many terms predict held-out data. With order 3 or more, of so many terms those are
 * counted that are found again in both halves of the data; if fewer are, and that rank's held-out
 * error is within 15 % of the other's, it is recommended. NULL with a sentence on failure. */
CREASE_API crease_cp_rank_table *crease_cp_rank_sweep(const crease_space *shape,
                                                      const double *tensor, const double *mask,
                                                      const crease_cp_rank_options *o,
                                                      crease_error *e);
CREASE_API void crease_cp_rank_table_free(crease_cp_rank_table *t);

typedef struct {
    crease_space shape; /* of the new data: any number of slices along `mode` */
    ptrdiff_t rank;
    int mode;                    /* counted from 0 */
    const double *const *factor; /* I_n x rank for n != mode; factor[mode] is not read */
    crease_reg penalty;          /* rho; ops NULL: the 1-norm. One made from a scalar penalty */
    double alpha, alpha_noise;   /* > 0 */
    double ridge;                /* nu >= 0 */
    bool nonneg;                 /* a >= 0 */
    bool missing;                /* NaN marks an entry that was not observed */
    const double *mask;          /* 0 or 1 an entry; NULL: ones */
    const double *trained;       /* coefficients of slices seen before; NULL: none */
    ptrdiff_t trained_count;
    crease_watch *watch; /* NULL: none */
} crease_cp_apply_settings;

typedef struct {
    double share;     /* of the observed entries that are outliers: e != 0 */
    double energy;    /* |e|^2/|r - e|^2, r the residual; 0 without outliers */
    double scale;     /* median|r| */
    double distance;  /* of a from the trained ones: root mean square over terms of
                         (a_r - median)/(1.4826 MAD); NaN without them */
    double objective; /* of the slice's problem */
    double gradient;  /* its stationarity residual, relative to 2c |M| |r - e| + nu |a| */
    ptrdiff_t observed;
    int iterations;
} crease_cp_slice_score;

/* Arrays of the caller: coefficients (slices x rank); the rest may be NULL. lowrank and sparse have
 * the shape of the data; sparse is 0 where nothing was observed. */
typedef struct {
    double *coefficients;
    double *lowrank, *sparse;
    crease_cp_slice_score *score; /* a slice */
} crease_cp_apply_result;

CREASE_API bool crease_cp_apply(const crease_cp_apply_settings *s, const double *tensor,
                                const crease_cp_apply_result *out, crease_error *e);

/* The instances of Jiang, Lin, Ma, Zhang 2019, section 5: X_n ~ N(0,1), an outlier in
 * round(outliers * size) entries ~ N(0, magnitude^2), noise * N(0,1) everywhere. */
typedef struct {
    crease_space shape;
    ptrdiff_t rank;
    double outliers, magnitude, noise; /* fraction in [0,1]; >= 0; >= 0 */
    uint64_t seed;
    crease_watch *watch; /* NULL: none; over: no instance */
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

#ifdef __cplusplus
}
#endif

#endif
