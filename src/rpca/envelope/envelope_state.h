/* SPDX-License-Identifier: MIT
 * envelope_state.h: what an evaluation works on, shared by the files envelope_*.c */
#ifndef CRS_ENVELOPE_STATE_H
#define CRS_ENVELOPE_STATE_H

#include "rpca/envelope/envelope.h"
#include "rpca/fused/state.h"

enum { CRS_ENVELOPE_PANEL = 32 }; /* rows that share one computation of Khatri-Rao rows */

/* envelope_entries.c */
crs_envelope_rule crs_envelope_rule_of(const crs_envelope_face *f, double alpha_noise);

/* What one worker needs in cache. */
typedef struct {
    double *panel;        /* CRS_ENVELOPE_PANEL x width: r, then s */
    double *rows;         /* (CRS_ENVELOPE_PANEL + 1) x rank: Khatri-Rao rows */
    double *y;            /* CRS_ENVELOPE_PANEL x stride: the panel's rows of y */
    ptrdiff_t *histogram; /* CRS_ENVELOPE_BINS */
} crs_envelope_worker;

struct crs_envelope {
    crs_envelope_settings c;
    const crs_envelope_kernel *kernel;
    crs_cp_grid grid;
    const void *T;
    double *y;              /* left x rank: S times the Khatri-Rao product of the columns */
    double *columns;        /* chunks x rank x width: that product, padded with 0 */
    double *wide;           /* right x stride: the same, each row padded with 0 */
    double *collected;      /* bands x (chunks x rank x width): the rows' one times S */
    double *w;              /* right x rank: their sum */
    double *row_weights;    /* 4 blocks: sums of w over the columns */
    double *column_weights; /* bands x (chunks x width) */
    double *sums;           /* bands x CRS_ENV_SUMS */
    double *fold, *gather;
    crs_envelope_worker *worker;
    crs_kruskal k;    /* the point at work */
    ptrdiff_t stride; /* its rank, made a multiple of a vector */
    crs_envelope_rule judge, next;
    bool same; /* judge is next */
    bool rows_wanted, columns_wanted;
    uint32_t counted; /* the histogram takes the rows whose place() is at most this */
    ptrdiff_t observed;
    void *memory;
};

static inline bool observed_at(const crs_envelope *s, ptrdiff_t j)
{
    return !s->c.mask || s->c.mask[j];
}

/* envelope_pass.c: the point, and the columns' Khatri-Rao product */
void crs_envelope_point(crs_envelope *s, ptrdiff_t rank, const double *const *factor);

static inline ptrdiff_t crs_envelope_stride(const crs_envelope_kernel *k, ptrdiff_t rank)
{
    return (rank + k->lanes - 1) / k->lanes * k->lanes;
}

/* envelope_fold.c */
void crs_envelope_fold(crs_envelope *s, crs_envelope_sums *out);

#endif
