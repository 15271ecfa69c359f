/* SPDX-License-Identifier: MIT
 * kernels.h: the inner loops of the fused CP iterations, of the envelope and of pursuit, one table
 * of each for every instruction set, and the grid that cuts a tensor into what they work on
 *
 * The tensor is a (left x right) matrix, worked on in tiles of CRS_TILE_ROWS rows by at most
 * `width` columns. */
#ifndef CRS_KERNELS_H
#define CRS_KERNELS_H

#include "reg/reg.h"
#include "tensor/tensor.h"

enum { CRS_TILE_ROWS = 4 };

/* An entry of a tensor as it is stored: double, or float where a kernel is `single`. */
typedef void crs_stored;

/* The tensor as left x right: the columns run over the modes from `split` on, in chunks of width
 * columns; the rows in panels, the panels in bands, whose sums are added in order. */
typedef struct {
    int split;
    ptrdiff_t left, right, width, chunks, panels, bands, blocks; /* blocks of tile rows */
    ptrdiff_t panel;                                             /* rows of a panel */
} crs_cp_grid;

enum { CRS_CP_MOST_RANK = 1 << 20, CRS_CP_MOST_THREADS = 256 };
bool crs_cp_check_shape(const crease_space *shape, ptrdiff_t rank, int threads, crease_error *e);
crs_cp_grid crs_cp_grid_of(const crease_space *s, ptrdiff_t rank, ptrdiff_t block, ptrdiff_t panel);
void crs_cp_band(const crs_cp_grid *g, ptrdiff_t band, ptrdiff_t *first, ptrdiff_t *end); /* rows */

/* s (rank) += sum of the rows of y o k, both rows x rank */
typedef void crs_weigh(ptrdiff_t rows, ptrdiff_t rank, const double *y, const double *k, double *s);

/* to (I_n x rank) = the sum over the rows of `table` with the same index of mode n, each times the
 * other modes' Khatri-Rao row; the table's rows run over the modes from .. to-1. fold holds the
 * Khatri-Rao rows of the modes after n; work, 2 x rank for each thread. */
typedef struct {
    crs_weigh *weigh;
    crs_kruskal k;
    int threads, from, to;
    const double *table;
    double *fold, *work;
} crs_cp_gathering;
void crs_cp_gather(const crs_cp_gathering *g, int n, double *to);

/* What is read row by row of either engine. */
typedef enum { CRS_CP_Z, CRS_CP_E, CRS_CP_B, CRS_CP_LAMBDA, CRS_CP_LOW_RANK } crs_cp_part;

/* What a fused iteration adds up over the entries; d is the step's change. */
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
    crs_cp_entry at[2];        /* W = 0, W = 1 */
    crs_penalty_value penalty; /* alpha R */
} crs_cp_rule;

/* Rows of t, z, b, older, mask are `stride` apart; of e, e_stride. */
typedef struct {
    ptrdiff_t rows, columns, stride, e_stride;
    ptrdiff_t ahead; /* from this tile to the one that comes after it: what to ask memory for */
    const crs_stored *t;
    const unsigned char *mask; /* NULL: every entry is observed */
    crs_stored *z, *b;
    crs_stored *older; /* read with b for Lambda, then the new B; b itself when not needed */
    crs_stored *e;
    uint64_t *marks; /* of every row, `words` words: bit j is set where E' is not 0 */
    ptrdiff_t words;
    crs_stored *rest;    /* 4 x block: u + h_z Z - pull E', with [[X]] Z' */
    crs_stored *partial; /* rank x 4 vectors; of collect: rank x width */
    const crs_stored *k; /* NULL, or K row by row, each padded with 0 to whole vectors */
    ptrdiff_t padded;    /* numbers of such a row */
    double *block;       /* 4 x padded: with k, in place of partial */
    double *y;           /* rows x rank */
    double *sums;
} crs_cp_tile;

/* E', Z', B', the marks, the sums, and y += Z' K; v is rank x 4, 2 fold times the rows of V. K, the
 * Khatri-Rao product of the columns' modes, lies in blocks of `block` columns, each rank x block,
 * the last padded with 0. */
typedef void crs_cp_entries(const crs_cp_rule *r, ptrdiff_t rank, const crs_stored *v,
                            const crs_stored *columns, const crs_cp_tile *t);

typedef struct {
    const char *name;
    ptrdiff_t block; /* columns; widths are multiples of this */
    ptrdiff_t lanes; /* of a vector */
    bool single;     /* stored as float */

    crs_cp_entries *update, *eliminate; /* an iteration; the minimizers for the given factors */

    /* y += Z K */
    void (*project)(ptrdiff_t rank, const crs_stored *columns, const crs_cp_tile *t);

    /* w += Z'V, in blocks as the columns; t has any number of rows */
    void (*collect)(ptrdiff_t rank, const crs_stored *v, const crs_cp_tile *t, double *w);

    /* to = `count` rows of the Khatri-Rao product of two modes, the second with `dim` rows */
    void (*pair)(ptrdiff_t rank, ptrdiff_t dim, ptrdiff_t first, ptrdiff_t count,
                 const double *const *x, double *to);

    /* v (rank x 4) = scale times the rows of kr (rows x rank), 0 beyond them */
    void (*spread)(ptrdiff_t rows, ptrdiff_t rank, double scale, const double *kr, crs_stored *v);

    void (*narrow)(ptrdiff_t n, const double *x, crs_stored *y); /* y = x */
    void (*widen)(ptrdiff_t n, const crs_stored *x, double *y);

    crs_weigh *weigh;
} crs_cp_kernel;

/* What an evaluation of the envelope adds up over the observed entries (envelope.h). */
enum {
    CRS_ENV_VALUE,      /* phi_judge */
    CRS_ENV_VALUE_NEXT, /* phi_next */
    CRS_ENV_SQUARES,    /* s^2 */
    CRS_ENV_NONZERO,    /* of e */
    CRS_ENV_SUMS
};

/* A penalty as the pass uses it: e = 0 for |r| <= dead, otherwise a prox of step t. If piecewise,
 * |s| grows with |r| up to dead, stays there up to `shoulder` and falls by `fall` per unit to 0 at
 * `end`. */
typedef struct {
    double c, t, dead, shoulder, end, fall;
    bool piecewise;
    bool soft;                 /* l1: no end */
    crs_penalty_value penalty; /* alpha rho */
} crs_envelope_rule;

/* CRS_TILE_ROWS rows by at most `width` columns. Rows of t and mask are `stride` apart, of r,
 * width; what is beyond the tile is 0 in r. */
typedef struct {
    ptrdiff_t rows, columns, stride, width;
    ptrdiff_t ahead;                       /* to the tile that comes next, in entries */
    const crs_envelope_rule *judge, *next; /* judge NULL: the same */
    const double *t;
    const unsigned char *mask; /* NULL: every entry is observed */
    double *r;                 /* then s, 0 where not observed */
    double *row, *column;      /* marginals of w, added to; column has `width` */
    ptrdiff_t *histogram;
    double unit;     /* |r| times it is counted */
    ptrdiff_t *loud; /* vectors of columns outside a dead zone in the tile before; now in this */
    bool counted[CRS_TILE_ROWS]; /* the rows that go into the histogram */
    double *sums;
} crs_envelope_tile;

/* Any penalties (envelope/pass.c): in `count` columns from `first` on r, 0 where not observed,
 * becomes s, and the sums grow. */
void crs_envelope_block(const crs_envelope_tile *t, ptrdiff_t first, int count);

/* Rows of a tall matrix, each a function of the short factor Y (tall.inc). Arrays of `width` are
 * padded with 0 up to whole vectors. */
enum { CRS_TALL_MOST_RANK = 8 };
typedef struct {
    const crs_envelope_rule *rule; /* piecewise */
    double ridge;                  /* nu/(2c) */
    ptrdiff_t rank, columns, width;
    const double *y;           /* rank x width */
    const double *diagonal;    /* of Y'Y */
    const double *t;           /* the first row; `columns` apart */
    const unsigned char *mask; /* likewise; NULL: every entry is observed */
    double *x;                 /* rows x rank: the rows solved from here; of a product, solved */
    double *factor;            /* rows x rank (rank+1)/2: of each row's C */
    double *work;              /* 4 x 3 x width */
    const double *change;      /* of Y, rank x width: its product with the Hessian; NULL: solve */
    double *out;               /* rank x width, added to: H change, or sum s x */
    double *weight;            /* of a solution: width, added to: sum max(phi'', 0)/(2c) */
    double *sums;              /* of a solution: 2, added to: value/(2c), s^2 */
} crs_tall_rows;

/* Observed entries, those of one row x of the lead mode together (observed.inc). Rows of factors
 * are `stride` apart, padded with 0 up to whole vectors. */
enum { CRS_LISTED_OTHERS = CREASE_MAX_ORDER - 1 };
typedef enum { CRS_LISTED_LOOK, CRS_LISTED_SOLVE, CRS_LISTED_PRODUCT } crs_listed_task;
typedef struct {
    crs_listed_task task;
    const crs_envelope_rule *rule, *judge; /* judge: of a look; NULL: the same */
    double ridge;                          /* nu/(2c) */
    ptrdiff_t rank, stride;
    int others;             /* modes but the lead */
    const ptrdiff_t *start; /* of rows */
    const uint32_t *index;  /* entries x others */
    const double *value;
    double *rest;                            /* t - m of every entry: out, of a product in */
    double *x;                               /* rows of the lead mode: of a solution in and out */
    const double *y[CRS_LISTED_OTHERS];      /* the other factors */
    const double *change[CRS_LISTED_OTHERS]; /* of a product: of these */
    double *factor;                          /* rows x rank (rank+1)/2: of the rows' C */
    double *out[CRS_LISTED_OTHERS];          /* added to: -dF/dY, or H change */
    double *weight[CRS_LISTED_OTHERS];       /* added to: sums of s/r; of a solution of phi''+ */
    double *lead, *lead_weight;              /* of a look: rows of S M, and sums of s/r */
    double *sums;                            /* added to: CRS_ENV_SUMS of a look, or value/(2c)
                                                and s^2 */
    ptrdiff_t *histogram;                    /* of a look */
    double unit;                             /* |r| times it is counted */
    double *s, *w, *p, *u;                   /* room: of as many rows as a vector has lanes */
    double *design, *moves;                  /* likewise, times stride; not of matrices */
    double *c, *l;                           /* their systems: rank (rank+1)/2 x lanes */
    double *g, *d;                           /* rank x lanes, d twice */
    double *spare;                           /* 2 x stride */
} crs_listed_rows;
/* s = r - prox(r), w = s/r of any penalty; returns phi/(2c) */
double crs_envelope_respond(const crs_envelope_rule *a, double r, double *s, double *w);

/* The bin of a number: its exponent and the first three bits after it. */
enum { CRS_BIN_SHIFT = 49, CRS_BIN_FIRST = (1023 - 128) * 8, CRS_BIN_LAST = 2047 };

/* Principal component pursuit (rpca/pursuit/rows.inc). Listed entries by rows, column[k] and x[k]
 * for k from start[i] on, and what they are of D = dU V' + U dV':
 *     to_u += (X - D) V,  to_v += (X - D)'U,  of the entries listed alone */
typedef struct {
    ptrdiff_t rank;
    const ptrdiff_t *start;
    const int32_t *column;
    const double *x; /* NULL: 0 */
    const double *u, *v, *du, *dv;
    double *to_u, *to_v;
} crs_tangent_rows;

/* The entries with |row_j| > max(limit_j, least), in order; 0 in their place. */
typedef struct {
    ptrdiff_t n;
    double least;
    const double *limit;
    double *row;
    int32_t *column; /* room for n, and of the values */
    double *value;
    double squares; /* added to: of the others */
} crs_cut_row;

/* With c = q cut at +-at:  d = m - l + c - q,  q' = q + reach d,  c' = q' cut,
 *     to = q' - c' + part c',  x = m - q' + c' + part c' */
typedef struct {
    ptrdiff_t n;
    double at, reach, part;
    const double *m, *q, *l;
    double *to, *x;
    double moved, y, l1; /* added to: d^2, c^2, |m - l| */
} crs_pursuit_move;

typedef struct crs_pursuit_kernel {
    void (*tangent)(const crs_tangent_rows *a, ptrdiff_t first, ptrdiff_t end);
    ptrdiff_t (*cut)(crs_cut_row *a); /* how many */
    /* y += a; is some |y_j| not at most that? */
    bool (*lift)(ptrdiff_t n, const double *a, double most, double *y);
    /* x = m - q + 2 c */
    void (*point)(ptrdiff_t n, double at, const double *m, const double *q, double *x);
    void (*move)(crs_pursuit_move *a);
} crs_pursuit_kernel;

typedef struct {
    const char *name;
    ptrdiff_t block; /* widths are multiples of this */
    ptrdiff_t lanes; /* of a vector */

    /* r (4 x width) = T - v c, 0 where not observed; v is 4 x rank, c rank x width */
    void (*low_rank)(ptrdiff_t rank, const double *v, const double *c, const crs_envelope_tile *t);

    void (*envelope)(const crs_envelope_tile *t); /* from r to s, the sums */

    /* y (4 x stride) += r k; k is columns x stride, and stride a multiple of lanes */
    void (*multiply)(ptrdiff_t stride, const double *k, const crs_envelope_tile *t, double *y);

    /* w (rank x width) += v' z; v is rows x rank, z rows x width: the first `columns` of them */
    void (*collect)(ptrdiff_t rows, ptrdiff_t rank, ptrdiff_t columns, ptrdiff_t width,
                    const double *v, const double *z, double *w);

    void (*tall)(const crs_tall_rows *a, ptrdiff_t rows);

    void (*listed)(const crs_listed_rows *a, ptrdiff_t first, ptrdiff_t end);

    crs_pursuit_kernel pursuit;

    crs_weigh *weigh;
} crs_envelope_kernel;

extern const crs_cp_kernel crs_cp_kernel_base, crs_cp_kernel_avx2, crs_cp_kernel_avx512,
    crs_cp_kernel_neon;
extern const crs_cp_kernel crs_cp_kernel_base_single, crs_cp_kernel_avx2_single,
    crs_cp_kernel_avx512_single, crs_cp_kernel_neon_single;
extern const crs_envelope_kernel crs_envelope_kernel_base, crs_envelope_kernel_avx2,
    crs_envelope_kernel_avx512, crs_envelope_kernel_neon;

/* The k-th kernel this processor runs, the fastest first; NULL: no more. */
const crs_cp_kernel *crs_cp_kernel_at(bool single, int k);
const crs_envelope_kernel *crs_envelope_kernel_at(int k);

#endif
