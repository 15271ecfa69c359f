/* SPDX-License-Identifier: MIT
 * rpca_rank.h: how many terms a CP robust PCA should have: fits of several ranks to most of the
 * entries, judged by the entries held out and by the core consistency */
#ifndef CREASE_RPCA_RANK_H
#define CREASE_RPCA_RANK_H

#include <stdint.h>

#include <crease/space.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a fit is asked for: a robust CP model of the entries with mask > 0. */
typedef struct {
    crease_space shape;
    const double *tensor; /* finite where mask > 0 */
    const double *mask;   /* NULL: every entry was observed */
    ptrdiff_t rank;
    uint64_t seed;
    const double *const *start; /* factors that may be near; NULL: none are known */
    long *readings;             /* grows by 1 with every reading of the tensor; NULL: not counted */
} crease_cp_fit_request;

/* factor[n] (I_n x rank) receives the model; *objective a value to be minimized, for the table.
 * False with a sentence on failure. */
typedef bool (*crease_cp_fitter)(void *self, const crease_cp_fit_request *r, double *const *factor,
                                 double *objective, crease_error *e);

/* The factors that minimize the sum of Huber's function of T - M, with a threshold of three robust
 * deviations of the residual (the Moreau envelope of l1), by the method of crease_cp_fit; bad
 * starts are detected and replaced. self: NULL, or a crease_cp_fit_settings whose threads and
 * model.nonneg are used. The objective is that sum. */
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
    ptrdiff_t rank;
    double held_out;    /* median|T - M| of the entries held out */
    double fitted;      /* and of the others */
    double loss;        /* mean of min(|T - M|, t)^2 of the entries held out, t three robust
                           deviations of the best row */
    double excess;      /* of the loss over the least in the table */
    double error;       /* standard error of the excess, by the differences entry by entry */
    double consistency; /* percent; NaN: not defined */
    double objective;
} crease_cp_rank_row;

typedef struct {
    ptrdiff_t low, high; /* ranks to try; low = 0: search */
    ptrdiff_t from;      /* of a search: it begins with what pruning leaves of so many terms;
                            0: of somewhat more than the singular values suggest */
    double share;        /* of the entries, held out; 0: 0.05 */
    double least;        /* consistency below which a rank is not recommended; 0: 80 */
    uint64_t seed;
    crease_cp_fitter fit; /* NULL: crease_cp_fit_envelope */
    void *self;
} crease_cp_rank_options;

typedef struct {
    ptrdiff_t count;
    crease_cp_rank_row *row; /* ascending ranks */
    ptrdiff_t rank;          /* recommended */
    long readings;           /* of the tensor, by all fits and tests; a fit that was supplied
                                counts its own */
    char reason[500];
} crease_cp_rank_table;

/* The smallest rank of sufficient consistency whose loss is not above the least among those by more
 * than one standard error and 1 % of the variance of the noise; less a last term whose consistency
 * is below 99 and whose gain in loss is below a third of that of the term before it. Where another
 * rank is within two standard errors other entries are held out in turn, up to eight times as many;
 * the reason says if it still is. NULL with a sentence on failure. */
CREASE_API crease_cp_rank_table *crease_cp_rank_sweep(const crease_space *shape,
                                                      const double *tensor, const double *mask,
                                                      const crease_cp_rank_options *o,
                                                      crease_error *e);
CREASE_API void crease_cp_rank_table_free(crease_cp_rank_table *t);

#ifdef __cplusplus
}
#endif

#endif
