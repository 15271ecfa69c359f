/* SPDX-License-Identifier: MIT
 * map.h: linear maps as their folder and its neighbours see them */
#ifndef CRS_MAP_H
#define CRS_MAP_H

#include <crease/map.h>

#include "core/core.h"

#define MAP(symbol) extern const crease_map_ops crs_##symbol##_ops;
#include "map/list.def"
#undef MAP

/* Checks, each with its sentence in e: ran has the shape of dom; no space is split over ranks, or
 * ran alone; v holds n finite numbers. */
bool crs_map_square(const crease_map *A, const crease_space *dom, const crease_space *ran,
                    crease_error *e);
bool crs_map_whole(const crease_map *A, const crease_space *dom, const crease_space *ran,
                   crease_error *e);
bool crs_map_rows(const crease_map *A, const crease_space *dom, const crease_space *ran,
                  crease_error *e);
bool crs_map_numbers(const crease_map *A, ptrdiff_t n, const double *v, crease_error *e);

/* Maps whose rows may be on several ranks: A'y is the sum of what the ranks have. Begin gives the
 * memory to add A'y of this rank's rows to, end adds the sum to x; scratch is for `work`. */
ptrdiff_t crs_rows_scratch(const crease_map *A, const crease_space *dom, const crease_space *ran);
double *crs_rows_begin(const crease_space *dom, const crease_space *ran, double *x, double *work);
void crs_rows_end(const crease_space *dom, const crease_space *ran, double *x, double *work);

/* out (size(ran) x size(dom), row-major) = the matrix of A, by min(m,n) products with A or A'.
 * `work` has crs_map_materialize_scratch() doubles. */
ptrdiff_t crs_map_materialize_scratch(const crease_map *A, const crease_space *dom,
                                      const crease_space *ran);
void crs_map_materialize(const crease_map *A, const crease_space *dom, const crease_space *ran,
                         double *out, double *work);

/* Is a matrix small enough to write out? */
static inline bool is_small(const crease_space *dom, const crease_space *ran)
{
    enum { SIDE = 500, ENTRIES = 1000000 };
    const double m = crs_whole_size(ran), n = crs_whole_size(dom);
    return (m <= SIDE || n <= SIDE) && m * n <= ENTRIES;
}

/* Bounds from the matrix of A when that is small enough to write out: *bound becomes the better
 * of it and `known`, which is itself a bound. INFINITY: no norm is known; 0: no sigma_min. */
bool crs_map_better_norm(const crease_map *A, const crease_space *dom, const crease_space *ran,
                         double known, double *bound, crease_error *e);
bool crs_map_better_sigma_min(const crease_map *A, const crease_space *dom, const crease_space *ran,
                              double known, double *bound, crease_error *e);

/* What rounding may do to A x, by its table or by the norm. */
bool crs_map_rounding(const crease_map *A, const crease_space *dom, const crease_space *ran,
                      crease_rounding *r, crease_error *e);

/* Is A an entry of the catalogue, of such parts alone, and calls none of the user's functions? */
bool crs_map_is_listed(const crease_map *A);

/* The entries of a sparse map as its table has them, and those of a dense one with few rows or
 * columns; -1: it is not sparse. */
ptrdiff_t crs_map_entries(const crease_map *A, const crease_space *dom, const crease_space *ran,
                          ptrdiff_t *row, ptrdiff_t *col, double *value);

/* B of A = c B, which is no multiple of another map; c = 1 where A is none. */
const crease_map *crs_map_unscaled(const crease_map *A, double *c);

/* The eigenvalues of A'A, with CREASE_UNSUPPORTED when they are not known; what is in g is freed by
 * crs_gram_free, after a failure as well. */
bool crs_map_gram(const crease_map *A, const crease_space *dom, const crease_space *ran,
                  crease_gram *g, crease_error *e);
bool crs_gram_unknown(const crease_map *A, crease_error *e); /* says so; always false */
/* g with `count` eigenvalues of 0. */
bool crs_gram_new(crease_gram *g, crease_basis basis, ptrdiff_t count, crease_error *e);
void crs_gram_free(crease_gram *g);
/* A'A from the singular values of a matrix a (m x n): those, squared, and the right vectors. */
bool crs_gram_of_matrix(ptrdiff_t m, ptrdiff_t n, const double *a, crease_gram *g, crease_error *e);
/* A'A = I. */
bool crs_gram_of_isometry(const crease_map *A, const crease_space *dom, const crease_space *ran,
                          crease_gram *g, crease_error *e);

#endif
