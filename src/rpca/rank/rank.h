/* SPDX-License-Identifier: MIT
 * rank.h: the parts of the search for a rank: residuals by their magnitudes, models of several
 * ranks and starts from them, what is held out, halves of the data, the judge */
#ifndef CRS_RANK_H
#define CRS_RANK_H

#include "rpca/start.h"

/* Numbers |x| by bins, none at first but for the unit; bounds t are taken at the edge of a bin at
 * or below them. */
enum { CRS_MAGNITUDE_BINS = 2048 };
typedef struct {
    double unit, all; /* > 0; how many numbers there are */
    double count[CRS_MAGNITUDE_BINS], sum[CRS_MAGNITUDE_BINS], squares[CRS_MAGNITUDE_BINS];
} crs_magnitudes;

void crs_magnitudes_add(crs_magnitudes *m, double x);
double crs_magnitudes_bounded(const crs_magnitudes *m, double t); /* mean of min(|x|, t)^2 */
double crs_magnitudes_huber(const crs_magnitudes *m, double t);   /* sum of x^2/2 or t|x| - t^2/2 */
double crs_magnitudes_median(int count, const crs_magnitudes *const *list); /* of all numbers */
/* The deviation of the noise: by what is within 2.5 of it, less the parameters that were fitted. */
double crs_magnitudes_scale(const crs_magnitudes *m, double parameters);

/* A model of so many terms, and who owns it frees it. */
typedef struct {
    ptrdiff_t rank; /* 0: none */
    double *factor[CREASE_MAX_ORDER];
} crs_terms;
bool crs_terms_new(const crease_space *s, ptrdiff_t rank, crs_terms *x, crease_error *e);
void crs_terms_free(crs_terms *x);

/* What pruning leaves of `over` terms, fitted by the envelope's method; o NULL: its defaults. */
bool crs_rank_prune(const crease_cp_rank_options *o, const crease_cp_fit_request *r, ptrdiff_t over,
                    crs_terms *out, crease_error *e);

/* Starts from models of other ranks. FROM_BELOW, FROM_FIRST: a few terms and a model of the rest,
 * its outliers cut off; FROM_RANDOM: one more term, of the size of the residual; FROM_ABOVE: one
 * less, the weakest; FROM_EQUAL: a model of this rank; FROM_WIDE: the same with others in place of
 * those of its terms that sit on a few entries. */
typedef enum {
    CRS_FROM_BELOW,
    CRS_FROM_ABOVE,
    CRS_FROM_FIRST,
    CRS_FROM_RANDOM,
    CRS_FROM_EQUAL,
    CRS_RANK_STARTS, /* of a search, one after the other */
    CRS_FROM_WIDE = CRS_RANK_STARTS
} crs_rank_start;

/* r: the entries to fit, and the rank. out is new. */
bool crs_rank_start_by(const crease_cp_fit_request *r, crs_rank_start q, bool nonneg,
                       const crs_terms *from, crs_terms *out, crease_error *e);

/* Is no term on so few entries that it may be outliers alone? */
bool crs_rank_sound(const crease_space *s, const crs_terms *x);

/* Is the model found again in halves of the data? Two modes at most are cut in half, the longest
 * whose halves still determine so many terms; each half is fitted from the model, shaken. The
 * congruence of a term is the product of the cosines, of its columns in the other modes, between
 * the two halves. */
typedef struct {
    const crease_cp_fit_request *r; /* all entries that were observed; the rank */
    crease_cp_fitter fit;
    void *self;
    double sigma; /* of the noise that the model leaves */
    double shake;
} crs_rank_halves;
typedef struct {
    bool known;        /* false: no mode can be cut in half, or noise explains what differs */
    bool reproduces;   /* every term is found again */
    double congruence; /* the least; NaN: no mode was cut */
} crs_rank_likeness;
bool crs_rank_compare_halves(const crs_rank_halves *h, const crs_terms *x, crs_rank_likeness *out,
                             crease_error *e);

/* The shape of a part of at most so many entries (0: of all), and that part, NaN where T was not
 * observed. */
crease_space crs_rank_sample_shape(const crease_space *s, ptrdiff_t most);
bool crs_rank_sample(crs_source *t, const crease_space *part, double *out, crease_error *e);

/* lot: of each entry, in which folds it is held out, if it was observed; the folds of a large
 * tensor are fewer, the others hold out nothing. Returns how many entries were observed: mask > 0,
 * or not NaN where mask is NULL. fold -1: was it observed? */
enum { CRS_RANK_FOLDS = 7 };
ptrdiff_t crs_rank_folds(const crease_space *s, const double *tensor, const double *mask,
                         double share, uint64_t seed, unsigned char *lot);
static inline bool crs_rank_in_fold(unsigned char lot, int fold)
{
    return (lot >> CRS_RANK_FOLDS & 1) && (fold < 0 || (lot >> fold & 1));
}

typedef struct {
    crease_cp_rank_table *t;     /* ranks ascend by one */
    const crs_magnitudes **held; /* CRS_RANK_FOLDS a row: |T - M| of what each fold holds out */
    const double *sigma;         /* of each row, the deviation of the noise that it leaves */
    double floor;                /* deviations below it are no noise but rounding */
} crs_rank_judge;

/* held_out, loss, gain and its standard error of every row; fitted and sigma are known. */
void crs_rank_losses(const crs_rank_judge *j);

/* A step: the loss is less by more than two standard errors over the folds and 2 % a term. The
 * climb goes from row `at` down while no step leads to it, from the row below or from two below
 * past that one; then up by steps to the next row, else to the next but one. Returns where it ends.
 */
bool crs_rank_step(const crs_rank_judge *j, ptrdiff_t from, ptrdiff_t to);
ptrdiff_t crs_rank_climb(const crs_rank_judge *j, ptrdiff_t at);

/* Is the held-out error of row k within 15 % of that of row `to`? */
bool crs_rank_close(const crs_rank_judge *j, ptrdiff_t k, ptrdiff_t to);

/* Fills in the numbers, the rank and the reason; `at` is where the climb ended, half the row whose
 * terms all reproduce in halves of the data, -1: not known. */
void crs_rank_explain(const crs_rank_judge *j, ptrdiff_t at, ptrdiff_t half);

#endif
