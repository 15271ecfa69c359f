/* SPDX-License-Identifier: MIT
 * rpca.h: the insides of the CP robust PCA model, shared by the files that build it */
#ifndef CRS_RPCA_H
#define CRS_RPCA_H

#include <crease/rpca.h>

#include "core/core.h"
#include "core/streams.h"

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

/* Every setting in its range, the penalty on its space (cp_settings.c). */
bool crs_cp_settings_check(const crease_cp_rpca_settings *s, crease_error *e);

/* The 1-norm and its weight where none were given (cp_rpca.c). */
void crs_cp_fill_defaults(crease_cp_rpca_settings *s);

/* Every entry that is observed is finite, the mask 0 or 1; how many are missing (cp_data.c). */
bool crs_cp_check_data(const crease_cp_rpca_settings *s, const double *tensor, ptrdiff_t *missing,
                       crease_error *e);
bool crs_cp_seen(const crease_cp_rpca_settings *s, const double *tensor, ptrdiff_t j);

/* T and W from the data; NaN is missing where that is allowed (cp_data.c). */
bool crs_cp_take_data(crease_cp_rpca *m, const double *tensor, crease_error *e);

/* The groups of the penalty (cp_groups.c). */
bool crs_cp_take_groups(crease_cp_rpca *m, crease_error *e);

/* X_n^0, then Z^0 and B^0 (cp_start.c). Only the factors of a tensor of zeros are left NULL. */
bool crs_cp_start_factors(crease_cp_rpca *m, crease_error *e);
bool crs_cp_start_z(const crease_cp_rpca *m, double *z, crease_error *e);
bool crs_cp_take_start(crease_cp_rpca *m, crease_error *e);

/* crease_cp_components with room for `rank` numbers in left (cp_components.c). */
void crs_cp_components(const crease_space *shape, ptrdiff_t rank, const double *const *factor,
                       double *const *unit, double *weight, double *left);

/* X_n = the leading left singular vectors of the n-th unfolding (cp_hosvd.c). Modes too long for
 * their Gram matrix get T_(n) M_n of random factors, which spans them nearly. */
bool crs_cp_hosvd(crease_cp_rpca *m, crease_error *e);

/* Sweeps of alternating least squares on the observed entries, the columns balanced at the end
 * (cp_als.c). */
bool crs_cp_als(crease_cp_rpca *m, int sweeps, crease_error *e);

/* Where descending squared singular values first fall by more than 16, or most (cp_rank.c). */
ptrdiff_t crs_spectral_gap(ptrdiff_t n, const double *squares);

/* An instance with every part 0; its sparse part; then, its factors drawn as well, the others
 * (cp_generate.c). */
crease_cp_instance *crs_cp_instance_new(const crease_cp_recipe *r, crease_error *e);
bool crs_cp_instance_outliers(crease_cp_instance *c, crease_error *e);
bool crs_cp_instance_add(crease_cp_instance *c, crease_error *e);

#endif
