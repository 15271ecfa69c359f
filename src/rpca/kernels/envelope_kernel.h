/* SPDX-License-Identifier: MIT
 * envelope_kernel.h: what the inner loops of the envelope work on (envelope.h has the formulas) */
#ifndef CRS_ENVELOPE_KERNEL_H
#define CRS_ENVELOPE_KERNEL_H

#include "rpca/kernels/kernels.h"

/* What is added up over the observed entries. */
enum {
    CRS_ENV_VALUE,      /* phi_judge */
    CRS_ENV_VALUE_NEXT, /* phi_next */
    CRS_ENV_SQUARES,    /* s^2 */
    CRS_ENV_NONZERO,    /* of e */
    CRS_ENV_SUMS
};

/* A face at work: e = 0 for |r| <= dead, otherwise a prox of step t. If piecewise, |s| grows with
 * |r| up to dead, stays there up to `shoulder` and falls by `fall` a unit to 0 at `end`. */
typedef struct {
    double c, t, dead, shoulder, end, fall;
    bool piecewise;
    bool soft;          /* l1: no end */
    crs_scalar penalty; /* alpha rho */
} crs_envelope_rule;

/* CRS_TILE_ROWS rows by at most `width` columns. Rows of t and mask are `stride` apart, of r,
 * width; what is beyond the tile is 0 in r. */
typedef struct {
    ptrdiff_t rows, columns, stride, width;
    ptrdiff_t ahead;                       /* to the tile that comes next, in entries */
    const crs_envelope_rule *judge, *next; /* judge NULL: the same */
    const double *t;                       /* NULL: single has it */
    const float *single;
    const unsigned char *mask; /* NULL: every entry is observed */
    double *r;                 /* then s, 0 where not observed */
    double *row, *column;      /* marginals of w, added to; column has `width` */
    ptrdiff_t *histogram;
    ptrdiff_t *loud; /* vectors of columns outside a dead zone in the tile before; now in this */
    bool counted[CRS_TILE_ROWS]; /* the rows that go into the histogram */
    double *sums;
} crs_envelope_tile;

double crs_envelope_prox(const crs_envelope_rule *a, double r); /* e */

/* Any penalties: in `count` columns from `first` on r, 0 where not observed, becomes s, and the
 * sums grow. */
void crs_envelope_block(const crs_envelope_tile *t, ptrdiff_t first, int count);

/* The bin of |r|: its exponent and the first three bits after it. */
enum { CRS_BIN_SHIFT = 49, CRS_BIN_FIRST = (1023 - 128) * 8, CRS_BIN_LAST = 2047 };

/* One table for every instruction set. */
typedef struct {
    const char *name;
    ptrdiff_t block; /* widths are multiples of this */
    ptrdiff_t lanes; /* of a vector */

    /* r (4 x width) = the low-rank part v c; v is 4 x rank, c rank x width */
    void (*low_rank)(ptrdiff_t rank, const double *v, const double *c, const crs_envelope_tile *t);

    void (*envelope)(const crs_envelope_tile *t); /* r from the low-rank part to s, the sums */

    /* y (4 x stride) += r k; k is columns x stride, and stride a multiple of lanes */
    void (*multiply)(ptrdiff_t stride, const double *k, const crs_envelope_tile *t, double *y);

    /* w (rank x width) += v' z; v is rows x rank, z rows x width: the first `columns` of them */
    void (*collect)(ptrdiff_t rows, ptrdiff_t rank, ptrdiff_t columns, ptrdiff_t width,
                    const double *v, const double *z, double *w);

    crs_weigh *weigh;
} crs_envelope_kernel;

extern const crs_envelope_kernel crs_envelope_kernel_base, crs_envelope_kernel_avx2,
    crs_envelope_kernel_avx512;

/* The k-th kernel this processor runs, the fastest first; NULL: no more. */
const crs_envelope_kernel *crs_envelope_kernel_at(int k);

#endif
