/* SPDX-License-Identifier: MIT
 * start.h: what the room's root shares for starts and ranks: the tensor as a robust start sees it,
 * least squares over one factor at a time, the family of starts, the pilot
 *
 *   V_j = M_j + clip(T_j - M_j, -limit, limit) where T was observed, M_j where it was not,
 *   M = 0 or a model [[X]]; of a view of the residual V - M instead */
#ifndef CRS_RPCA_START_H
#define CRS_RPCA_START_H

#include <stdatomic.h>
#include <stdint.h>

#include <crease/rpca_tools.h>
#include <crease/smooth.h>

#include "rpca/envelope/envelope.h"
#include "rpca/rpca.h"

/* T at an even sample of its observed entries; which they are follows from the shape and the mask.
 */
typedef struct {
    ptrdiff_t count;
    ptrdiff_t *at;
    double *t;
} crs_cp_sample;

typedef struct {
    crease_space shape;
    crs_source *source;          /* T, finite where it was observed; NULL: 0 (for medians) */
    const crs_cp_sample *sample; /* of that; NULL: it is read for each median */
    double limit;                /* INFINITY: no clipping */
    const crs_kruskal *model;    /* M; NULL: 0 */
    bool residual;               /* V - M */
    bool checked;                /* known to be finite */
    int threads;                 /* 0: one */
    long *readings;      /* grows by 1 with every reading of the tensor; NULL: not counted */
    crease_watch *watch; /* NULL: none */
} crs_cp_view;

static inline void crs_view_count(const crs_cp_view *v)
{
    if (v->readings) ++*v->readings;
}

/* Are entries missing? */
static inline bool crs_view_partial(const crs_cp_view *v)
{
    return v->source->facts.known ? v->source->facts.missing > 0 : v->source->seen != NULL;
}

/* Numbers with a mask of doubles (0: not observed; NULL: all were) as a source: missing ones that
 * are not finite are 0 in a copy. To be closed in any case. */
typedef struct {
    crs_memory data;
    double *tensor; /* NULL: no copy */
    unsigned char *mask;
} crs_observed;
bool crs_observe(const crease_space *shape, const double *tensor, const double *mask,
                 crs_observed *o, crease_error *e);
static inline void crs_observed_close(crs_observed *o)
{
    crs_free(o->tensor);
    crs_free(o->mask);
}

/* A slab is looked at in panels of some rows of the mode that slabs cut: panel k with its values,
 * those of the slab or made in work, which has crs_view_scratch() doubles. */
crs_partition crs_view_panels(const crs_cp_view *v, const crease_space *slab);
ptrdiff_t crs_view_scratch(const crs_cp_view *v);
crs_slab crs_view_panel(const crs_cp_view *v, const crs_slab *s, const crs_partition *panels,
                        ptrdiff_t k, double *work);

/* The sample of a view's source; to be closed in any case. */
bool crs_cp_sample_open(crs_cp_sample *s, const crs_cp_view *v, crease_error *e);
void crs_cp_sample_close(crs_cp_sample *s);

/* T - M at the sample, to be freed; NULL with the reason. */
double *crs_view_residuals(const crs_cp_view *v, ptrdiff_t *used, crease_error *e);

/* A median of |T - M| over the observed entries; of an even sample of them when there are many. */
bool crs_view_median(const crs_cp_view *v, double *median, crease_error *e);

/* The median of T - M, and the median distance from it, likewise. */
bool crs_view_middle(const crs_cp_view *v, double *median, double *around, crease_error *e);

/* Refuses a tensor with an observed entry that is not finite. */
bool crs_view_check(const crs_cp_view *v, crease_error *e);

/* What one reading sums up, w[n] (I_n x columns[n]) of every mode n with columns:
 *   of a mode that slabs do not cut V_(n) V_(n)' Q, or V_(n) V_(n)' itself where q[n] is NULL;
 *   of one that they cut V_(n) M_n, M_n the Khatri-Rao product of the other factors of `with`.
 * Where a mode leads, V x_lead Q' stands for V in those of the others that slabs do not cut.
 * squares, unless NULL: |V|^2. With the watch over they are not complete. */
typedef struct {
    int lead; /* 0: none; has a q */
    ptrdiff_t columns[CREASE_MAX_ORDER];
    const double *q[CREASE_MAX_ORDER];
    crs_kruskal with;
} crs_cp_measure;
bool crs_view_measure(const crs_cp_view *v, const crs_cp_measure *m, double *const *w,
                      double *squares, crease_error *e);

/* out = V x_n A_n', A_n (I_n x to), over all modes that have a matrix; all but the first have. */
bool crs_view_project(const crs_cp_view *v, const crs_mode_map *a, double *out, crease_error *e);

/* T - [[u]] as a source, 0 where T was not observed: made when a slab is taken, for as many slabs
 * at a time as there are threads; one stays until its place is needed for another. */
typedef struct {
    atomic_flag taken;
    crs_slab of;    /* T, while it is taken */
    ptrdiff_t slab; /* whose values are there; -1: none */
    double *values; /* and room to make them */
} crs_less_place;

typedef struct {
    crs_source source;
    crs_source *data; /* T */
    crs_kruskal u;
    int places;
    crs_less_place *place;
} crs_less;
bool crs_less_open(crs_less *r, crs_source *data, int threads, const crs_kruskal *u,
                   crease_error *e);
void crs_less_close(crs_source *source);

typedef struct {
    crease_space shape;              /* of the core: p_n <= min(I_n, rank) */
    double *values;                  /* the core */
    double *basis[CREASE_MAX_ORDER]; /* U_n: I_n x p_n, orthonormal columns */
    ptrdiff_t rank;                  /* the rank asked for, or less where the spectra end */
    crease_watch *watch;             /* of the view */
} crs_cp_core;

/* A few reads of the tensor; to_cut: the rank falls to where the spectra end. Free in any case. */
bool crs_cp_compress(const crs_cp_view *v, ptrdiff_t rank, bool to_cut, uint64_t seed,
                     crs_cp_core *c, crease_error *e);
static inline void free_core(crs_cp_core *c)
{
    crs_free(c->values);
    for (int n = 0; n < CREASE_MAX_ORDER; n++) crs_free(c->basis[n]);
    *c = (crs_cp_core){ .values = NULL };
}

/* w (I_n x columns) grows by V_(n) V_(n)' Q of a tensor, Q (I_n x columns); q NULL: by V_(n) V_(n)'
 * itself, columns = I_n. product: room for V x_n Q'. */
typedef struct {
    int n;
    ptrdiff_t columns;
    const double *q;
    double *w, *product;
} crs_cp_square;
static inline void add_square(const crs_cp_square *a, const crease_space *s, const double *values)
{
    const crs_mode_map map = { a->q, a->columns, true };
    if (a->q) crs_ttm(s, a->n, map, 1, values, 0, a->product);
    crs_unfolding_product(s, a->n, a->columns, 1, values, a->q ? a->product : values, a->w);
}

/* The norm of a column of a factor of `rank` columns */
static inline double column_norm(ptrdiff_t rows, ptrdiff_t rank, const double *x)
{
    double sum = 0;
    for (ptrdiff_t i = 0; i < rows; i++) sum += square(x[i * rank]);
    return sqrt(sum);
}

/* Sweeps of alternating least squares on the observed entries, the columns balanced at the end:
 * missing ones are 0 in the first sweep, when the factors have no size yet, and then filled in by
 * the low-rank part before every other (expectation-maximization). */
bool crs_cp_least_squares(crease_cp_rpca *m, int sweeps, crease_error *e);

typedef struct {
    ptrdiff_t rank;    /* terms that are not 0: the rank asked for, or where the spectra end */
    bool diagonalized; /* by eigenvectors; otherwise by singular vectors and least squares */
    double residual;   /* |core - [[F]]|/|core| of the compressed tensor */
} crs_cp_start_facts;

/* A rank to be cut falls to where the spectra of the modes end: at the first gap above 4 with no
 * more than a hundredth of the squares beyond it. */
typedef struct {
    ptrdiff_t rank;
    bool cut;
    uint64_t seed;
    double clip;
    int rounds;
    bool without_pencils; /* singular vectors and least squares, whatever the lengths */
} crs_cp_gevd_options;

/* factor[n] (I_n x rank) of a model of V; terms beyond facts->rank are 0. Eigenvectors need two
 * modes no shorter than the rank and an order of 3 or more. facts may be NULL. clip and rounds are
 * not read. */
bool crs_cp_gevd(const crs_cp_view *v, const crs_cp_gevd_options *o, double *const *factor,
                 crs_cp_start_facts *facts, crease_error *e);

/* The same from a core of a tensor of that shape. */
bool crs_cp_gevd_core(const crs_cp_core *c, const crease_space *shape, const crs_cp_gevd_options *o,
                      double *const *factor, crs_cp_start_facts *facts, crease_error *e);

/* The same on T clipped at +-clip median|T|, then `rounds` times at M +- clip median|T - M| around
 * the model M so far, while that median falls. clip = 0: no clipping. */
bool crs_cp_gevd_robust(const crs_cp_view *v, const crs_cp_gevd_options *o, double *const *factor,
                        crs_cp_start_facts *facts, crease_error *e);

/* Start q of a family: 0 by eigenvectors of T, 1 of T clipped by clip (0: 2), 2 by singular vectors
 * of clipped T and least squares, from 3 on Gaussian with median|M| = median|T|/2, as is any that
 * the watch ends. */
enum { CRS_CP_RANDOM_START = 3 };
bool crs_cp_start_of(const crs_cp_view *v, const crs_cp_gevd_options *o, int q,
                     double *const *factor, crease_error *e);
/* Of a matrix: one term by medians of the rows and of the columns beside them, the others from what
 * it leaves, clipped. suits: it leaves less than half; otherwise the factors are not made. */
bool crs_cp_median_start(const crs_cp_view *v, const crs_cp_gevd_options *o, double *const *factor,
                         bool *suits, crease_error *e);
/* The q-th start where `first` comes first: the others in their order, or random ones only. */
int crs_cp_start_after(int first, int q);

/* What the data say before the run proper: start, threshold and rank. The envelope's solver is led
 * along its path from one start of the family, and from further ones while the residual still holds
 * a term (crease_cp_structure), or as many as asked, or while c.watch says so. The answer of least
 * deviation is kept. */
typedef struct {
    crs_envelope_solver_settings c;
    crs_source *source;
    const double *const *given; /* a start of the caller's; NULL: of the family */
    const char *given_name;
    int first;                        /* of the family */
    bool named;                       /* the caller chose it */
    double clip;                      /* of the clipped one; 0: the family's own */
    int starts;                       /* 0: one, and up to three more while the fit is bad */
    long passes;                      /* at most, a start */
    long most;                        /* at most, all of them; 0: no limit */
    bool alone;                       /* no second candidate, however bad the first is */
    double *factor[CREASE_MAX_ORDER]; /* I_n x c.rank; out: I_n x rank */
    ptrdiff_t rank;                   /* out */
    crease_cp_cut *cut;               /* out, c.rank - rank of them; NULL, or room for c.rank */
    crease_cp_support *support;       /* out, of each of rank; NULL, or room for c.rank */
    long support_passes;              /* out */
    double value;                     /* out: of the envelope at that penalty */
    double closer;                    /* out: a factor of eps that the smaller terms need; 0: 1 */
    crs_penalty_value penalty;        /* out: the penalty, with the threshold as learned */
    crease_cp_pilot report;           /* out */
} crs_cp_pilot;

bool crs_cp_pilot_run(crs_cp_pilot *p, crease_error *e);
/* Is the watch over, or the limit of all passes reached, with so many that are not counted yet? A
 * run without the limit would go on from here, and is noted so. */
bool crs_cp_pilot_late(const void *pilot, long passes);
void crs_cp_pilot_visit(crs_visitor *v, void *pilot); /* what is out */

/* dominant.c: where one term dwarfs the others of the answer at hand, or is a constant far from 0,
 * a second answer from the data without it; the better of the two stays. better, in: the answer at
 * hand is bad; out: the second is better. */
bool crs_cp_dominant(crs_cp_pilot *p, const crs_cp_view *v, bool *better, crease_error *e);

/* given, first and what goes with them, from the settings; `model` holds the factors until it is
 * freed, also after a failure. */
bool crs_cp_named_start(crease_cp_fit *f, crs_cp_pilot *p, crease_cp_rpca **model, crease_error *e);
double crs_cp_named_start_bytes(const crease_cp_fit_settings *s, bool missing);

/* support.c: judges the terms of the pilot's answer and cuts those that the noise explains. What
 * takes no reading is tried first; refits at most double the passes. */
bool crs_cp_support(crs_cp_pilot *p, crease_error *e);

#endif
