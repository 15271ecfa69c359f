/* SPDX-License-Identifier: MIT
 * cp_example.h: a robust CP problem with a start, for the plain iterations and the fused ones */
#ifndef CREASE_TEST_CP_EXAMPLE_H
#define CREASE_TEST_CP_EXAMPLE_H

#include "support/cp_naive.h"

static inline void naive_free(naive *a)
{
    free(a->T), free(a->Z), free(a->E), free(a->B), free(a->lambda), free(a->mask);
    for (int n = 0; n < a->c.shape.order; n++) free(a->x[n]);
}

/* Low rank plus outliers plus noise, and a start somewhere; lambda fits an exact last step. */
static inline naive naive_make(const crs_cp_settings *c, bool masked, draws *d)
{
    naive a = { .c = *c, .size = crease_size(&c->shape) };
    double **const tensors[] = { &a.T, &a.Z, &a.E, &a.B, &a.lambda };
    for (int k = 0; k < 5; k++) *tensors[k] = some(a.size);
    for (int n = 0; n < c->shape.order; n++) {
        const ptrdiff_t size = c->shape.dim[n] * c->rank;
        a.x[n] = some(size);
        for (ptrdiff_t k = 0; k < size; k++) a.x[n][k] = normal(d);
    }
    if (masked) a.mask = malloc((size_t)a.size);
    for (ptrdiff_t j = 0; j < a.size; j++) {
        a.T[j] = low_rank(&a, j) + 0.1 * normal(d);
        if (uniform(d, 0, 1) < 0.1) a.T[j] += 10 * normal(d);
        if (masked) a.mask[j] = uniform(d, 0, 1) < 0.8;
        a.Z[j] = normal(d);
        a.B[j] = normal(d);
        if (uniform(d, 0, 1) < 0.3) a.E[j] = normal(d);
        const double w = masked && !a.mask[j] ? 0 : 1;
        const bool exact =
            c->method == CRS_CP_ADMM_M && (c->ell == 0 || c->ell == 2 * c->alpha_noise);
        a.lambda[j] = exact ? 2 * c->alpha_noise * w * a.B[j] : normal(d);
    }
    for (int n = 0; n < c->shape.order; n++)
        for (ptrdiff_t k = 0; k < c->shape.dim[n] * c->rank; k++) a.x[n][k] += 0.3 * normal(d);
    a.c.mask = a.mask;
    return a;
}

static inline crs_cp_fused *fused_of(const naive *a)
{
    crease_error e = { CREASE_OK, "" };
    crs_cp_fused *f = crs_cp_fused_new(&a->c, a->T, &e);
    if (!f) fail_msg("%s", e.text);
    if (!crs_cp_fused_start(f, (const double *const *)a->x, a->Z, a->E, a->B, a->lambda, &e))
        fail_msg("%s", e.text);
    return f;
}

#endif
