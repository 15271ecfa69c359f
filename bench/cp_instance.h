/* SPDX-License-Identifier: MIT
 * cp_instance.h: a robust CP problem near its solution, of order 3, and the machine's speed at it
 */
#ifndef CREASE_BENCH_CP_INSTANCE_H
#define CREASE_BENCH_CP_INSTANCE_H

#include <stdlib.h>

#include <crease/crease.h>

#include "bench.h"
#include "core/parallel.h"
#include "dense/dense.h"
#include "rpca/fused/fused.h"

enum { ARRAYS = 4, GEMM = 384, PIECES = 64 };

typedef struct {
    crease_space shape;
    ptrdiff_t rank, size;
    double *T, *x[3], *probe[ARRAYS], *matrix[3];
} instance;

static inline double *doubles(ptrdiff_t n)
{
    double *p = malloc((size_t)n * sizeof *p + (1 << 21));
    if (!p) exit(EXIT_FAILURE);
    crs_large_pages(p, (size_t)n * sizeof *p);
    for (ptrdiff_t j = 0; j < n; j++) p[j] = 1;
    return p;
}

static inline void normals(ptrdiff_t n, uint64_t stream, double *x)
{
    const crease_random r = { 1, stream };
    for (ptrdiff_t j = 0; j < n; j++) x[j] = crease_random_normal(r, (uint64_t)j);
}

static inline void build(instance *t, const ptrdiff_t *dim, ptrdiff_t rank)
{
    *t = (instance){ .shape = { 3, { dim[0], dim[1], dim[2] }, NULL }, .rank = rank };
    t->size = crease_size(&t->shape);
    t->T = doubles(t->size);
    for (int k = 0; k < ARRAYS; k++) t->probe[k] = doubles(t->size);
    for (int k = 0; k < 3; k++) {
        t->x[k] = doubles(dim[k] * rank);
        normals(dim[k] * rank, (uint64_t)k, t->x[k]);
        t->matrix[k] = doubles(GEMM * GEMM);
    }
    crs_kruskal k = { t->shape, rank, { t->x[0], t->x[1], t->x[2] } };
    double *work = doubles(crs_kruskal_scratch(&t->shape, rank));
    const crease_random r = { 2, 0 };
    for (ptrdiff_t j = 0; j < t->size; j++)
        t->T[j] = 1e-3 * (crease_random_uniform(r, (uint64_t)j) - 0.5) + (j % 997 == 0 ? 3 : 0);
    crs_reconstruct(&k, 1, t->T, work);
    free(work);
}

static inline double gemm_seconds(const instance *t)
{
    const double start = seconds();
    crs_gemm(false, false, GEMM, GEMM, GEMM, 1, t->matrix[0], t->matrix[1], 0, t->matrix[2]);
    return seconds() - start;
}

static inline double least(double a, double b) { return a < b ? a : b; }

static inline crs_cp_settings settings_of(const instance *t, int method, int threads)
{
    const ptrdiff_t *dim = t->shape.dim;
    const double widest = (double)more(dim[0], more(dim[1], dim[2]));
    crs_cp_settings c = { .shape = t->shape, .rank = t->rank, .beta = 4, .threads = threads };
    c.method = (crs_cp_method)method;
    c.beta = method == CRS_CP_ADMM_M ? 5 : 4;
    c.h_factor = c.h_sparse = c.h_z = 2;
    c.penalty.weight = 2 / sqrt(widest);
    c.alpha_noise = 1;
    c.penalty.rho = crease_l1(1).penalty;
    c.penalty.par[0] = 1;
    return c;
}

static inline void destroy(instance *t)
{
    for (int k = 0; k < 3; k++) free(t->x[k]), free(t->matrix[k]);
    for (int k = 0; k < ARRAYS; k++) free(t->probe[k]);
    free(t->T);
}

#endif
