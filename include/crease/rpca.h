/* SPDX-License-Identifier: MIT
 * rpca.h: robust PCA: a matrix or tensor as a low-rank part, a sparse part and noise
 *
 *   cp      min |Z - [[X_1, ..., X_d]]|^2 + alpha R(E) + alpha_N |W o B|^2 + (nu/2) sum |X_n|^2
 *           with Z + E + B = T; all but X_n and E follows in closed form
 *   tucker  min |Z - C x_1 X_1 ... x_d X_d|^2 + alpha R(E) + alpha_N |W o B|^2,  Z + E + B = T
 *   ball    min |Z - X Y'|^2 + alpha R(E),  Z + E + B = T,  |B|_F <= eta, |X|_F, |Y|_F <= radius
 *   pcp     min |L|_* + alpha |S|_1,  L + S = T   (principal component pursuit)
 *
 * W is 1 where T was observed and 0 where it is missing. Ball and pcp are of matrices without
 * missing entries; order 2 of tucker is matrix robust PCA whose noise is penalized. */
#ifndef CREASE_RPCA_H
#define CREASE_RPCA_H

#include <stdint.h>

#include <crease/solver.h>
#include <crease/source.h>
#include <crease/verify.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
    CREASE_RPCA_CP,
    CREASE_RPCA_TUCKER,
    CREASE_RPCA_BALL,
    CREASE_RPCA_PCP
} crease_rpca_kind;

/* A start of cp is a line here and a function in rpca/starts.c. */
#define CREASE_CP_STARTS(X)                                                                        \
    X(AUTO, auto, "of the envelope a family of its own, of the other methods als")                 \
    X(RANDOM, random, "factors drawn from N(0,1)")                                                 \
    X(HOSVD, hosvd, "singular vectors of the unfoldings, then one sweep of least squares")         \
    X(ALS, als, "the same with as many sweeps as the settings say")                                \
    X(GEVD, gevd, "simultaneous diagonalization of the compressed tensor by eigenvectors")

typedef enum {
#define CREASE_ENTRY_(id, name, meaning) CREASE_START_##id,
    CREASE_CP_STARTS(CREASE_ENTRY_)
#undef CREASE_ENTRY_
} crease_cp_start;

/* Z^0: the data (where they are missing, the low-rank part of the start), ones, or N(0,1). */
typedef enum { CREASE_Z_DATA, CREASE_Z_ONES, CREASE_Z_NORMAL } crease_cp_z;

/* Groups of entries that are sparse together: the fibres along an axis, or the slices across it
 * (all entries with the same index there). */
typedef enum { CREASE_GROUPS_GIVEN, CREASE_GROUPS_FIBRES, CREASE_GROUPS_SLICES } crease_cp_groups;

#define CREASE_CENTER_ALL 0x80000000u

/* How noise may differ: not at all, from row to row of a matrix, from slice to slice of a mode, or
 * as the residuals of a first fit say. */
typedef enum {
    CREASE_NOISE_GLOBAL,
    CREASE_NOISE_ROWS,
    CREASE_NOISE_SLICES,
    CREASE_NOISE_AUTO
} crease_noise;

/* May grow (options.h): begin with crease_rpca_default. */
typedef struct {
    size_t size;
    crease_rpca_kind kind;
    crease_space shape;
    ptrdiff_t rank;     /* of cp; 0: chosen by fits of several ranks, judged by held-out entries */
    crease_space ranks; /* of tucker and ball, R_n <= I_n and <= the product of the others; order 0:
                           as many as there are directions larger than noise */
    crease_reg penalty; /* R; ops NULL: the 1-norm. What it borrows must outlive the handle. Cp
                           takes any, the others one by entries */
    crease_cp_groups groups; /* of a penalty with groups: its own, or made for it */
    int axis;                /* counted from 0 */
    double alpha;            /* weight of R; 0: learned from the residual by tucker, ball and the
                                envelope method of cp, and then R's parameters are in units of the
                                threshold; otherwise 2/sqrt(max I_n), of pcp 1/sqrt(max I_n) */
    double learn;            /* > 0: the threshold beyond which an entry is an outlier is so many
                                robust deviations of the residual, fewer for l1 of cp where outliers
                                are many */
    double alpha_noise;      /* > 0; of cp, at most 1e8, and tucker */
    double ridge;            /* nu >= 0; of cp */
    double eta;              /* of ball; 0: what the deviation of the residual says */
    bool missing;            /* NaN in the tensor marks an entry that was not observed */
    bool nonneg;             /* X_n >= 0; of cp */
    const double *mask;      /* W, 0 or 1 per entry; NULL: ones. Read only while building */
    crease_cp_start start;   /* this and the rest up to `starts` are of cp */
    crease_cp_z z;
    int sweeps;                  /* of the start by least squares */
    double clip;                 /* start from T cut at +-clip median|T|; 0: from T itself */
    const double *const *factor; /* X_n^0; NULL: by `start`. Read only while building */
    int starts;     /* of the envelope: so many are compared; 0: one, and more while the fit is bad.
                       `start` or `factor` is the first of them */
    int threads;    /* 0: all there are */
    bool single;    /* tensors of the iteration in single precision; not of the envelope */
    double memory;  /* refuse to build what would take more bytes than this; 0: never */
    ptrdiff_t most; /* of ranks that are chosen: at most this; 0: no limit */
    bool prune;     /* terms of cp, directions of tucker and ball that the noise explains leave the
                       factors; otherwise they stay as columns of zeros, so that there are as many
                       as `rank` or `ranks` says. A rank that is chosen is always pruned */
    unsigned center; /* constants to be removed from the data, found together with the fit: bit n:
                        one for every index of mode n, from 0; CREASE_CENTER_ALL: one; 0: none.
                        Not of pcp */
    crease_noise noise; /* of cp without a ridge: a level s of the noise for every row or slice,
                           from the residuals of a first fit, and robust PCA of T/s */
    int noise_mode;     /* of slices: counted from 0; -1: where levels differ most */
} crease_rpca_settings;

/* What `crease rpca` does without options: cp, rank and threshold from the data (learn = 3), l1,
 * alpha_N = 1, 20 sweeps where the start is als, Z^0 = T. */
CREASE_API void crease_rpca_init(crease_rpca_settings *s, size_t size, const crease_space *shape);
static inline crease_rpca_settings crease_rpca_default(const crease_space *shape)
{
    crease_rpca_settings s;
    crease_rpca_init(&s, sizeof s, shape);
    return s;
}

/* The options of a run of robust PCA where none are given: those of options.h, eps relative. */
CREASE_API void crease_rpca_options_init(crease_options *o, size_t size);
static inline crease_options crease_rpca_options(void)
{
    crease_options o;
    crease_rpca_options_init(&o, sizeof o);
    return o;
}

typedef struct crease_rpca crease_rpca;

/* Chooses what the settings leave open, and builds the run. Borrows the tensor, which must outlive
 * the handle and in which missing entries become 0. The method is auto, envelope, admm-g, admm-m,
 * prox-bcd or bcd for cp, any that suits the problem for the others; seconds of cp count from here
 * on. Data far from 1 in size are worked on in another unit, a copy of them times a power of two;
 * whatever the handle hands out is in the data's own, but for the analysis. Refused are data whose
 * squares are no numbers (beyond 2^480, or all below 2^-480) or too far apart, and, beyond 2^100,
 * an eps that is not relative, theta, h and paper mode. Paper mode of cp is the recipe of section 5
 * of Jiang, Lin, Ma, Zhang 2019 unless beta, h, theta or the iteration limit say otherwise. o NULL:
 * crease_rpca_options(). The watch of o is asked all along: when it is over, what is there so far
 * makes do. NULL with a sentence on failure; an entry that is not finite is named by its index,
 * counted from 1. */
CREASE_API crease_rpca *crease_rpca_new(const crease_rpca_settings *s, const crease_options *o,
                                        double *tensor, crease_error *e);
CREASE_API void crease_rpca_free(crease_rpca *r);

/* The same of a source, which must outlive the handle and brings its mask: settings give none. A
 * shape of order 0 is that of the source. Where the tensor is not in memory the model is cp by the
 * envelope with a penalty by entries and no center, and the start is not hosvd or als, unless
 * factors are given. Whatever else needs it in one piece is refused by name. Of a source over ranks
 * this, the run and the reading of parts are rank 0's (crease/mpi.h). */
CREASE_API crease_rpca *crease_rpca_new_on(const crease_rpca_settings *s, const crease_options *o,
                                           crease_source *tensor, crease_error *e);

/* Of a source: what ended the run, or the reading of a part, for a slab that could not be had;
 * code CREASE_OK: nothing did. */
CREASE_API const crease_error *crease_rpca_failure(const crease_rpca *r);

/* Bytes the run will take at its peak, the tensor's own included; INFINITY: more than can be
 * counted. A rank to be chosen counts as 1. `missing`: will there be entries that are not
 * observed? `dense`: will E have nonzeros in more than one entry of a hundred, at any time? */
CREASE_API double crease_rpca_bytes(const crease_rpca_settings *s, const crease_options *o,
                                    bool missing, bool dense);

/* As of a solver (solver.h). */
CREASE_API void crease_rpca_callback(crease_rpca *r, crease_callback *call, void *user);
CREASE_API void crease_rpca_stop(crease_rpca *r);

/* One iteration, and iterations until the certificate or a limit says stop. */
CREASE_API crease_outcome crease_rpca_step(crease_rpca *r);
CREASE_API crease_outcome crease_rpca_run(crease_rpca *r);

/* What was found, valid as long as the handle. Of cp: the iterate with the best certificate where E
 * follows from the factors (a convex penalty, or one whose weak convexity is below 2c, c = alpha_N/
 * (1 + alpha_N)) and the mode is not paper's, otherwise the last one; the terms are sorted, and
 * their columns have the same norm in every mode. Of the others: the best certified iterate.
 * X_n is I_n x rank, or I_n x R_n; pcp has no factors, and only tucker has a core: NULL. */
CREASE_API const double *crease_rpca_factor(const crease_rpca *r, int n);
CREASE_API const double *crease_rpca_core(const crease_rpca *r);
CREASE_API const crease_certificate *crease_rpca_certificate(const crease_rpca *r);
CREASE_API const crease_report *crease_rpca_report(const crease_rpca *r);
CREASE_API const crease_progress *crease_rpca_progress(const crease_rpca *r);
CREASE_API const crease_analysis *crease_rpca_analysis(const crease_rpca *r);

/* The constants that were removed, one for every index of mode n, or the one of all (n < 0); NULL:
 * none. The model, its z and b, its certificate and problem are of the data without them; the
 * low-rank part has them again. */
CREASE_API const double *crease_rpca_center(const crease_rpca *r, int n);

/* The levels of the noise of every index of mode n, in units of their median; NULL: it is one for
 * all. Factors and parts are of the data as they are; certificate, alpha, threshold, deviations and
 * what is clear are those of the data divided by their levels. */
CREASE_API const double *crease_rpca_noise_levels(const crease_rpca *r, int n);

/* The settings with everything chosen, learned and filled in, and the options of the run. */
CREASE_API const crease_rpca_settings *crease_rpca_used(const crease_rpca *r);
CREASE_API const crease_options *crease_rpca_options_used(const crease_rpca *r);

/* A rank that was tried (rpca_tools.h) */
typedef struct {
    ptrdiff_t rank;
    double held_out;    /* median|T - M| of the entries held out, by fits to the others */
    double fitted;      /* and of all entries, by the fit to all */
    double loss;        /* mean over the folds of the mean of min(|T - M|, t)^2 of what they hold
                           out, t two deviations of the noise of the row that fits best */
    double gain;        /* share of the loss of one term less that this term takes away, t of the
                           better of the two; NaN: one term less was not tried */
    double error;       /* standard error of the gain, over the folds */
    double consistency; /* percent; NaN: not defined */
    double congruence;  /* least over the terms, of fits to halves of the data; NaN: not tested */
    double objective;   /* of the fit to all entries */
    double *factor[CREASE_MAX_ORDER]; /* of that fit, I_n x rank, I_n of `judged` */
} crease_cp_rank_row;

typedef struct {
    ptrdiff_t count;
    crease_cp_rank_row *row; /* ascending ranks */
    crease_space judged;     /* the shape of the data, or of the slices that were taken */
    ptrdiff_t rank;          /* recommended */
    ptrdiff_t predicts;      /* terms that predict held-out data */
    ptrdiff_t reproduces;    /* terms that reproduce in halves of the data; 0: not known */
    bool stopped;            /* before all ranks that matter were tried */
    long readings;           /* passes over the tensor, by all fits and tests; a fit that was
                                supplied counts its own */
    char reason[700];
} crease_cp_rank_table;

/* A term that was cut: why, its norm, and the norm that the noise alone would give a term. Of
 * tucker and ball a direction of a mode, its singular value in the core, and how large one may be
 * that is taken for noise. */
typedef struct {
    const char *reason;
    double size, noise;
    int mode; /* counted from 1; 0: a term of cp */
} crease_cp_cut;

/* What the data say for a term: by how much sum min(|r|, t)^2 grows without it, the others fitted
 * again; t is three deviations of the noise. Undecided: more than the noise alone may yield, less
 * than t^2 for each of its parameters. Unknown: to find out would have taken too long. */
typedef enum {
    CREASE_TERM_SUPPORTED,
    CREASE_TERM_UNDECIDED,
    CREASE_TERM_UNKNOWN
} crease_term_support;
typedef struct {
    crease_term_support support;
    double size;         /* its norm when it was judged */
    double gain, needed; /* the sum's growth, and what it must exceed; NaN: unknown */
} crease_cp_support;

/* What is known of the answer, and of how it came about. */
typedef struct {
    const char *engine; /* "envelope", "fused", "generic"; of tucker "tucker", of pcp "pursuit",
                           otherwise, or where another method is asked for, "solver" */
    ptrdiff_t missing;  /* entries that were not observed */
    ptrdiff_t outliers; /* entries of the sparse part that are not 0 */
    double share;       /* of the observed entries that these are */
    double threshold;   /* |T - lowrank| beyond which an entry is an outlier; NaN: not by entries */
    double deviation;   /* of the noise among the others, robust; NaN: not known */
    long passes;        /* over the tensor from end to end: data, starts, tests, steps and
                           certificates; an iteration of another engine counts as one */
    bool theta_stop;    /* STOPPED by theta */
    int starts;         /* before the first iteration: how many were compared; 0: none */
    const char *start;  /* the answer came from: a name of CREASE_CP_STARTS, with -clipped where T
                           was, "singular-clipped", "apart" or "given"; NULL without */
    double agreement;   /* least match of starts that ended alike (crease_cp_match); NaN: no two */
    double spread;      /* largest relative difference of their deviations from the best */
    double learned_deviation; /* of the noise, as the best start saw it; 0 without */
    double learned_threshold; /* that alpha and the penalty's parameters follow from */
    double learned_share;     /* of entries beyond three deviations, less that of normal noise */
    long start_passes;   /* steps and first passes of all starts; of tucker and ball: of the fit */
    double fit_seconds;  /* of that fit */
    double fit_residual; /* of it, relative; NaN: there was none */
    const crease_cp_rank_table *ranks; /* that were compared; NULL: none */
    const char *rank_reason;           /* why this rank; "": it was given */
    ptrdiff_t rank_asked;              /* of cp; 0: it was chosen */
    ptrdiff_t terms;                   /* of cp: columns of the factors that are not 0 */
    ptrdiff_t cuts; /* terms or directions that were cut: columns of zeros, or gone */
    const crease_cp_cut *cut;
    const crease_cp_support *support; /* of cp: of each of `terms`, by descending size; NULL: this
                                         method does not judge terms */
    long support_passes;              /* over the tensor, that judging them took */
    unsigned constant_in; /* of cp: `center` that would take the place of the largest term; 0: it is
                             not constant, or nothing else would be left */
    double constant_to;   /* relative distance of that term from what `center` removes */
    crease_space ranks_asked; /* of tucker and ball; order 0: they were chosen */
    crease_space directions;  /* of tucker and ball: columns of the factors that are not 0 */
    ptrdiff_t observed;       /* entries; this and the rest are known once the run has ended */
    double least;             /* |T - lowrank| of an outlier; INFINITY: there is none */
    double rms;               /* root mean square of the noise where the sparse part is 0; NaN */
    ptrdiff_t clear;          /* outliers with |T - lowrank| > CREASE_CLEAR times `deviation` */
    double clear_share;       /* of the observed entries that these are; NaN: deviation is */
    ptrdiff_t largest;        /* the outlier with the largest |T - lowrank|, counted from 0 in the
                                 order of the entries; -1: there is none */
    double largest_rest;      /* T - lowrank there; NaN */
    double explained;         /* 1 - sum noise^2/sum T^2 where the sparse part is 0; NaN: T is */
    bool listed;              /* of cp: less than one entry in four was observed, and passes are
                                 over these alone */
    const char *noise_reason; /* why noise has levels, or none; "": that was given */
    int noise_in;             /* the mode in which noise differs most; -1: it is not known */
    double noise_ratio;       /* there, of a high level to a low one (the 90th and the 10th percent)
                                 beyond what estimating them explains; NaN: it is not known */
    double gap;               /* of pcp: (F - a proved lower bound of the minimum)/F, F = |L|_* +
                                 alpha |T - L|_1; NaN: not known */
} crease_rpca_facts;

/* An outlier is clear beyond so many deviations of the noise: none of a million entries of normal
 * noise is. */
#define CREASE_CLEAR 5

/* The counts of the answer once the run has ended. */
CREASE_API const crease_rpca_facts *crease_rpca_about(crease_rpca *r);

/* A part of the answer as left x right, both from the first call: rows first .. first+count-1 go
 * to out, read from the slabs they are in; nan where a slab of a source cannot be had. Where T was
 * observed lowrank + sparse + noise = T to rounding; elsewhere noise is 0, and so are T and B. z
 * and b are the model's own Z and B (pcp: L and 0). */
typedef enum {
    CREASE_RPCA_LOWRANK,
    CREASE_RPCA_SPARSE,
    CREASE_RPCA_Z,
    CREASE_RPCA_B,
    CREASE_RPCA_DATA, /* T */
    CREASE_RPCA_SEEN, /* W */
    CREASE_RPCA_NOISE /* T - lowrank - sparse */
} crease_rpca_part;
CREASE_API void crease_rpca_rows(const crease_rpca *r, ptrdiff_t *left, ptrdiff_t *right);
CREASE_API void crease_rpca_read(const crease_rpca *r, crease_rpca_part part, ptrdiff_t first,
                                 ptrdiff_t count, double *out);

/* The problem that tucker, ball and pcp are: blocks X1 .. Xd, C, E, Z, B; X, Y, E, B, Z; or L, S;
 * and the point found. NULL of cp and, where the method is auto in practical mode, of tucker, whose
 * claims are below; of tucker blocks X1 .. Xd and C are there in any case. Valid as long as the
 * handle. */
CREASE_API const crease_problem *crease_rpca_problem(const crease_rpca *r);
CREASE_API const double *crease_rpca_block(const crease_rpca *r, int i);
CREASE_API const double *crease_rpca_multiplier(const crease_rpca *r);

/* Processes that check a claim together: all make the same call, each reads its own rows, and rank
 * 0 has the verdict, with the same bits for any number of them; on the others it is UNFINISHED. */
typedef struct {
    int rank, size;
    void *self;
    void (*tell)(void *self, void *bytes, ptrdiff_t n);    /* from rank 0 to all */
    void (*add)(void *self, int64_t *v, ptrdiff_t n);      /* sums, at rank 0 */
    bool (*agree)(void *self, bool well, crease_error *e); /* is all well on every rank? The reason
                                                              of one goes to rank 0 */
} crease_checkers;

/* A claim about cp, to be checked without any code of the solvers. With M = [[X_1..X_d]],
 * s = W o (T - E - M) and c = alpha_N/(1 + alpha_N) an answer has Z = M + c s, B = s/(1 + alpha_N)
 * where T was observed, and Lambda = 2 alpha_N W o B = 2 c s. */
typedef struct {
    crease_space shape;
    ptrdiff_t rank;
    crease_reg penalty; /* of the catalogue: by entries, without weights */
    double alpha, alpha_noise, ridge;
    bool nonneg;
    const double *const *factor;
    ptrdiff_t left, right; /* how the tensors are read: left rows of right entries, left over the
                              first modes */
    bool (*read)(void *user, crease_rpca_part part, ptrdiff_t row, double *out);
    void *user;
    int threads;                 /* 0: all there are; the answer is the same for any number */
    crease_watch *watch;         /* NULL: none */
    const crease_checkers *with; /* NULL: this process alone */
} crease_cp_claim;

/* Judges X_n, E, Z, B and Lambda = 2 alpha_N W o B by the definitions, a few rows at a time, in
 * double and, where the bounds of its rounding leave the verdict open, once more in long double:
 * the rows are read in order, and then again from the first; over several processes those of each
 * from its own first one on. The blocks are X_1..X_d, E, Z, B. B is
 * read where T was observed, elsewhere it is -Z - E. False with a sentence when memory or reading
 * fails. Free with crease_verification_free. */
CREASE_API bool crease_cp_verify(const crease_cp_claim *c, double eps, bool relative,
                                 crease_verification *out, crease_error *e);

/* The same of a Tucker model, M = C x_1 X_1 ... x_d X_d, X_n of I_n x ranks_n: the rows are over
 * all modes but the last, and rank, ridge and nonneg are not read. The blocks are X_1..X_d, C, E,
 * Z, B.
 */
CREASE_API bool crease_tucker_verify(const crease_cp_claim *c, const crease_space *ranks,
                                     const double *core, double eps, bool relative,
                                     crease_verification *out, crease_error *e);

/* The entries that were observed, each once, in any order: entry k has these indices, T and E.
 * Where nothing was observed E = 0 and Z = -B = M. */
typedef struct {
    ptrdiff_t count;
    void (*entry)(void *user, ptrdiff_t k, ptrdiff_t *index, double *t, double *e);
    void *user;
} crease_cp_entries;

/* Judges cp from the observed entries alone, in O(count rank) and with memory for the factors: Z, B
 * and Lambda are those that follow from T, E and M. left, right and read of the claim are not
 * looked at. */
CREASE_API bool crease_cp_verify_entries(const crease_cp_claim *c, const crease_cp_entries *list,
                                         double eps, bool relative, crease_verification *out,
                                         crease_error *e);

#ifdef __cplusplus
}
#endif

#endif
