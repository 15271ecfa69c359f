/* SPDX-License-Identifier: MIT
 * cp_state.h: the state of a fused CP iteration, shared by the files cp_*.c */
#ifndef CRS_CP_STATE_H
#define CRS_CP_STATE_H

#include "core/parallel.h"
#include "rpca/fused/fused.h"

enum { CRS_SLOT = 16 }; /* packed values that every tile has room of its own for */
enum { CRS_CP_MOST_RANK = 1 << 20 };

/* The tensor as left x right: the columns run over the modes from `split` on, in chunks of width
 * columns; the rows in panels, the panels in bands, whose sums are added in order. */
typedef struct {
    int split;
    ptrdiff_t left, right, width, chunks, panels, bands, blocks; /* blocks of tile rows */
    ptrdiff_t panel;                                             /* rows of a panel */
    ptrdiff_t words;                                             /* of the marks of a tile's row */
} crs_cp_grid;

/* What one worker needs in cache; void: of the tensors' type. */
typedef struct {
    void *e;         /* CRS_TILE_ROWS x width; 0 between tiles */
    void *rest;      /* CRS_TILE_ROWS x block */
    void *partial;   /* rank x CRS_TILE_ROWS vectors */
    double *rows;    /* CRS_PANEL x rank: Khatri-Rao rows */
    void *narrow;    /* the same in the tensors' type */
    void *collected; /* rank x width */
    void *v;         /* rank x CRS_TILE_ROWS: a multiple of those of a tile */
} crs_cp_worker;

struct crs_cp_fused {
    crs_cp_settings c;
    const crs_cp_kernel *kernel;
    crs_cp_grid grid;
    crs_cp_rule rule, first; /* first: while `older` holds Lambda itself */
    crs_cp_rule tied;        /* after an elimination: Lambda = 2 alpha_N W o B */
    crs_cp_rule eliminated;
    const crs_cp_rule *next; /* of these, the one by which the next pass works */
    bool has_older;          /* Lambda needs a tensor besides B */
    ptrdiff_t size;          /* bytes of an entry of T, Z, B, older, E, columns */
    const void *T;
    void *Z, *B, *older, *E;
    void *slots;       /* CRS_SLOT entries a tile: the packed values of nearly empty ones */
    uint64_t *marks;   /* of the tiles of E that are compressed */
    int *stored;       /* entries of a compressed tile; -1: dense */
    double *y;         /* left x rank: Z times the Khatri-Rao product of the columns */
    void *columns;     /* that Khatri-Rao product in blocks of rank x block, padded with 0 */
    double *collected; /* bands x the same in double: the rows' one times Z */
    double *w;         /* right x rank: their sum */
    double *sums;      /* bands x CRS_SUMS */
    double *fold;      /* Khatri-Rao rows of the modes after one */
    double *factor[CREASE_MAX_ORDER], *gram[CREASE_MAX_ORDER];
    double *gather;                        /* 2 x rank for each thread */
    double *rhs, *solved, *matrix, *solve; /* of a factor's linear system */
    crs_cp_worker *worker;
    crs_cp_statistics statistics;
    double moves_before;
    double potential;      /* at the point the next step begins at */
    double noise, lambdas; /* |W o B|^2 and |Lambda|^2 there */
    long momentum;         /* accepted extrapolations since one was refused */
    double *before[CREASE_MAX_ORDER], *kept[CREASE_MAX_ORDER]; /* the factors of two iterates */
    void *memory;
};

static inline crs_kruskal kruskal_of(const crs_cp_fused *s)
{
    crs_kruskal k = { .shape = s->c.shape, .rank = s->c.rank };
    for (int n = 0; n < s->c.shape.order; n++) k.factor[n] = s->factor[n];
    return k;
}

/* Entry j of a tensor as it is stored. */
static inline void *at_entry(const crs_cp_fused *s, void *p, ptrdiff_t j)
{
    return (char *)p + j * s->size;
}
static inline double number_at(bool single, const void *p, ptrdiff_t j)
{
    return single ? (double)((const float *)p)[j] : ((const double *)p)[j];
}
static inline double entry_of(const crs_cp_fused *s, const void *p, ptrdiff_t j)
{
    return number_at(s->c.single, p, j);
}

/* cp_check.c, cp_memory.c, cp_rule.c */
bool crs_cp_check_shape(const crease_space *shape, ptrdiff_t rank, int threads, crease_error *e);
bool crs_cp_check(const crs_cp_settings *c, crease_error *e);
crs_cp_grid crs_cp_grid_of(const crease_space *s, ptrdiff_t rank, ptrdiff_t block, ptrdiff_t panel);
void crs_cp_rules(crs_cp_fused *s);

/* cp_sparse.c: t->e becomes E of a tile, in place or in e, an array of 0 that crs_cp_close
 * restores; and (not by crs_cp_look) t->marks are cleared. crs_cp_close stores E by its marks and
 * returns how many are set. */
void *crs_cp_look(const crs_cp_fused *s, ptrdiff_t tile, crs_cp_tile *t, void *e);
void crs_cp_open(const crs_cp_fused *s, ptrdiff_t tile, crs_cp_tile *t, void *e);
ptrdiff_t crs_cp_close(const crs_cp_fused *s, ptrdiff_t tile, const crs_cp_tile *t);

/* cp_gather.c: to (I_n x rank) = the sum over the rows of `table` with the same index of mode n,
 * each times the other modes' Khatri-Rao row; the table's rows run over the modes from .. to-1.
 * fold holds the Khatri-Rao rows of the modes after n; work, 2 x rank for each thread. */
typedef struct {
    crs_weigh *weigh;
    crs_kruskal k;
    int threads, from, to;
    const double *table;
    double *fold, *work;
} crs_cp_gathering;
void crs_cp_gather(const crs_cp_gathering *g, int n, double *to);

/* cp_factor.c: X_n from Z_(n) M_n, for the modes of the rows (from y) or of the columns (from w) */
void crs_cp_update_rows(crs_cp_fused *s);
void crs_cp_update_columns(crs_cp_fused *s);
void crs_cp_gram(crs_cp_fused *s, int n);

/* Its parts: rhs = Z_(n) M_n from the table of the modes from .. to-1; matrix = G_n + shift I */
void crs_cp_right_side(crs_cp_fused *s, const double *table, int from, int to, int n);
void crs_cp_gram_of_others(crs_cp_fused *s, int n, double shift);

/* cp_potential.c: at the start from what is stored, after a step from its sums */
void crs_cp_potential_start(crs_cp_fused *s, bool b, bool lambda);
void crs_cp_potential(crs_cp_fused *s);
double crs_cp_half_squares(const crs_cp_fused *s); /* (nu/2) sum |X_n|^2 */

/* cp_accelerate.c: from the iterate to a point with a potential that is no larger */
void crs_cp_accelerate(crs_cp_fused *s);

/* cp_pass.c, cp_collect.c */
void crs_cp_pass_start(crs_cp_fused *s);   /* y from Z */
void crs_cp_pass_entries(crs_cp_fused *s); /* E, Z, B by the rule `next`, then y, and the sums */
void crs_cp_pass_collect(crs_cp_fused *s); /* w from Z */
crs_cp_tile crs_cp_tile_at(const crs_cp_fused *s, ptrdiff_t row, ptrdiff_t rows, ptrdiff_t chunk);

/* The rows of a band; rows of the Khatri-Rao product of the rows' modes, in w. */
void crs_cp_band(const crs_cp_grid *g, ptrdiff_t band, ptrdiff_t *first, ptrdiff_t *end);
const double *crs_cp_row_products(const crs_cp_fused *s, const crs_cp_worker *w, ptrdiff_t row,
                                  ptrdiff_t count);
void crs_cp_column_products(const crs_cp_fused *s); /* of the columns' modes, in s->w */

#endif
