/* SPDX-License-Identifier: MIT
 * cp_compress.h: a tensor in the leading singular vectors of its modes, T ~ core x_n U_n */
#ifndef CRS_CP_COMPRESS_H
#define CRS_CP_COMPRESS_H

#include <stdint.h>

#include "rpca/cp_view.h"

typedef struct {
    crease_space shape;              /* of the core: p_n <= min(I_n, rank) */
    double *values;                  /* the core */
    double *basis[CREASE_MAX_ORDER]; /* U_n: I_n x p_n, orthonormal columns */
    ptrdiff_t rank;                  /* the rank asked for, or less where the spectra end */
} crs_cp_core;

/* A few reads of the tensor; to_cut: the rank falls to where the spectra end. Free in any case. */
bool crs_cp_compress(const crs_cp_view *v, ptrdiff_t rank, bool to_cut, uint64_t seed,
                     crs_cp_core *c, crease_error *e);
void crs_cp_core_free(crs_cp_core *c);

/* The leading left singular vectors of V_(n), I_n x columns, and the squares of their values,
 * descending (cp_basis.c); columns <= I_n. A mode other than the first, or a plain view. */
bool crs_cp_basis(const crs_cp_view *v, int n, ptrdiff_t columns, uint64_t seed, double *basis,
                  double *squares, crease_error *e);

/* w (I_n x columns) grows by V_(n) V_(n)' Q of one slab, Q (I_n x columns); q NULL: by V_(n)
 * V_(n)' itself, columns = I_n. product: room for slab x_n Q'. */
typedef struct {
    int n;
    ptrdiff_t columns;
    double *q, *w, *product;
} crs_cp_square;
void crs_cp_square_add(const crs_cp_square *a, const crease_space *slab, const double *values);

/* As crease_cp_structure, of a view without a model (cp_structure.c). */
bool crs_cp_structure(const crs_cp_view *data, ptrdiff_t rank, const double *const *factor,
                      double *structure, crease_error *e);

/* The first k < count with squares[k-1] > 16 squares[k] and no more than a hundredth of their sum
 * beyond it; count without one. */
ptrdiff_t crs_cp_gap(ptrdiff_t count, const double *squares);

#endif
