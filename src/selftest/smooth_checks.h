/* SPDX-License-Identifier: MIT
 * smooth_checks.h: shared by the checks of couplings */
#ifndef CRS_SMOOTH_CHECKS_H
#define CRS_SMOOTH_CHECKS_H

#include "selftest/sample.h"

enum { PLACE = 64 };

typedef struct {
    double block[CRS_BLOCKS][PLACE];
} point;

typedef struct {
    const crs_smooth_sample *a;
    const crease_blocks *b;
    double *work;
} smooth_case;

static inline void pointers(const point *x, const double **p)
{
    for (int i = 0; i < CRS_BLOCKS; i++) p[i] = x->block[i];
}

static inline ptrdiff_t size(const smooth_case *c, int i) { return crease_size(&c->b->space[i]); }

static inline double value(const smooth_case *c, const point *x)
{
    const double *p[CRS_BLOCKS];
    pointers(x, p);
    return c->a->f.ops->value(&c->a->f, c->b, p, c->work);
}

/* A point of the region, blocks of norm up to their radius. */
static inline void draw_point(const smooth_case *c, draws *d, point *x)
{
    for (int i = 0; i < c->b->count; i++) {
        const ptrdiff_t n = size(c, i);
        normals(d, n, 1, x->block[i]);
        const double factor =
            c->b->radius[i] * uniform(d, 0, 1) / (1e-300 + crs_norm(n, x->block[i]));
        for (ptrdiff_t j = 0; j < n; j++) x->block[i][j] *= factor;
    }
}

/* Block minimizers, where there are any: in their ball and never beaten (smooth_argmin.c). */
void crs_check_argmin(const smooth_case *c, draws *d, crs_report *out);

#endif
