/* SPDX-License-Identifier: MIT
 * cp_kernel.h: the inner loops of the fused CP iterations, one table for every instruction set and
 * for tensors stored as double or as float
 *
 * The tensor is a (left x right) matrix, worked on in tiles of CRS_TILE_ROWS rows by at most
 * `width` columns. The Khatri-Rao product of the columns' modes lies in blocks of `block` columns,
 * each rank x block, the last padded with 0. Arrays of the storage type are void here. */
#ifndef CRS_CP_KERNEL_H
#define CRS_CP_KERNEL_H

#include "reg/reg.h"

enum { CRS_TILE_ROWS = 4 };

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
 *   u = Lambda + pull (T - B) = u_older older + u_b B + pull T
 *   v = (u - pull Z + h_e E) e_scale,  E' = prox of step t at v, 0 for |v| <= dead
 *   Z' = (2 [[X]] + u - pull E' + h_z Z) z_scale,  r = Z' + E' - T
 *   B' = b_older older + b_b B - b_s r,  so that  2 (Z' - [[X]]) = kappa dB + weight B - h_z dZ
 * block coordinate descent: the same with Lambda = B = 0 and pull = weight.
 *
 * All but the factors eliminated: s = T - [[X]], E = prox of step t at s, 0 for |s| <= dead,
 *   Z = [[X]] + z_scale (s - E),  B = T - Z - E; the sums are those of noise and penalty. */
typedef struct {
    double weight; /* 2 alpha_N W */
    double lambda_older, lambda_b;
    double u_older, u_b, pull, e_scale, t, dead, z_scale;
    double edge; /* dead / e_scale; eliminated: dead */
    double b_older, b_b, b_s, kappa;
} crs_cp_entry;

typedef struct {
    bool descent; /* block coordinate descent: no B, no Lambda */
    bool own;     /* Lambda is a multiple of B: older is not read */
    bool soft;    /* the penalty is l1: its prox is written out */
    bool full;    /* all sums; otherwise those of theta */
    double beta, h_e, h_z;
    double fold; /* z_scale where it is the same for both W, else 1: what comes before it has it */
    crs_cp_entry at[2]; /* W = 0, W = 1 */
    crs_scalar penalty; /* alpha R */
} crs_cp_rule;

/* Rows of t, z, b, older, mask are `stride` apart; of e, e_stride. */
typedef struct {
    ptrdiff_t rows, columns, stride, e_stride;
    ptrdiff_t ahead; /* from this tile to the one that comes after it: what to ask memory for */
    const void *t;
    const unsigned char *mask; /* NULL: every entry is observed */
    void *z, *b;
    void *older; /* where Lambda is read with b, and the new B goes; b itself when not needed */
    void *e;
    uint64_t *marks; /* of every row, `words` words: bit j is set where E' is not 0 */
    ptrdiff_t words;
    void *rest;    /* 4 x block: u + h_z Z - pull E', with [[X]] Z' */
    void *partial; /* rank x 4 vectors; of collect: rank x width */
    double *y;     /* rows x rank */
    double *sums;
} crs_cp_tile;

/* E', Z', B', the marks, the sums, and y += Z' K; v is rank x 4, 2 fold times the rows
 * of V */
typedef void crs_cp_entries(const crs_cp_rule *r, ptrdiff_t rank, const void *v,
                            const void *columns, const crs_cp_tile *t);

/* s (rank) += sum of the rows of y o k, both rows x rank */
typedef void crs_weigh(ptrdiff_t rows, ptrdiff_t rank, const double *y, const double *k, double *s);

typedef struct {
    const char *name;
    ptrdiff_t block; /* columns; widths are multiples of this */
    ptrdiff_t lanes; /* of a vector */
    bool single;     /* stored as float */

    crs_cp_entries *update, *eliminate; /* an iteration; the minimizers for the given factors */

    /* y += Z K */
    void (*project)(ptrdiff_t rank, const void *columns, const crs_cp_tile *t);

    /* w += Z'V, in blocks as the columns; t has any number of rows up to CRS_PANEL */
    void (*collect)(ptrdiff_t rank, const void *v, const crs_cp_tile *t, double *w);

    /* to = `count` rows of the Khatri-Rao product of two modes, the second with `dim` rows */
    void (*pair)(ptrdiff_t rank, ptrdiff_t dim, ptrdiff_t first, ptrdiff_t count,
                 const double *const *x, double *to);

    /* v (rank x 4) = scale times the rows of kr (rows x rank), 0 beyond them */
    void (*spread)(ptrdiff_t rows, ptrdiff_t rank, double scale, const double *kr, void *v);

    void (*narrow)(ptrdiff_t n, const double *x, void *y); /* y = x */
    void (*widen)(ptrdiff_t n, const void *x, double *y);

    crs_weigh *weigh;
} crs_cp_kernel;

enum { CRS_PANEL = 64 }; /* rows that share one computation of Khatri-Rao rows */

extern const crs_cp_kernel crs_cp_kernel_base, crs_cp_kernel_avx2, crs_cp_kernel_avx512;
extern const crs_cp_kernel crs_cp_kernel_base_single, crs_cp_kernel_avx2_single,
    crs_cp_kernel_avx512_single;

/* The instruction sets kernels are compiled for, the fastest first; this processor has set k? */
#if defined(__x86_64__)
enum { CRS_AVX512, CRS_AVX2, CRS_BASE, CRS_INSTRUCTION_SETS };
#else
enum { CRS_BASE, CRS_INSTRUCTION_SETS };
#endif
bool crs_processor_has(int k);

/* The k-th kernel this processor runs, the fastest first; NULL: no more. */
const crs_cp_kernel *crs_cp_kernel_at(bool single, int k);

#endif
