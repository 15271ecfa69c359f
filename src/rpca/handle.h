/* SPDX-License-Identifier: MIT
 * handle.h: the insides of the handle of robust PCA: rpca.c builds and runs it, units.c lets it
 * work in another unit than the data's, answer.c tells what was found
 *
 * A run in another unit has the data T' = 2^-k T and settings that say the same of T'. With F and
 * X_n the objective and the factors, powers of two in parentheses,
 *     cp      F (2k), X_n (k/d)       tucker  F (2k), X_n (0), core (k)
 *     ball    F (2k), X and Y (k/2)   pcp     F (k), L and S (k)
 * E, Z, B and the right-hand side have the power k, residuals that of F less that of their block.
 */
#ifndef CRS_RPCA_HANDLE_H
#define CRS_RPCA_HANDLE_H

#include "rpca/fit.h"
#include "rpca/pursuit/pursuit.h"
#include "rpca/tucker/tucker.h"

enum { CRS_RPCA_BLOCKS = CREASE_MAX_ORDER + 4 };

typedef struct {
    crs_source scaled;       /* of the run where a source is given: its slabs, scaled */
    crs_source *from;        /* that source; NULL: a tensor was */
    crs_coordinates list;    /* of a source that is a list: with values of its own */
    int data, factor, value; /* powers of the data, the factors and the objective */
    int factors;             /* so many blocks are factors */
    ptrdiff_t size;
    double *tensor;             /* of the run; NULL: it has a copy */
    const double *given, *mask; /* the user's */
    crease_reg penalty;         /* the user's; ops NULL: it is learned */
    double ridge;
    double *start[CREASE_MAX_ORDER];

    /* As last asked for, in the user's unit. */
    double *block[CRS_RPCA_BLOCKS], *multiplier, *row;
    crease_residual residual[CRS_RPCA_BLOCKS];
    crease_certificate certificate;
    crease_cp_cut *cut;

    crease_problem problem; /* the user's */
    crease_block part[CRS_RPCA_BLOCKS];
    crease_set inside[CRS_RPCA_BLOCKS];
    crease_reg sparse;
    double *rhs;
} crs_units;

/* Constants that were removed (center.c): of the modes, and last the one of all; NULL: none. */
typedef struct {
    crease_space shape;
    double *value[CREASE_MAX_ORDER + 1];
    const double *given;         /* T, the user's */
    double *data, *mask, *spare; /* T - c, 0 where W = 0; W or NULL; room while they are found */
    crease_cp_rank_table *ranks; /* that the first fit compared, and why; NULL: none */
    const char *reason;
    bool ready; /* the parts are the user's from now on */
} crs_center;

/* Noise that differs from slice to slice of a mode (levels.c). */
typedef struct {
    crease_space shape;
    int mode;
    double *level;       /* of every index */
    const double *given; /* the data before they were divided */
    double *data;        /* and after */
    double *start[CREASE_MAX_ORDER], *factor[CREASE_MAX_ORDER]; /* of the run; as last asked for */
    bool wanted, unknown; /* are there to be any? the start does not say */
    bool missing;         /* some of the data are nan */
    char reason[240];
} crs_noise_levels;

struct crease_rpca {
    crease_watch watch;     /* in that of the options */
    crease_rpca_settings s; /* everything filled in, the user's once the handle is there */
    crease_options o;
    crease_cp_fit *cp;         /* NULL of the other kinds: */
    crease_tucker_rpca *model; /* the problem and its start */
    crease_solver *solver;
    crs_pursuit *pursuit;   /* whose steps the solver makes; NULL: its own */
    crs_tucker_run *tucker; /* in place of these, where the fit is the run */
    crs_memory whole;       /* its source where the tensor is in memory, and W: NULL: ones */
    unsigned char *seen;
    double *lowrank;          /* of the other kinds */
    crs_units *units;         /* NULL: the data are worked on in their own */
    crs_center *center;       /* NULL: nothing is removed */
    crs_noise_levels *levels; /* NULL: noise is one for all; level NULL: so it was found to be */
    crease_callback *call;
    void *user;
    crease_cp_rank_table *ranks;
    crs_tucker_choice choice; /* of the ranks of the other kinds */
    crease_rpca_facts facts;
    crease_report report;
    crease_progress progress;
    bool counted;     /* the facts are those of the answer */
    int64_t *in_slab; /* outliers of every slab; NULL: not counted by slabs */
};

static inline int crs_block_power(const crs_units *u, int i)
{
    return i < u->factors ? u->factor : u->data;
}

/* Makes r->s and r->units->tensor the run's where the size of the data demands it. learns: the
 * parameters of the penalty are in a unit of their own. False with a sentence when squares of the
 * data are no numbers, or settings forbid another unit, or memory runs out. */
bool crs_rpca_enter(crease_rpca *r, bool learns, const double *tensor, crease_error *e);

/* The same of a source whose facts are known: the run's is then r->units->scaled. */
bool crs_rpca_enter_on(crease_rpca *r, bool learns, crs_source *t, crease_error *e);

/* What was filled in, chosen and learned becomes the user's; and there is room for the answer. */
bool crs_rpca_leave(crease_rpca *r, double *tensor, crease_error *e);
void crs_units_free(crs_units *u);

/* r->center by the settings, which then are about its data; ranks that were open are chosen. */
bool crs_rpca_center(crease_rpca *r, const double *tensor, crease_error *e);
void crs_center_add(const crs_center *c, double sign, ptrdiff_t first, ptrdiff_t count, double *x);
void crs_center_data(const crs_center *c, ptrdiff_t first, ptrdiff_t count, double *out);
void crs_center_free(crs_center *c);

/* What residuals at the start of the run, or at its end, say of levels, in the facts; and in
 * r->levels, unless that is NULL: are they wanted? Then the factors are a start. */
bool crs_levels_judge(crease_rpca *r, bool ended, crease_error *e);
/* The levels by the answer of r, which had one noise for all, and with `start` the answer as a
 * start; none where there is no noise to speak of. */
bool crs_levels_make(crease_rpca *r, bool start, crease_error *e);
/* x times the levels to the power 1 or -1, entries first, .. */
void crs_levels_times(const crs_noise_levels *l, int power, ptrdiff_t first, ptrdiff_t count,
                      double *x);
void crs_levels_free(crs_noise_levels *l);
static inline const crs_noise_levels *crs_levels_of(const crease_rpca *r) /* NULL: there are none */
{
    return r->levels && r->levels->level ? r->levels : NULL;
}

/* Sums over the entries whose sparse part is 0: squares of the noise and of T; is it known how
 * large the noise is? */
typedef struct {
    double squares, all;
    bool noisy;
} crs_calm;
/* Most facts of an answer by slabs (parts.c); `limit`: beyond that magnitude no noise is. */
bool crs_parts_count(crease_rpca *r, const crs_parts *p, double limit, crs_calm *calm,
                     crease_error *e);
/* The same where the observed entries alone are held. */
bool crs_parts_count_listed(crease_rpca *r, const crs_parts *p, double limit, crs_calm *calm,
                            crease_error *e);
/* answer.c: sigma of normal noise whose magnitudes up to `limit` have this median. */
double crs_deviation_of(double median, double limit);

crease_progress crs_rpca_own_progress(const crease_rpca *r, const crease_progress *now);

#endif
