/* SPDX-License-Identifier: MIT
 * rpca.h: inside of the room: what the panels of robust PCA share */
#ifndef CRS_REPORT_RPCA_H
#define CRS_REPORT_RPCA_H

#include "report/report.h"

typedef struct {
    crease_space shape; /* of the data; and of the model, whose modes are merged axes */
    crease_space grid;
    crs_array lowrank, sparse, residual; /* add up to the data */
    unsigned char *unseen;               /* 1: not observed; NULL: all were */
    ptrdiff_t size, observed;

    /* The factors; modes 0: there are none, or they are not those of the low-rank part. */
    int modes;
    crease_space ranks;
    crs_array factor[CREASE_MAX_ORDER], weights, core;

    /* The low-rank part as a sum of rank-one terms, weight times unit columns; terms 0: it is none.
     * Of a matrix its singular vectors. In all modes but one the largest entry is positive. */
    ptrdiff_t terms;
    double *term[CREASE_MAX_ORDER], *weight; /* grid.dim x terms; in one block of memory */
    double *scaled;                          /* term[0] times the weights */

    double deviation; /* of the noise; 0: none */
    double beyond;    /* a clear outlier is farther from the low-rank part */
    crs_array level;  /* of the noise of every index of mode `level_mode` of the grid, which */
    int level_mode;   /* both are in units of; empty: one for all */
    ptrdiff_t clear;  /* entries beyond 5 deviations */
    double fit;       /* share of the data without outliers that the low-rank part explains */
    bool video;       /* the last axis counts frames */
    int along;        /* the axis that is cut into slices */
    const char *low, *high; /* what the parts are called: "low-rank part" and "sparse part" */
    const ptrdiff_t *begin; /* the slice that is shown first; NULL: a usual one */
} crs_split;

/* Of the folder of the page: what its parts hold; free it after a failure too. */
bool crs_split_read(crs_page *p, crs_split *s, crease_error *e);
void crs_split_free(crs_split *s);

static inline crs_split *crs_split_of(const crs_page *p) { return p->own; }

/* T - L of entry k; is it an outlier that nobody doubts? */
static inline double crs_beyond(const crs_split *s, ptrdiff_t k)
{
    return s->sparse.data[k] + s->residual.data[k];
}

/* The index of entry k along axis n. */
static inline ptrdiff_t crs_index(const crease_space *s, ptrdiff_t k, int n)
{
    for (int m = s->order - 1; m > n; m--) k /= s->dim[m];
    return k % s->dim[n];
}

static inline double crs_level(const crs_split *s, ptrdiff_t k)
{
    return s->level.data ? s->level.data[crs_index(&s->grid, k, s->level_mode)] : 1;
}
static inline bool crs_is_clear(const crs_split *s, ptrdiff_t k)
{
    return s->sparse.data[k] != 0 && (!s->unseen || !s->unseen[k]) &&
           fabs(crs_beyond(s, k)) > s->beyond * crs_level(s, k);
}

/* terms.c */
bool crs_split_terms(crs_split *s, crease_error *e);
bool crs_split_is_product(const crs_split *s); /* of core and factors, as lowrank.npy has it? */

/* The name of a mode of the model: of its axes, "row and column". */
const char *crs_mode_called(const crs_page *p, int mode, char out[CRS_LABEL]);
/* The axes of a mode, from the first to before *end. */
int crs_mode_axes(const crs_split *s, int mode, int *end);

#endif
