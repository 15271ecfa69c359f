/* SPDX-License-Identifier: MIT
 * cp_kernel.h: the inner loops of the fused CP iterations, one table for every instruction set
 *
 * The tensor is a (left x right) matrix, worked on in tiles of CRS_TILE_ROWS rows by at most
 * `width` columns. What a tile needs besides the tensors lies in cache in arrays whose rows have
 * `width` entries, the ones beyond the tile being 0. */
#ifndef CRS_CP_KERNEL_H
#define CRS_CP_KERNEL_H

#include "model/envelope_kernel.h"

/* What is added up over the entries; d is the step's change. */
enum {
    CRS_SUM_DE,        /* dE^2 */
    CRS_SUM_DZ,        /* dZ^2 */
    CRS_SUM_DB,        /* dB^2 */
    CRS_SUM_DZ_DB,     /* dZ dB */
    CRS_SUM_DB_UNSEEN, /* dB^2 where W = 0 */
    CRS_SUM_FEASIBLE,  /* (Z + E + B - T)^2 */
    CRS_SUM_FIT,       /* (Z - [[X]])^2 */
    CRS_SUM_NOISE,     /* W B^2 */
    CRS_SUM_PENALTY,   /* alpha R(E) */
    CRS_SUM_NONZERO,   /* entries of E that are not 0 */
    CRS_SUMS
};

/* The iteration at an entry with W = 0 or W = 1:
 *   Lambda = lambda_older older + lambda_b B
 *   v = (Lambda + pull (T - B - Z) + h_e E) e_scale,  E' = prox of step t at v, 0 for |v| <= dead
 *   Z' = (2 [[X]] + Lambda + pull (T - B - E') + h_z Z) z_scale
 *   B' = b_b B + b_lambda Lambda - b_s (Z' + E' - T)
 * block coordinate descent: the same with Lambda = B = 0 and pull = 2 alpha_N W. */
typedef struct {
    double weight; /* 2 alpha_N W */
    double lambda_older, lambda_b;
    double pull, e_scale, t, dead, z_scale;
    double b_b, b_lambda, b_s;
} crs_cp_entry;

typedef struct {
    bool descent; /* block coordinate descent: no B, no Lambda */
    bool soft;    /* the penalty is l1: its prox is written out below */
    double beta, h_e, h_z;
    crs_cp_entry at[2]; /* W = 0, W = 1 */
    crs_scalar penalty; /* alpha R */
} crs_cp_rule;

/* Rows of t, z, b, older, mask are `stride` apart; of e, e_stride; of rest, width. */
typedef struct {
    ptrdiff_t rows, columns, stride, e_stride, width;
    ptrdiff_t ahead; /* from this tile to the one that comes after it: what to ask memory for */
    const double *t;
    const unsigned char *mask; /* NULL: every entry is observed */
    double *z, *b;
    double *older; /* where Lambda is read with b, and the new B goes; b itself when not needed */
    double *e;
    double *rest;    /* what Z' is a multiple of, the low-rank part last; then Z' */
    double *scratch; /* width */
    double *sums;
} crs_cp_tile;

typedef struct {
    const char *name;
    ptrdiff_t block; /* widths are multiples of this */
    ptrdiff_t lanes; /* of a vector */

    void (*enter)(const crs_cp_rule *r, const crs_cp_tile *t); /* E', and rest but for [[X]] */
    void (*leave)(const crs_cp_rule *r, const crs_cp_tile *t); /* Z', B', the sums */

    /* rest += v' c; v is rank x 4, c rank x width */
    void (*expand)(ptrdiff_t rank, const double *v, const double *c, const crs_cp_tile *t);

    /* y (4 x rank) += z c' */
    void (*project)(ptrdiff_t rank, ptrdiff_t width, const double *z, const double *c, double *y);

    /* w (rank x width) += v' z; v is rows x rank, z rows x width: the first `columns` of them */
    void (*collect)(ptrdiff_t rows, ptrdiff_t rank, ptrdiff_t columns, ptrdiff_t width,
                    const double *v, const double *z, double *w);

    void (*copy)(ptrdiff_t n, const double *x, double *y);

    /* bit j of bits: e[j] is not 0; ceil(n/64) words */
    void (*mark)(ptrdiff_t n, const double *e, uint64_t *bits);

    /* s (rank) += sum of the rows of y o k, both rows x rank */
    void (*weigh)(ptrdiff_t rows, ptrdiff_t rank, const double *y, const double *k, double *s);

    /* r (4 x width) = the low-rank part v c; v is 4 x rank, c rank x width */
    void (*low_rank)(ptrdiff_t rank, const double *v, const double *c, const crs_envelope_tile *t);
    /* y (4 x stride) += r k; k is columns x stride, and stride a multiple of lanes */
    void (*multiply)(ptrdiff_t stride, const double *k, const crs_envelope_tile *t, double *y);
    void (*envelope)(const crs_envelope_tile *t); /* r from the low-rank part to s, the sums */
} crs_cp_kernel;

extern const crs_cp_kernel crs_cp_kernel_base, crs_cp_kernel_avx2, crs_cp_kernel_avx512;

/* The k-th kernel this processor runs, the fastest first; NULL: no more. */
const crs_cp_kernel *crs_cp_kernel_at(int k);

#endif
