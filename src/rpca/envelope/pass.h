/* SPDX-License-Identifier: MIT
 * pass.h: the pass over one slab, for evaluate.c, which goes over all of them */
#ifndef CRS_ENVELOPE_PASS_H
#define CRS_ENVELOPE_PASS_H

#include "core/carve.h"
#include "rpca/envelope/envelope.h"

/* What one worker needs in cache. */
typedef struct {
    double *panel;        /* PANEL x width: r, then s */
    double *rows;         /* (PANEL + 1) x rank: Khatri-Rao rows */
    double *y;            /* PANEL x stride: the panel's rows of y */
    ptrdiff_t *histogram; /* CRS_ENVELOPE_BINS */
} worker_room;

/* The pass over one slab. */
typedef struct {
    crs_envelope_settings c; /* its shape is the slab's */
    const crs_envelope_kernel *kernel;
    crs_cp_grid grid;
    const double *T;
    const unsigned char *mask; /* W; NULL: all observed */
    ptrdiff_t before;          /* rows of the tensor before the slab */
    double *y;                 /* left x rank: S times the Khatri-Rao product of the columns */
    double *columns;           /* chunks x rank x width: that product, padded with 0 */
    double *wide;              /* right x stride: the same, each row padded with 0 */
    double *collected;         /* bands x (chunks x rank x width): the rows' one times S */
    double *w;                 /* right x rank: their sum */
    double *row_weights;       /* 4 blocks: sums of w over the columns */
    double *column_weights;    /* bands x (chunks x width) */
    double *sums;              /* bands x CRS_ENV_SUMS */
    double *fold, *gather;
    worker_room *worker;
    bool several;           /* the slab is one among several: */
    crs_envelope_sums *out; /* its share */
    double *gradient[CREASE_MAX_ORDER], *marginal[CREASE_MAX_ORDER];
    crs_kruskal k;    /* the point of the pass */
    ptrdiff_t stride; /* its rank, made a multiple of a vector */
    crs_envelope_rule judge, next;
    bool same; /* judge is next */
    bool rows_wanted, columns_wanted;
    uint32_t counted; /* the histogram takes the rows whose place() is at most this */
    double unit;      /* of the histogram's edges, 1 <= unit < 2 */
    void *memory;
} crs_envelope_piece;

/* What is asked for. */
typedef struct {
    crs_envelope_settings c;
    crs_kruskal k;
    crs_penalty_value judge, next;
    bool same;                                                   /* judge is next */
    bool gradient[CREASE_MAX_ORDER], marginal[CREASE_MAX_ORDER]; /* are wanted */
    int every;                                                   /* of the sums */
    double unit;
} crs_envelope_request;

/* Everything but memory; returns the bytes of its block, < 0 with the reason in e. several: a slab
 * among others, whose share is kept in `out`. */
ptrdiff_t crs_envelope_plan(crs_envelope_piece *s, const crs_envelope_settings *c, bool several,
                            crease_error *e);
bool crs_envelope_give_memory(crs_envelope_piece *s, ptrdiff_t bytes, crease_error *e);

/* The slab that the pass is over; the factors are rows of the whole ones. */
void crs_envelope_look_at(crs_envelope_piece *s, const crs_slab *slab);

/* Everything of one slab but how many entries were observed */
void crs_envelope_pass(crs_envelope_piece *s, const crs_envelope_request *r, const crs_kruskal *k,
                       crs_envelope_sums *out);

/* A part of it */
void crs_envelope_read_slab(crs_envelope_piece *s, const crs_penalty_value *penalty,
                            const crs_kruskal *k, crs_cp_part part, double *out);

#endif
