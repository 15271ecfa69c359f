/* SPDX-License-Identifier: MIT
 * rpca.h: robust PCA for the rooms beside it and below: the CP model, an answer from its factors
 * and the residuals there, starts, terms
 *
 * With M = [[X]], s = W o (T - E - M), c = alpha_N/(1 + alpha_N): Z = M + c s, Lambda = 2 c s. */
#ifndef CRS_RPCA_ROOM_H
#define CRS_RPCA_ROOM_H

#include <crease/rpca_tools.h>

#include "core/core.h"
#include "core/streams.h"
#include "reg/reg.h"
#include "slab/slab.h"
#include "tensor/tensor.h"

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
    crease_watch *watch; /* of the start; NULL: none. Over: the start makes do with what it has */
} crease_cp_rpca_settings;

/* alpha as above, alpha_N = 1, the 1-norm, the start auto, 20 sweeps where it is als, Z^0 = T. */
crease_cp_rpca_settings crease_cp_rpca_default(const crease_space *shape, ptrdiff_t rank);

typedef struct crease_cp_rpca crease_cp_rpca;

/* The problem with its own copy of the tensor, and a start point. NULL with a sentence on failure;
 * an entry that is not finite is named by its index, counted from 1. */
crease_cp_rpca *crease_cp_rpca_new(const crease_cp_rpca_settings *s, const double *tensor,
                                   crease_error *e);
void crease_cp_rpca_free(crease_cp_rpca *m);

/* Valid as long as the model. With d the order: blocks 0..d-1 are X_n, d is E, d+1 is Z, d+2 is B.
 */
const crease_problem *crease_cp_rpca_problem(const crease_cp_rpca *m);

/* The settings with every default filled in, and how many entries were not observed. */
crease_cp_rpca_settings crease_cp_rpca_used(const crease_cp_rpca *m);
ptrdiff_t crease_cp_rpca_missing(const crease_cp_rpca *m);

/* Doubles that building takes, for forecasts; -1: more than can be counted. */
ptrdiff_t crease_cp_rpca_size(const crease_cp_rpca_settings *s);

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
    bool single;  /* tensors of the iteration in single precision */
    bool prune;   /* terms that were cut leave the factors; otherwise they stay as zeros */
} crease_cp_fit_settings;

/* The model's defaults; eps is relative. Paper mode is the recipe of section 5 of Jiang, Lin, Ma,
 * Zhang 2019 unless beta, h, theta or the iteration limit say otherwise. */
crease_cp_fit_settings crease_cp_fit_default(const crease_space *shape, ptrdiff_t rank);

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
                          where T was, "singular-clipped", "apart" or "given" */
} crease_cp_pilot;

/* Does the run learn a threshold, so that the penalty's parameters are in its unit? */
bool crs_cp_fit_learns(const crease_cp_fit_settings *s);

/* Bytes the run will take at its peak, the tensor's own included; INFINITY: more than can be
 * counted. `missing`: will there be entries that are not observed? `dense`: will E have nonzeros
 * in more than one entry of a hundred, at any time? */
double crease_cp_fit_bytes(const crease_cp_fit_settings *s, bool missing, bool dense);

/* Borrows the tensor, which must outlive the fit and in which missing entries become 0. NULL with
 * a sentence on failure. */
crease_cp_fit *crease_cp_fit_new(const crease_cp_fit_settings *s, double *tensor, crease_error *e);
/* The same of any source, which must outlive the fit: its entries bring their mask, and settings
 * that need the tensor in one piece are refused where it is not. */
crease_cp_fit *crs_cp_fit_new_on(const crease_cp_fit_settings *s, crs_source *t, crease_error *e);
void crease_cp_fit_free(crease_cp_fit *f);

/* As of a solver (solver.h). The stop may be asked for from a signal handler. */
void crease_cp_fit_callback(crease_cp_fit *f, crease_callback *call, void *user);
void crease_cp_fit_stop(crease_cp_fit *f);

/* One iteration, and iterations until the certificate or a limit says stop. */
crease_outcome crease_cp_fit_step(crease_cp_fit *f);
crease_outcome crease_cp_fit_run(crease_cp_fit *f);

/* What was found: the iterate with the best certificate where E follows from the factors (a convex
 * penalty, or one whose weak convexity is below 2c) and the mode is not paper's, otherwise the
 * last one. The terms are sorted, and their columns have the same norm in every mode. */
const double *crease_cp_fit_factor(const crease_cp_fit *f, int n);
const crease_certificate *crease_cp_fit_certificate(const crease_cp_fit *f);
crease_report crease_cp_fit_report(const crease_cp_fit *f);
crease_progress crease_cp_fit_progress(const crease_cp_fit *f);
const crease_analysis *crease_cp_fit_analysis(const crease_cp_fit *f);
crease_cp_fit_settings crease_cp_fit_used(const crease_cp_fit *f);
const char *crease_cp_fit_engine(const crease_cp_fit *f); /* "envelope", ... */
ptrdiff_t crease_cp_fit_missing(const crease_cp_fit *f);
crease_cp_pilot crease_cp_fit_pilot(const crease_cp_fit *f);
/* How many terms the rank that was asked for has lost, and why. */
ptrdiff_t crease_cp_fit_cuts(const crease_cp_fit *f, const crease_cp_cut **cut);
/* How often the tensor was read from end to end: the check of the data, starts, tests, steps and
 * certificates; an iteration of another engine counts as one, and so does a test of extrapolated
 * factors. */
long crease_cp_fit_readings(const crease_cp_fit *f);
bool crease_cp_fit_theta_stop(const crease_cp_fit *f); /* STOPPED by theta */

/* Parts of the answer, as crease_rpca_rows and crease_rpca_read say. */
void crease_cp_fit_rows(const crease_cp_fit *f, ptrdiff_t *left, ptrdiff_t *right);
void crease_cp_fit_read(const crease_cp_fit *f, crease_rpca_part part, ptrdiff_t first,
                        ptrdiff_t count, double *out);

enum { CRS_CP_BLOCKS = CREASE_MAX_ORDER + 3 };

struct crease_cp_rpca {
    crease_cp_rpca_settings s;
    ptrdiff_t missing;
    crease_problem problem;
    crease_space space[CRS_CP_BLOCKS];
    crease_block block[CRS_CP_BLOCKS];
    char name[CREASE_MAX_ORDER][16];
    crease_reg penalty; /* R, with its groups */
    crease_groups groups;
    ptrdiff_t *group_start, *group_index;

    int factor[CREASE_MAX_ORDER]; /* block numbers */
    crease_cp_data cp;
    crease_distance_data noise; /* alpha_N |B|^2 */
    crease_predictor weighed;   /* alpha_N |W o B|^2, or |W o (Z + E - T)|^2 */
    crease_map weighed_map[2];
    int weighed_block[2];
    crease_smooth term[2];
    crease_smooth_list sum;

    double *tensor;               /* T, 0 where it is missing */
    double *root;                 /* sqrt(2 alpha_N) W; NULL: W = 1, or it is in seen */
    const unsigned char *seen;    /* W of a model that is made for its start alone, borrowed */
    double *scaled;               /* sqrt(2 alpha_N) W o T of the unconstrained form */
    double *start[CRS_CP_BLOCKS]; /* NULL: zero */
};

static inline bool crs_cp_partial(const crease_cp_rpca *m) { return m->root || m->seen; }
static inline bool crs_cp_observed(const crease_cp_rpca *m, ptrdiff_t j)
{
    return m->seen ? m->seen[j] : !m->root || m->root[j] > 0;
}

/* crease_rpca_new of cp by the envelope on any source, which must outlive the handle. Whatever
 * needs the tensor in one piece is refused by name where the source is not in memory. */
crease_rpca *crs_rpca_new_on(const crease_rpca_settings *s, const crease_options *o, crs_source *t,
                             crease_error *e);

/* Of a Tucker model: is the fit the run, without a problem in blocks? What its steps do not read,
 * and tensors whose slabs cut rows of the last mode, need one. */
bool crs_rpca_fit_runs(const crease_rpca_settings *s, const crease_options *o);

/* Bytes that it takes beside the slabs; of tucker about, where ranks are to be chosen. */
double crs_rpca_bytes_beside(const crease_rpca_settings *s, const crease_options *o);
/* And all that a run by observed entries alone takes. */
double crs_rpca_bytes_listed(const crease_rpca_settings *s, const crs_coordinates *t);

/* The solver of a handle's problem; NULL of cp, and of a source. */
crease_solver *crs_rpca_solver(const crease_rpca *r);

/* Every setting in its range, the penalty on its space; the 1-norm and its weight where none were
 * given. */
bool crs_cp_settings_check(const crease_cp_rpca_settings *s, crease_error *e);
void crs_cp_fill_defaults(crease_cp_rpca_settings *s);

/* Every entry that is observed is finite, the mask 0 or 1; how many are missing. */
bool crs_cp_check_data(const crease_cp_rpca_settings *s, const double *tensor, ptrdiff_t *missing,
                       crease_error *e);
/* The same of a source whose facts are known. */
bool crs_cp_check_facts(const crs_source *t, crease_error *e);
void crs_cp_place(const crease_space *s, ptrdiff_t j, char *out,
                  size_t size); /* "entry 7 (at 1,2,3)", counted from 1 */
bool crs_cp_seen(const crease_cp_rpca_settings *s, const double *tensor, ptrdiff_t j);

/* The first iterate of a model: X_n^0, then Z^0 and B^0. Only the factors of a tensor of zeros are
 * left NULL. */
bool crs_cp_take_start(crease_cp_rpca *m, crease_error *e);

/* A model problem with the data and the mask of a fit, for its start; NULL: memory. */
crease_cp_rpca *crs_cp_fit_model(const crease_cp_fit *f, crease_error *e);
void crs_cp_fit_model_free(crease_cp_rpca *model);

/* sigma^(2(d-1)/d), sigma the root mean square of the observed entries; 1 without any */
double crs_cp_gram_size(const crease_cp_fit *f);

/* The fastest instruction set that kernels are compiled for and this processor has: 0, 1, ..,
 * slower ones after it, which it has too. A vector's width decides how sums are rounded. */
int crs_instructions(void);

/* The factors of a tensor of zeros are zero. */
bool crs_cp_fit_start_factors(crease_cp_fit *f, crease_cp_rpca *model, crease_error *e);

/* Factors, Z and B into the fused iteration. */
struct crs_cp_fused;
bool crs_cp_fit_start(crease_cp_fit *f, crease_cp_rpca *model, struct crs_cp_fused *s,
                      crease_error *e);

/* l1's threshold for a share of outliers, in deviations of the noise. */
double crs_cp_threshold(double share, double most);

/* Rows first .. first+count-1 of E as left x right. */
typedef void crs_cp_sparse(const void *self, ptrdiff_t first, ptrdiff_t count, double *out);

typedef struct {
    crs_kruskal k;
    crs_slabs grid;
    crs_source *source;
    const double *t;        /* of the rows at hand: a slab, or the whole tensor */
    const unsigned char *w; /* NULL: all observed */
    crs_penalty_value rho;  /* alpha rho of a penalty by entries */
    double dead, steep;     /* of it: the largest |T - M| where E = 0, and alpha rho'(0+) */
    crease_reg whole;       /* of any other penalty: alpha R; ops NULL: by entries */
    crs_cp_sparse *sparse;  /* NULL: E = prox_{rho/(2c)}(T - M) where observed, else 0 */
    const void *self;
    double alpha_noise, nu;
    bool nonneg;
    bool own_rows; /* slabs have whole rows of a long first mode, which only they add up over */
} crs_cp_point;

static inline double noise_share(const crs_cp_point *p) /* c */
{
    return crs_noise_share(p->alpha_noise);
}

/* Memory of the computations below: counted with memory NULL, then given; returns how many doubles
 * it takes. */
typedef struct {
    int threads;
    ptrdiff_t bands, panels, worker;  /* worker: doubles a worker has */
    double *columns;                  /* right x rank: Khatri-Rao rows */
    double *rows, *sums, *collected;  /* left x rank; bands x ...; bands x right x rank */
    double *small;                    /* of one factor */
    double *listed[CREASE_MAX_ORDER]; /* S_(n) M_n of observed entries that are all there is */
    double *workers;
    double *e, *lambda, *reg; /* of a penalty that is not by entries */
    double alone; /* the size of alpha R(T), for the alpha R that is next; NaN: unknown */
    crs_penalty_value alone_of;
    crs_look look;  /* of a tensor of several slabs */
    crs_look sizes; /* alpha R(T) of a penalty by entries */
} crs_cp_room;

/* The tensor as rows of which none is in two slabs, a few at a time. */
crs_slabs crs_cp_rows(const crease_space *shape, ptrdiff_t rank);
/* The same point as seen in a slab. */
crs_cp_point crs_cp_point_in(const crs_cp_point *p, const crs_slab *slab);

ptrdiff_t crs_cp_room_carve(const crs_cp_point *p, int threads, double *memory, crs_cp_room *w);

/* What looks at slabs need beside it. */
bool crs_cp_room_open(const crs_cp_point *p, int threads, crs_cp_room *w, crease_error *e);
void crs_cp_room_close(crs_cp_room *w);

/* The Khatri-Rao rows, whenever the factors have changed. */
void crs_cp_columns(const crs_cp_point *p, crs_cp_room *w);

/* M and E of a few rows (at most grid.rows) of the slab at hand; kr has grid.rows x rank doubles.
 */
void crs_cp_panel(const crs_cp_point *p, const crs_cp_room *w, ptrdiff_t first, ptrdiff_t count,
                  double *kr, double *m, double *e);

/* s of an entry */
static inline double rest_at(const crs_cp_point *p, ptrdiff_t j, double m, double e)
{
    return p->w && !p->w[j] ? 0 : p->t[j] - m - e;
}

/* What residuals are relative to. */
typedef struct {
    double whole; /* D of certificate.h; 0: none */
    double data;  /* |T| */
    double pull;  /* of the reference's multipliers */
} crs_cp_scales;

/* A condition with terms of this size, which at the reference are `own`, in an x of norm `x`. */
crease_residual crs_cp_residual(double residual, double terms, const crs_cp_scales *s, double own,
                                double x);

/* Blocks in place of X_1..X_d: of a model whose M is X_1 X_2' of the point's matrix. */
typedef struct {
    int count;
    void (*find)(void *self, const crs_cp_point *p, const crs_cp_room *w, const crs_cp_scales *s,
                 crease_residual *block);
    void *self;
} crs_cp_blocks;

/* Blocks X_1..X_d, or `by` (NULL: none), E, Z, B and the constraint, in the scales of
 * certificate.h; c->block has places for all. Results do not depend on the number of threads. */
bool crs_cp_certify(const crs_cp_point *p, crs_cp_room *w, const crs_cp_blocks *by,
                    crease_certificate *c, crease_error *e);
/* Of `find`: S_(n) M_n. */
void crs_cp_product(const crs_cp_point *p, const crs_cp_room *w, int n, double *out);

void crs_visit_point(crs_visitor *v, void *self);

/* The parts of an answer slab by slab (parts.c): what makes them, on any rank. */
typedef struct {
    crs_cp_point point;
    int power; /* 2^power times the point's are the user's */
} crs_parts;
/* False: they do not follow slab by slab. They do of cp with a penalty by entries whose E follows
 * from the factors, with several slabs and without a centre. */
bool crs_parts_of(const crease_rpca *r, crs_parts *p);
void crs_visit_parts(crs_visitor *v, crs_parts *p);
/* Are the observed entries all there is? Then the entries of the sparse part that are not 0, as
 * (place, value), by their places; crease_rpca_about has their number. */
bool crs_parts_listed(const crease_rpca *r, crs_parts *p);
void crs_parts_pairs(const crs_parts *p, double *pair);
/* Outliers of every slab, once crease_rpca_about was asked; NULL: not counted by slabs. */
const int64_t *crs_parts_outliers(const crease_rpca *r);

/* A few entries of one slab: lowrank + sparse + noise = data where they were observed (seen NULL:
 * everywhere), Z = lowrank + share noise. */
typedef struct {
    ptrdiff_t first, count; /* in the tensor */
    const double *lowrank, *sparse, *noise, *data;
    const unsigned char *seen;
    double share;
} crs_panel;

/* What is done with panels: see, on any thread, for several at a time, whose places are counted
 * from 0; then take, one after the other in their order. Either may be NULL. */
typedef struct {
    bool (*see)(void *self, const crs_panel *p, int place, crease_error *e);
    bool (*take)(void *self, const crs_panel *p, int place, crease_error *e);
    void *self;
} crs_parts_use;

/* Memory for `workers` that have a slab each and use `threads` for it. */
typedef struct crs_parts_room crs_parts_room;
crs_parts_room *crs_parts_open(const crs_parts *p, const crs_partition *cut, int workers,
                               int threads, crease_error *e);
int crs_parts_batch(const crs_parts_room *r);      /* places of a worker */
ptrdiff_t crs_parts_most(const crs_parts_room *r); /* entries of a panel */
bool crs_parts_each(const crs_parts *p, crs_parts_room *r, const crs_slab *slab, int worker,
                    const crs_parts_use *use, crease_error *e);
void crs_parts_close(crs_parts_room *r);

/* The slab whose rows were read last, and what went wrong: of the run, or of reading. */
typedef struct {
    crs_slab slab;
    bool taken;
    crease_error failure; /* CREASE_OK: none */
} crs_cp_held;

/* Parts of the answer of a point, as crease_rpca_rows and crease_rpca_read say (read.c). */
typedef struct {
    const crs_cp_point *point;
    const crs_cp_room *room;
    crs_cp_held *held;
} crs_cp_answer;
void crs_cp_answer_read(const crs_cp_answer *a, crease_rpca_part part, ptrdiff_t first,
                        ptrdiff_t count, double *out);
void crs_cp_release(crs_source *s, crs_cp_held *held); /* before looks, and in the end */

/* Jobs that other ranks know, too: of this file's certificate and parts, of units, of the
 * envelope's evaluation, of views (start.h). */
extern const crs_job crs_alone_job, crs_certify_job, crs_facts_job, crs_extent_job, crs_pass_job,
    crs_measure_job, crs_project_job, crs_span_job, crs_rows_job, crs_rows_read_job;
#define CRS_RPCA_JOBS                                                                              \
    &crs_survey_job, &crs_entries_job, &crs_fetch_job, &crs_extent_job, &crs_pass_job,             \
        &crs_alone_job, &crs_certify_job, &crs_facts_job, &crs_measure_job, &crs_project_job,      \
        &crs_span_job, &crs_rows_job, &crs_rows_read_job

/* Those scales for fits that end by them: of a block with |x_i| = x and terms of this size, where
 * the objective is `whole` (0: not known); and the least objective of T alone in Z, E or B. */
double crs_cp_scale(double terms, double whole, double x);
bool crs_cp_objective(crs_source *T, const crs_penalty_value *rho, double alpha_noise, int threads,
                      double *least, crease_error *e);

/* crease_cp_components with room for `rank` numbers in left. */
void crs_cp_components(const crease_space *shape, ptrdiff_t rank, const double *const *factor,
                       double *const *unit, double *weight, double *left);

typedef struct {
    ptrdiff_t rank;
    const double *factor[CREASE_MAX_ORDER]; /* of a truth: NULL where it is not known */
} crs_cp_terms;

/* out[k][n] = |cos| of term k of the truth and its partner, in mode n; NaN where the truth is not
 * known, or a number is not finite. out is truth->rank x order. */
bool crs_cp_cosines(const crease_space *s, const crs_cp_terms *x, const crs_cp_terms *truth,
                    double *out, crease_error *e);

/* Where descending squared singular values first fall by more than 16, or most. */
ptrdiff_t crs_spectral_gap(ptrdiff_t n, const double *squares);

ptrdiff_t crs_rank_highest(const crease_space *shape); /* of a search */

/* crease_cp_rank_sweep of any source: by a part of at most o->most entries, 0: 2^20 */
crease_cp_rank_table *crs_rank_sweep_on(crs_source *t, const crease_cp_rank_options *o,
                                        crease_error *e);

/* An instance with every part 0; its sparse part; then, its factors drawn as well, the others. */
crease_cp_instance *crs_cp_instance_new(const crease_cp_recipe *r, crease_error *e);
bool crs_cp_instance_outliers(crease_cp_instance *c, crease_error *e);
bool crs_cp_instance_add(crease_cp_instance *c, crease_error *e);

/* The factors of crease_cp_generate alone, for an instance that does not fit into memory; and its
 * parts a few entries at a time, from the first to the last. The tensor is the sum of the others.
 * With the recipe's watch over they are 0. */
crease_cp_instance *crs_cp_instance_bare(const crease_cp_recipe *r, crease_error *e);
typedef struct {
    const crease_cp_instance *c;
    bool lowrank, sparse, noise; /* what is added up */
    ptrdiff_t next, taken;       /* the entry to come, and outliers before it; 0 at first */
} crs_cp_drawing;
void crs_cp_draw(crs_cp_drawing *p, ptrdiff_t count, double *out);
/* The entry to come, at or after the one there was: what lies between is looked at for outliers. */
void crs_cp_draw_from(crs_cp_drawing *p, ptrdiff_t entry);

/* What moves in front of a background (foreground.c). noise: s_i of the residuals of one pixel, NaN
 * where none was observed; work has a number for each frame. bounds: the s_i of all pixels become
 * beyond max(s_i, s, least), and s is returned; work has a number for each pixel. clean: one frame
 * of a mask (rows x columns x frames) by the majority of an odd square around each pixel; sum has
 * (rows + 1)(columns + 1) numbers. */
double crs_pixel_noise(ptrdiff_t frames, const double *rest, double *work);
double crs_pixel_bounds(ptrdiff_t pixels, double beyond, double least, double *noise, double *work);
void crs_mask_clean(const crease_space *shape, ptrdiff_t frame, ptrdiff_t side, unsigned char *mask,
                    int *sum);

/* New slices seen through fitted factors, some at a time (apply.c). */
typedef struct crs_slices crs_slices;
/* Settings whose mask is not read: nan is no observation. The extent is that of all data, `value`
 * its entry at extent->at; entries that are not finite were refused. NULL with a sentence. */
crs_slices *crs_slices_open(const crease_cp_apply_settings *s, const crs_extent *data, double value,
                            crease_error *e);
/* Slices from `first` on: `count` of them lie in `tensor` as all lie in the data, and so do the
 * arrays of `out`, which has neither scores nor NULL. What is known of a slice is not fitted again.
 */
void crs_slices_run(crs_slices *b, ptrdiff_t first, ptrdiff_t count, const double *tensor,
                    const crease_cp_apply_result *out);
/* What is known of slice i as so many whole numbers, all 0 where it was not fitted yet, and back:
 * for another process. */
ptrdiff_t crs_slices_words(const crs_slices *b);
void crs_slices_tell(const crs_slices *b, ptrdiff_t i, int64_t *word);
void crs_slices_hear(crs_slices *b, ptrdiff_t i, const int64_t *word);
/* The scores of all, after the last. */
bool crs_slices_scores(crs_slices *b, crease_cp_slice_score *score, crease_error *e);
void crs_slices_close(crs_slices *b);
/* Entries `first`.. of the data, are they finite, or nan where that is no observation? mask: of
 * these entries; NULL: ones */
bool crs_slices_finite(const crease_cp_apply_settings *s, ptrdiff_t first, ptrdiff_t count,
                       const double *tensor, const double *mask, crease_error *e);

#endif
