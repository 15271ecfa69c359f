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
#include "rpca/rpca.h"
#include "rpca/tall/tall.h"
#include "solve/engine.h"
#include "tensor/tensor.h"

typedef struct {
    crease_space shape, ranks; /* R_n <= I_n, and R_n <= the product of the others */
    ptrdiff_t most;            /* of every R_n that is chosen; 0: no limit */
    crs_penalty_value penalty; /* the penalty, alpha included */
    double learn;              /* > 0: the threshold is learn * robust scale of the residual, and
                                  the penalty's parameters are in that unit */
    double alpha_noise;
    const unsigned char *mask; /* of a tensor in memory, borrowed; NULL: all observed */
    int threads;
    double eps; /* relative residual to reach */
    uint64_t seed;
    crease_watch *watch; /* NULL: none */
    bool spare; /* the ranks are the largest there may be: directions that the data do not support
                   are dropped on the path (spare.c); false: the ranks stay */
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
    double moved;    /* by the last step of the front while the core pays, relative */
    double scale;    /* robust standard deviation of the residual */
    double threshold;
    ptrdiff_t nonzeros; /* of E */
} crs_tucker_statistics;

/* What model.c reads: factors with orthonormal columns, core, P, and the pass, which with the
 * factors {P, X_d} yields E, Z, B, Lambda and the low-rank part by rows. The rest is fit.c's. */
typedef struct {
    crs_tucker_settings c; /* its ranks are those there are now */
    crs_memory data;       /* T where it was given in memory */
    crs_source *source;    /* that, or what was given */
    crs_envelope *pass;    /* of T as left x I_d */
    crs_look span;         /* of several slabs: what the start looks for */
    crease_error failure;  /* of a slab that could not be had; CREASE_OK: none */
    crs_tall *tall;        /* of a tall matrix: its last steps (rpca/tall); NULL: none */
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
    bool priced;                     /* the core pays for its entries */
    bool judged;                     /* it has paid, and its directions are to be judged */
    int waited, hung;                /* passes at the end of that path, and at this threshold */
    double last;                     /* threshold of the pass before */
    double paid;                     /* by every entry of the core, last */
    double *values, *sizes;          /* singular values of the core, mode after mode; the same
                                        before the last price */
    bool *dead;                      /* columns of X_d whose slice of the core is 0 */
    ptrdiff_t cuts;                  /* directions that were dropped */
    crease_cp_cut *cut;              /* these */
    int revived, rest;               /* how often; passes left of this time */
    double least;                    /* no learned threshold is below this */
    double whole;                    /* the objective that residuals are relative to; 0: terms */
    double best;                     /* value of the wanted penalty before the last time */
    crs_penalty_value goal, penalty; /* the penalty to end with, and the one in use */
    crs_envelope_sums sums;
    crs_tucker_statistics statistics;
    void *memory;
    ptrdiff_t bytes, directions; /* of its arrays, from factor[0] on; of the ranks at first */
} crs_tucker_fit;

/* Of fit.c (spare.c), while the core pays: the price, paid after a step of the front; the step of
 * X_d; the next threshold of the path (s->judged: directions are to be judged); random slices of
 * the core where they are 0, for one evaluation, and 0 again; directions that are not supported,
 * dropped (any: there were some). */
enum { CRS_TUCKER_PRICED_FLAT = 100 }; /* entries beyond so many thresholds have no weight */
bool crs_tucker_turn_back(crs_tucker_fit *s);
double crs_tucker_along_price(crs_tucker_fit *s, double wanted);
bool crs_tucker_price(crs_tucker_fit *s);
void crs_tucker_probe(crs_tucker_fit *s, bool on);
bool crs_tucker_drop(crs_tucker_fit *s, bool *any);

ptrdiff_t crs_tucker_fit_bytes(const crs_tucker_settings *c, crease_error *e);

/* T is borrowed. NULL with a sentence on failure. The start is by the singular vectors of T with
 * its entries clipped. Of a source the mask comes with the slabs. */
crs_tucker_fit *crs_tucker_fit_new(const crs_tucker_settings *c, const double *T, crease_error *e);
crs_tucker_fit *crs_tucker_fit_new_on(const crs_tucker_settings *c, crs_source *T, crease_error *e);
void crs_tucker_fit_free(crs_tucker_fit *s);

/* One pass over T: true once the point is stationary to eps; it then stays as it is. The residual
 * is NaN when it failed: s->failure may say why. */
bool crs_tucker_fit_step(crs_tucker_fit *s);

/* Steps of a unit of a checkpoint, at most so many passes, until it is stationary, the watch is
 * over or, with `judges`, its directions are all judged; at least until there is a point. */
void crs_tucker_fit_lead(crs_tucker_fit *s, long passes, bool judges);
void crs_tucker_fit_visit(crs_visitor *v, void *fit); /* what steps change */

/* False with the sentence of a look that failed. */
bool crs_tucker_fit_well(const crs_tucker_fit *s, crease_error *e);

/* The condition of a block, X_1 .. X_d and then C, from SX and SP: how far from 0 its gradient is,
 * the size of its terms, and |x|. */
typedef struct {
    double step, size, norm;
} crs_tucker_terms;
crs_tucker_terms crs_tucker_fit_terms(crs_tucker_fit *s, int block);

/* span.c: out (right x rank) = S'S x, S the rows of a slab clipped at +-bound. */
typedef struct {
    ptrdiff_t right, rank;
    double bound;
    const double *x; /* right x rank */
} crs_span_look;
ptrdiff_t crs_span_room(ptrdiff_t right, ptrdiff_t rank); /* doubles of work */
void crs_span_add(const crs_span_look *a, ptrdiff_t left, const crs_slab *slab, double *work,
                  double *out);

typedef struct {
    crease_space ranks;
    int fits;
    long passes;      /* of all of them */
    char reason[300]; /* a clause that says why these */
} crs_tucker_choice;

/* Ranks for T, whose entries that are not finite were not observed; ranks and mask of c are not
 * read. When the watch ends it, or T is large: an upper bound, of which a fit keeps what is there.
 */
bool crs_tucker_choose(const crs_tucker_settings *c, const double *T, crs_tucker_choice *out,
                       crease_error *e);

/* The threshold and the penalty asked for, with what was learned so far. */
static inline double crs_tucker_fit_threshold(const crs_tucker_fit *s)
{
    return s->c.learn > 0
               ? larger(s->least, s->c.learn * s->statistics.scale)
               : crs_envelope_threshold(&s->c.penalty, crs_noise_share(s->c.alpha_noise));
}

static inline crs_penalty_value crs_tucker_fit_goal(const crs_tucker_fit *s)
{
    if (s->statistics.stage != CRS_TUCKER_PATH) return s->goal;
    return s->c.learn > 0 ? crs_envelope_with_threshold(&s->c.penalty, crs_tucker_fit_threshold(s),
                                                        crs_noise_share(s->c.alpha_noise))
                          : s->c.penalty;
}

/* The passes of a fit, for the watch. */
static inline void crs_tucker_tell(const crs_tucker_fit *s)
{
    const crease_progress now = { .iteration = s->statistics.passes,
                                  .objective = s->statistics.value,
                                  .feasibility = NAN,
                                  .worst = NAN,
                                  .worst_relative = s->statistics.residual,
                                  .theta = NAN,
                                  .potential = NAN };
    crs_watch_tell(s->c.watch, &now);
}

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
    crease_watch *watch; /* NULL: none */
    bool spare; /* directions that the data do not support are dropped on the way and come back as
                   columns of zeros with zero slices of the core, which is stationary */
    bool prune; /* they do not come back: the ranks become what is left */
} crease_tucker_rpca_settings;

/* The first form, l1, learn = 3, alpha_N = 1, eps = 1e-6, 1000 passes, spare. */
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
    double residual;          /* of the fit, relative; NaN: there was none */
    double deviation;         /* of the noise, robust, in the data's unit */
    double threshold;         /* beyond which an entry is an outlier */
    crease_space kept;        /* ranks that the data support */
    ptrdiff_t cuts;           /* directions that they do not */
    const crease_cp_cut *cut; /* these; valid as long as the model */
} crease_tucker_rpca_facts;
crease_tucker_rpca_facts crease_tucker_rpca_about(const crease_tucker_rpca *m);

/* start.c: the fit of a form, at settings that are checked; what is learned goes to its facts, and
 * `cut` is the owner's to free. */
typedef struct {
    crease_tucker_rpca_facts facts;
    crease_reg penalty; /* R */
    crease_cp_cut *cut;
} crs_tucker_start;
bool crs_tucker_check(const crease_tucker_rpca_settings *s, crease_error *e);
bool crs_tucker_check_magnitude(double most,
                                crease_error *e); /* of the data; < 0: there are none */
void crs_tucker_start_init(crs_tucker_start *m);  /* its settings are there */
/* NULL with a sentence; T must outlive the fit. */
crs_tucker_fit *crs_tucker_begin(crs_tucker_start *m, crs_source *T, crease_error *e);

/* Numbers of X_1 .. X_d, and last of C. */
static inline ptrdiff_t crs_tucker_block_size(const crease_space *shape, const crease_space *ranks,
                                              int i)
{
    return i < shape->order ? shape->dim[i] * ranks->dim[i] : crease_size(ranks);
}

/* model.c: the first form at a fit; takes what was cut over from start. seen NULL: ones. */
crease_tucker_rpca *crs_tucker_rpca_at(crs_tucker_start *start, crs_tucker_fit *fit,
                                       const double *tensor, const unsigned char *seen,
                                       crease_error *e);

/* A factor or a core of the fit's size as the leading part of a larger one, whose rest is 0. */
void crs_tucker_embed(const crease_space *from, const double *x, const crease_space *to, double *y);

/* run.c: the first form on any source whose facts are known, without anything of its size: the fit
 * is the run, of whose point the certificate is made from the factors. Blocks X_1 .. X_d, C, E, Z,
 * B. NULL with a sentence; T must outlive it. */
typedef struct crs_tucker_run crs_tucker_run;
crs_tucker_run *crs_tucker_run_new(const crease_tucker_rpca_settings *s, const crease_options *o,
                                   crs_source *t, crease_error *e);
void crs_tucker_run_free(crs_tucker_run *r);
crs_driver *crs_tucker_run_driver(crs_tucker_run *r);

/* Once it is built: is its fit stationary, to what it was asked for? If not, the problem that goes
 * on from there, of the tensor and the mask that the source stands for; NULL with a sentence. */
bool crs_tucker_run_stationary(const crs_tucker_run *r);
crease_tucker_rpca *crs_tucker_run_problem(crs_tucker_run *r, crease_error *e);
const crease_analysis *crs_tucker_run_analysis(const crs_tucker_run *r);
crease_tucker_rpca_facts crs_tucker_run_about(const crs_tucker_run *r);
const double *crs_tucker_run_block(const crs_tucker_run *r, int i); /* X_1 .. X_d, then C */
const crease_error *crs_tucker_run_failure(const crs_tucker_run *r);
void crs_tucker_run_fails(crs_tucker_run *r, const crease_error *why); /* the report's sentence */
double crs_tucker_run_bytes(const crease_tucker_rpca_settings *s);     /* beside T */
long crs_tucker_run_readings(const crs_tucker_run *r);                 /* of T, from end to end */

/* Parts of the answer, as crease_rpca_rows and crease_rpca_read say. */
void crs_tucker_run_rows(const crs_tucker_run *r, ptrdiff_t *left, ptrdiff_t *right);
/* Their point where T has several slabs, of which nothing is held then; NULL: it has one. */
const crs_cp_point *crs_tucker_run_slabs(crs_tucker_run *r);
void crs_tucker_run_read(crs_tucker_run *r, crease_rpca_part part, ptrdiff_t first, ptrdiff_t count,
                         double *out);

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

#endif
