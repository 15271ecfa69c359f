/* SPDX-License-Identifier: MIT
 * problem_maps.h: the readers of single maps (problem_map.c) for the one that calls them by name */
#ifndef CRS_PROBLEM_MAPS_H
#define CRS_PROBLEM_MAPS_H

#include "io/problem/problem.h"

typedef bool crs_map_reader(crs_reader *r, const crs_node *at, const crease_space *dom,
                            crease_map *out, crease_space *range);

crs_map_reader crs_zero_map_at, crs_identity_at, crs_diagonal_at, crs_mask_at, crs_selection_at,
    crs_difference_at, crs_dense_at, crs_csr_at, crs_matrix_at, crs_map_sum_at, crs_composition_at;

#endif
