/* SPDX-License-Identifier: MIT
 * cp_fused: what a fused iteration of robust CP costs, against what the machine allows
 *
 * The limit is the larger of (bytes streamed) / (bandwidth of a sweep that reads four arrays of
 * the tensor's size and writes two) and flops / (DGEMM), both probed in turns with the iterations
 * on as many threads; of tensors stored as float, half the bytes and twice the flops. Minima over
 * all turns; E sparse, as it is but for the first iterations. Arguments: a size "300x300x300 10",
 * default the three of the table. */
#include <stdio.h>
#include <stdlib.h>

#include <crease/crease.h>

#include "bench.h"
#include "dense/dense.h"
#include "model/cp_fused.h"
#include "model/parallel.h"

enum { ARRAYS = 4, GEMM = 384, PIECES = 64 };

typedef struct {
    crease_space shape;
    ptrdiff_t rank, size;
    double *T, *x[3], *probe[ARRAYS], *matrix[3];
    float *single; /* T */
} instance;

static double *doubles(ptrdiff_t n)
{
    double *p = malloc((size_t)n * sizeof *p + (1 << 21));
    if (!p) exit(EXIT_FAILURE);
    crs_large_pages(p, (size_t)n * sizeof *p);
    for (ptrdiff_t j = 0; j < n; j++) p[j] = 1;
    return p;
}

static void normals(ptrdiff_t n, uint64_t stream, double *x)
{
    const crease_random r = { 1, stream };
    for (ptrdiff_t j = 0; j < n; j++) x[j] = crease_random_normal(r, (uint64_t)j);
}

static void build(instance *t, const ptrdiff_t *dim, ptrdiff_t rank)
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
    t->single = (float *)doubles(t->size / 2 + 1);
    for (ptrdiff_t j = 0; j < t->size; j++) t->single[j] = (float)t->T[j];
}

/* Four reads and two writes an entry, as pass A of ADMM-g does. */
static void sweep(void *self, ptrdiff_t piece, int worker)
{
    const instance *t = self;
    const ptrdiff_t from = piece * t->size / PIECES, to = (piece + 1) * t->size / PIECES;
    double *a = t->probe[0], *b = t->probe[1], *c = t->probe[2], *d = t->probe[3];
    (void)worker;
    for (ptrdiff_t j = from; j < to; j++) {
        const double s = a[j] + 0.5 * (c[j] + d[j]);
        a[j] = 0.3 * s;
        b[j] = s - b[j];
    }
}

static double sweep_seconds(instance *t, int threads)
{
    const double start = seconds();
    crs_parallel(threads, PIECES, sweep, t);
    return seconds() - start;
}

static double gemm_seconds(const instance *t)
{
    const double start = seconds();
    crs_gemm(false, false, GEMM, GEMM, GEMM, 1, t->matrix[0], t->matrix[1], 0, t->matrix[2]);
    return seconds() - start;
}

static double least(double a, double b) { return a < b ? a : b; }

static crs_cp_settings settings_of(const instance *t, int method, bool single, int threads)
{
    const ptrdiff_t *dim = t->shape.dim;
    const double widest = (double)more(dim[0], more(dim[1], dim[2]));
    crs_cp_settings c = { .shape = t->shape, .rank = t->rank, .beta = 4, .threads = threads };
    c.method = (crs_cp_method)method;
    c.single = single;
    c.beta = method == CRS_CP_ADMM_M ? 5 : 4;
    c.h_factor = c.h_sparse = c.h_z = 2;
    c.alpha = 2 / sqrt(widest);
    c.alpha_noise = 1;
    c.penalty = crease_l1(1).penalty;
    c.par[0] = 1;
    return c;
}

static void measure(instance *t, int method, bool single, int threads)
{
    static const char *const name[] = { "ADMM-g", "ADMM-m", "prox BCD" };
    const crs_cp_settings c = settings_of(t, method, single, threads);
    const int turns = t->size > 1000000 ? 8 : 60;
    double step = INFINITY, probe = INFINITY, gemm = INFINITY;
    crs_cp_fused *f = crs_cp_fused_new(&c, single ? (const void *)t->single : t->T, NULL);
    if (!f || !crs_cp_fused_start(f, (const double *const *)t->x, t->T, NULL, NULL, NULL, NULL))
        exit(EXIT_FAILURE);
    for (int k = 0; k < 3; k++) crs_cp_fused_step(f);
    for (int k = 0; k < turns; k++) {
        const double start = seconds();
        crs_cp_fused_step(f);
        step = least(step, seconds() - start);
        if (k % 2 == 0) probe = least(probe, sweep_seconds(t, threads));
        gemm = least(gemm, gemm_seconds(t));
    }
    const double bytes = crs_cp_fused_traffic(f), bandwidth = 6 * 8 * (double)t->size / probe;
    const double peak = (single ? 2 : 1) * threads * 2.0 * GEMM * GEMM * GEMM / gemm;
    const double memory = bytes / bandwidth, compute = crs_cp_fused_flops(f) / peak;
    const double limit = memory > compute ? memory : compute;
    printf(
        "%4td x%4td x%4td %3td  %-8s %s  %d  %8.3f ms  %7.1f MB  %5.1f GB/s  %5.1f GF/s  %8.3f ms  "
        "%3.0f %%\n",
        t->shape.dim[0], t->shape.dim[1], t->shape.dim[2], t->rank, name[method],
        single ? "float " : "double", threads, 1e3 * step, 1e-6 * bytes, 1e-9 * bandwidth,
        1e-9 * peak, 1e3 * limit, 100 * limit / step);
    crs_cp_fused_free(f);
}

static void measure_size(const ptrdiff_t *dim, ptrdiff_t rank)
{
    instance t;
    build(&t, dim, rank);
    for (int threads = 1; threads <= 2; threads++)
        for (int k = 0; k < 6; k++) measure(&t, k / 2, k % 2, threads);
    for (int k = 0; k < 3; k++) free(t.x[k]), free(t.matrix[k]);
    for (int k = 0; k < ARRAYS; k++) free(t.probe[k]);
    free(t.T), free(t.single);
}

int main(int argc, char **argv)
{
    static const ptrdiff_t dims[][3] = { { 30, 50, 70 }, { 100, 100, 100 }, { 300, 300, 300 } };
    static const ptrdiff_t ranks[] = { 40, 10, 10 };
    ptrdiff_t dim[3];
    describe_machine();
    printf("kernel: %s\n", crs_cp_kernel_at(false, 0)->name);
    printf("%16s %3s  %-8s %-6s  %s  %11s  %10s  %10s  %10s  %11s\n", "size", "R", "method",
           "stored", "t", "iteration", "streamed", "bandwidth", "DGEMM", "limit");
    if (argc == 3 && sscanf(argv[1], "%tdx%tdx%td", dim, dim + 1, dim + 2) == 3)
        measure_size(dim, atoi(argv[2]));
    else
        for (int k = 0; k < 3; k++) measure_size(dims[k], ranks[k]);
    return 0;
}
