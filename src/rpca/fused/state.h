/* SPDX-License-Identifier: MIT
 * state.h: the state of a fused CP iteration, of this folder alone */
#ifndef CRS_FUSED_STATE_H
#define CRS_FUSED_STATE_H

#include "core/parallel.h"
#include "rpca/fused/fused.h"

enum { CRS_SLOT = 16 };  /* packed values that every tile has room of its own for */
enum { CRS_PANEL = 64 }; /* rows that share one computation of Khatri-Rao rows */

/* What one worker needs in cache. */
typedef struct {
    crs_stored *e;         /* CRS_TILE_ROWS x width; 0 between tiles */
    crs_stored *rest;      /* CRS_TILE_ROWS x block */
    crs_stored *partial;   /* rank x CRS_TILE_ROWS vectors */
    double *block;         /* CRS_TILE_ROWS x padded: rows of y */
    double *rows;          /* CRS_PANEL x rank: Khatri-Rao rows */
    crs_stored *narrow;    /* the same in the tensors' type */
    crs_stored *collected; /* rank x width */
    crs_stored *v;         /* rank x CRS_TILE_ROWS: a multiple of those of a tile */
} crs_cp_worker;

struct crs_cp_fused {
    crs_cp_settings c;
    const crs_cp_kernel *kernel;
    crs_cp_grid grid;
    ptrdiff_t words;         /* of the marks of a tile's row */
    crs_cp_rule rule, first; /* first: while `older` holds Lambda itself */
    crs_cp_rule tied;        /* after an elimination: Lambda = 2 alpha_N W o B */
    crs_cp_rule eliminated;
    const crs_cp_rule *next; /* of these, the one by which the next pass works */
    bool has_older;          /* Lambda needs a tensor besides B */
    ptrdiff_t size;          /* bytes of an entry of T, Z, B, older, E, columns */
    const crs_stored *T;
    crs_stored *Z, *B, *older, *E;
    crs_stored *slots;   /* CRS_SLOT entries per tile: the packed values of nearly empty ones */
    uint64_t *marks;     /* of the tiles of E that are compressed */
    int *stored;         /* entries of a compressed tile; -1: dense */
    double *y;           /* left x rank: Z times the Khatri-Rao product of the columns */
    crs_stored *columns; /* that Khatri-Rao product in blocks of rank x block, padded with 0 */
    crs_stored *k;       /* the same row by row, each padded with 0 to whole vectors */
    ptrdiff_t padded;    /* numbers of such a row; 0: there is no k */
    double *collected;   /* bands x the same in double: the rows' one times Z */
    double *w;           /* right x rank: their sum */
    double *sums;        /* bands x CRS_SUMS */
    double *fold;        /* Khatri-Rao rows of the modes after one */
    double *factor[CREASE_MAX_ORDER], *gram[CREASE_MAX_ORDER];
    double *gather;               /* 2 x rank for each thread */
    double *rhs, *matrix, *solve; /* of a factor's linear system */
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
static inline crs_stored *at_entry(const crs_cp_fused *s, crs_stored *p, ptrdiff_t j)
{
    return (char *)p + j * s->size;
}
static inline double entry_of(const crs_cp_fused *s, const crs_stored *p, ptrdiff_t j)
{
    return s->c.single ? (double)((const float *)p)[j] : ((const double *)p)[j];
}

/* The tiles of E (sparse.c): t->e becomes E of a tile, in place or in e, an array of 0 that
 * crs_sparse_close restores; `anew`: t->marks are cleared. crs_sparse_close stores E by its marks
 * and returns how many are set. */
crs_stored *crs_sparse_open(const crs_cp_fused *s, ptrdiff_t tile, crs_cp_tile *t, crs_stored *e,
                            bool anew);
ptrdiff_t crs_sparse_close(const crs_cp_fused *s, ptrdiff_t tile, const crs_cp_tile *t);

#endif
