/* SPDX-License-Identifier: MIT
 * rpca.h: robust PCA for the rooms beside it and below: the CP model, an answer from its factors
 * and the residuals there, starts, terms
 *
 * With M = [[X]], s = W o (T - E - M), c = alpha_N/(1 + alpha_N): Z = M + c s, Lambda = 2 c s. */
#ifndef CRS_RPCA_ROOM_H
#define CRS_RPCA_ROOM_H

#include <crease/certificate.h>
#include <crease/cp_fit.h>
#include <crease/rpca.h>
#include <crease/rpca_rank.h>

#include "core/core.h"
#include "core/streams.h"
#include "reg/reg.h"
#include "tensor/tensor.h"

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
    double *root;                 /* sqrt(2 alpha_N) W; NULL: W = 1 */
    double *scaled;               /* sqrt(2 alpha_N) W o T of the unconstrained form */
    double *start[CRS_CP_BLOCKS]; /* NULL: zero */
};

static inline bool crs_cp_observed(const crease_cp_rpca *m, ptrdiff_t j)
{
    return !m->root || m->root[j] > 0;
}

/* Every setting in its range, the penalty on its space; the 1-norm and its weight where none were
 * given. */
bool crs_cp_settings_check(const crease_cp_rpca_settings *s, crease_error *e);
void crs_cp_fill_defaults(crease_cp_rpca_settings *s);

/* Every entry that is observed is finite, the mask 0 or 1; how many are missing. */
bool crs_cp_check_data(const crease_cp_rpca_settings *s, const double *tensor, ptrdiff_t *missing,
                       crease_error *e);
bool crs_cp_seen(const crease_cp_rpca_settings *s, const double *tensor, ptrdiff_t j);

/* The first iterate of a model: X_n^0, then Z^0 and B^0. Only the factors of a tensor of zeros are
 * left NULL. */
bool crs_cp_take_start(crease_cp_rpca *m, crease_error *e);

/* A model problem with the data and the mask of a fit, for its start; NULL: memory. */
crease_cp_rpca *crs_cp_fit_model(const crease_cp_fit *f, double *tensor, crease_error *e);
void crs_cp_fit_model_free(crease_cp_rpca *model);

/* sigma^(2(d-1)/d), sigma the root mean square of the observed entries; 1 without any */
double crs_cp_gram_size(const crease_cp_fit *f, const double *tensor);

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
    const double *tensor;
    const unsigned char *mask; /* NULL: all observed */
    crs_penalty_value rho;     /* alpha rho of a penalty by entries */
    double dead, steep;        /* of it: the largest |T - M| where E = 0, and alpha rho'(0+) */
    crease_reg whole;          /* of any other penalty: alpha R; ops NULL: by entries */
    crs_cp_sparse *sparse;     /* NULL: E = prox_{rho/(2c)}(T - M) where observed, else 0 */
    const void *self;
    double alpha_noise, nu;
    bool nonneg;
} crs_cp_point;

static inline double noise_share(const crs_cp_point *p) /* c */
{
    return crs_noise_share(p->alpha_noise);
}

/* Memory of the computations below: counted, then given. */
typedef struct {
    int threads;
    ptrdiff_t bands, panels, worker; /* worker: doubles a worker has */
    double *columns;                 /* right x rank: Khatri-Rao rows */
    double *rows, *sums, *collected; /* left x rank; bands x ...; bands x right x rank */
    double *small;                   /* of one factor */
    double *workers;
    double *e, *lambda, *reg; /* of a penalty that is not by entries */
} crs_cp_room;
ptrdiff_t crs_cp_room_size(const crs_cp_point *p, int threads);
void crs_cp_room_carve(const crs_cp_point *p, int threads, double *memory, crs_cp_room *w);

/* The Khatri-Rao rows, whenever the factors have changed. */
void crs_cp_columns(const crs_cp_point *p, crs_cp_room *w);

/* M and E of a few rows (at most grid.rows); kr has grid.rows x rank doubles. */
void crs_cp_panel(const crs_cp_point *p, const crs_cp_room *w, ptrdiff_t first, ptrdiff_t count,
                  double *kr, double *m, double *e);

/* s of an entry */
static inline double rest_at(const crs_cp_point *p, ptrdiff_t j, double m, double e)
{
    return p->mask && !p->mask[j] ? 0 : p->tensor[j] - m - e;
}

/* Blocks X_1..X_d, E, Z, B and the constraint, in the scales of certificate.h; c->block has
 * d + 3 places. Results do not depend on the number of threads. */
void crs_cp_certify(const crs_cp_point *p, crs_cp_room *w, crease_certificate *c);

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

/* An instance with every part 0; its sparse part; then, its factors drawn as well, the others. */
crease_cp_instance *crs_cp_instance_new(const crease_cp_recipe *r, crease_error *e);
bool crs_cp_instance_outliers(crease_cp_instance *c, crease_error *e);
bool crs_cp_instance_add(crease_cp_instance *c, crease_error *e);

#endif
