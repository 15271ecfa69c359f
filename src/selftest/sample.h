/* SPDX-License-Identifier: MIT
 * sample.h: random instances of catalogue entries */
#ifndef CRS_SAMPLE_H
#define CRS_SAMPLE_H

#include <crease/crease.h>

#include "core/core.h"
#include "selftest/draw.h"
#include "selftest/selftest.h"

enum { CRS_MOST = 16 }; /* entries of the largest sample point */

/* Parameters drawn from the whole of their ranges. */
void crs_sample_params(draws *d, const crease_param *params, ptrdiff_t n, double *par);

/* A regularizer with its space and, for group kinds, its groups; weights now and then. */
typedef struct {
    crease_space space;
    crease_reg r;
    crease_groups groups;
    ptrdiff_t start[CRS_MOST + 1], index[CRS_MOST];
    double weight[CRS_MOST];
} crs_reg_sample;
bool crs_sample_reg(draws *d, int entry, crs_reg_sample *out, crease_error *e);

/* A set with its space and data. */
typedef struct {
    crease_space space;
    crease_set c;
    double vec[CRS_MOST], lower[CRS_MOST], upper[CRS_MOST];
    crease_bounds bounds;
    crease_set inner[2];
    crease_space inner_space[2];
    crease_affine_set affine;
    crease_product_set product;
} crs_set_sample;
bool crs_sample_set(draws *d, int entry, crs_set_sample *out, crease_error *e);

/* A linear map with its spaces and data. */
typedef struct {
    crease_space dom, ran, between;
    crease_map A, inner[2];
    double number[CRS_MOST * CRS_MOST], more[CRS_MOST * CRS_MOST], scale[2];
    ptrdiff_t start[CRS_MOST + 1], col[CRS_MOST * CRS_MOST];
    crease_csr_matrix csr;
    crease_index_list list;
    crease_callback_map callback;
    crease_map_list terms;
    crease_map_pair pair;
} crs_map_sample;
bool crs_sample_map(draws *d, int entry, crs_map_sample *out, crease_error *e);

/* A smooth coupling with its blocks and data. */
enum { CRS_BLOCKS = 5 };
typedef struct {
    crease_space space[CRS_BLOCKS];
    double radius[CRS_BLOCKS];
    crease_blocks blocks;
    crease_smooth f, inner[2];
    crease_map map[2];
    double number[CRS_MOST * CRS_MOST * 2], more[CRS_MOST * CRS_MOST], rhs[CRS_MOST];
    int index[CRS_BLOCKS], index2[CRS_BLOCKS];
    const double *matrix[3], *linear[CRS_BLOCKS];
    crease_predictor predictor;
    crease_quadratic_data quadratic;
    crease_distance_data distance, distance2;
    crease_multilinear_data multilinear;
    crease_factorization_data factorization;
    crease_cp_data cp;
    crease_tucker_data tucker;
    crease_callback_smooth callback;
    crease_smooth_list list;
} crs_smooth_sample;
bool crs_sample_smooth(draws *d, int entry, crs_smooth_sample *out, crease_error *e);

#endif
