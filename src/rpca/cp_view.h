/* SPDX-License-Identifier: MIT
 * cp_view.h: a tensor as a robust start sees it, in slabs along its first mode
 *
 *   V_j = M_j + clip(T_j - M_j, -limit, limit) where T was observed, M_j where it was not,
 *   M = 0 or a model [[X]]; of a view of the residual V - M instead */
#ifndef CRS_CP_VIEW_H
#define CRS_CP_VIEW_H

#include "tensor/tensor.h"

typedef struct {
    crease_space shape;
    const double *tensor;     /* finite where it was observed; NULL: 0 (for medians) */
    const double *mask;       /* 0: not observed; NULL: all of it was */
    double limit;             /* INFINITY: no clipping */
    const crs_kruskal *model; /* M; NULL: 0 */
    bool residual;            /* V - M */
    bool checked;             /* known to be finite */
    long *readings;           /* grows by 1 with every reading of the tensor; NULL: not counted */
} crs_cp_view;

static inline bool crs_view_observed(const crs_cp_view *v, ptrdiff_t j)
{
    return !v->mask || v->mask[j] > 0;
}

static inline void crs_view_count(const crs_cp_view *v)
{
    if (v->readings) ++*v->readings;
}

/* V = T: slabs are parts of the tensor itself. */
static inline bool crs_view_plain(const crs_cp_view *v)
{
    return !v->mask && v->limit == INFINITY && !v->residual;
}

/* How many indices of the first mode a slab has; doubles that crs_view_slab needs. */
ptrdiff_t crs_view_rows(const crs_cp_view *v);
ptrdiff_t crs_view_scratch(const crs_cp_view *v, ptrdiff_t rows);

/* Entries first .. first+count-1 of the first mode: in the tensor, or made in work. */
const double *crs_view_slab(const crs_cp_view *v, ptrdiff_t first, ptrdiff_t count, double *work);

/* A median of |T - M| over the observed entries; of an even sample of them when there are many. */
bool crs_view_median(const crs_cp_view *v, double *median, crease_error *e);
ptrdiff_t crs_view_sample(const crs_cp_view *v);
double crs_view_median_in(const crs_cp_view *v, double *work); /* of crs_view_sample() doubles */

/* Refuses a tensor with an observed entry that is not finite. */
bool crs_view_check(const crs_cp_view *v, crease_error *e);

#endif
