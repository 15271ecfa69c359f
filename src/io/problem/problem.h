/* SPDX-License-Identifier: MIT
 * problem_parts.h: the parts of a problem file, one reader each. All keep what they read, check it
 * against its space, and name the place of what is wrong. */
#ifndef CRS_PROBLEM_PARTS_H
#define CRS_PROBLEM_PARTS_H

#include <crease/problem.h>

#include "io/problem/node.h"

/* The blocks, for parts that name them. */
typedef struct {
    int count;
    const crease_space *space;
    const char **name;
} crs_block_list;

/* An array, inline or in a file: numbers, finite unless `infinite`. */
bool crs_array_at(crs_reader *r, const crs_node *at, bool infinite, crs_array *out);
/* The same in a given shape (dimensions of 1 aside); one number stands for all entries. */
bool crs_filled_at(crs_reader *r, const crs_node *at, const crease_space *s, bool infinite,
                   const double **out);
/* Whole numbers in [0, most]. */
bool crs_indices_at(crs_reader *r, const crs_node *at, double most, ptrdiff_t *count,
                    const ptrdiff_t **out);
/* The path of a file that the document names, and its bytes into the reader's hash. */
const char *crs_path_at(crs_reader *r, const crs_node *at);
bool crs_hash_file(crs_reader *r, const char *path);

/* The parameters of a catalogue entry by name, and the array called `vector`, into a spec. */
bool crs_spec_at(crs_reader *r, const crs_node *at, const crease_param *params, const char *vector,
                 const crease_space *s, crease_spec *spec);
/* The spec of a text "scad:0.1,3.7"; the reader keeps its numbers. */
bool crs_spec_text_at(crs_reader *r, const crs_node *at, crease_spec *spec);

bool crs_reg_at(crs_reader *r, const crs_node *at, const crease_space *s, crease_reg *out);
bool crs_set_at(crs_reader *r, const crs_node *at, const crease_space *s, crease_set *out);

/* *range is the map's own idea of its range, order 0 when it has none. */
bool crs_map_at(crs_reader *r, const crs_node *at, const crease_space *dom, crease_map *out,
                crease_space *range);

/* Several maps into one space: {"block": map, ...}. The range is the one in out unless its order
 * is 0, or that of the array at rhs, or the first the maps know. rhs may be NULL. */
typedef struct {
    int count;
    int *block;
    crease_map *map;
    crease_space range;
    const double *rhs;
} crs_sum_of_maps;
bool crs_sum_at(crs_reader *r, const crs_node *maps, const crs_node *rhs,
                const crs_block_list *blocks, crs_sum_of_maps *out);

/* Does a map with a range of its own fit the range that was settled on? */
bool crs_same_rows(const crs_reader *r, const crs_node *at, const crease_space *own,
                   const crease_space *range);

/* The block a text names, or a key. */
bool crs_block_at(const crs_reader *r, const crs_node *at, const crs_block_list *blocks, int *i);
bool crs_block_named(const crs_reader *r, const crs_node *at, const char *name,
                     const crs_block_list *blocks, int *i);

bool crs_smooth_at(crs_reader *r, const crs_node *at, const crs_block_list *blocks,
                   crease_smooth *out);
/* The couplings made from tensors; called by crs_smooth_at. */
typedef bool crs_coupling(crs_reader *r, const crs_node *at, const crs_block_list *blocks,
                          crease_smooth *out);
/* The couplings of a list, added up. */
bool crs_smooth_sum_at(crs_reader *r, const crs_node *at, const crs_block_list *blocks,
                       crease_smooth *out);

crs_coupling crs_multilinear_at, crs_factorization_at, crs_cp_at, crs_tucker_at;

#endif
