/* SPDX-License-Identifier: MIT
 * cp_fused: what a fused iteration of robust CP costs, against what the machine allows
 *
 * The limit is the larger of (bytes streamed) / (bandwidth of a sweep that reads four arrays of
 * the tensor's size and writes two) and flops / (DGEMM), both probed in turns with the iterations
 * on as many threads; of tensors stored as float, half the bytes and twice the flops. Minima over
 * all turns; E sparse, as it is but for the first iterations. Arguments: a size "300x300x300 10",
 * default the three of the table. */
#include <stdio.h>

#include "cp_instance.h"
#include "rpca/fused/state.h"

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

/* Bytes that the two passes of a plain iteration stream when no tensor fits in cache: T, Z, B and
 * the older one are read, Z and B written, E both while it is dense, the mask read; then Z is read
 * again. */
static double traffic(const crs_cp_fused *s)
{
    const ptrdiff_t tiles = s->grid.blocks * s->grid.chunks;
    double dense = 0;
    for (ptrdiff_t k = 0; k < tiles; k++) dense += s->stored[k] < 0;
    const double streams = 4 + (s->B ? 2 : 0) + (s->has_older ? 1 : 0) + 2 * dense / (double)tiles;
    return (double)crease_size(&s->c.shape) * ((double)s->size * streams + (s->c.mask ? 1 : 0));
}

/* single: T as float; NULL: as double */
static void measure(instance *t, const float *single, int method, int threads)
{
    static const char *const name[] = { "ADMM-g", "ADMM-m", "prox BCD" };
    crs_cp_settings c = settings_of(t, method, threads);
    c.single = single;
    const int turns = t->size > 1000000 ? 8 : 60;
    double step = INFINITY, probe = INFINITY, gemm = INFINITY;
    crs_cp_fused *f = crs_cp_fused_new(&c, single ? (const void *)single : t->T, NULL);
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
    const double bytes = traffic(f), bandwidth = 6 * 8 * (double)t->size / probe;
    const double peak = (single ? 2 : 1) * threads * 2.0 * GEMM * GEMM * GEMM / gemm;
    const double memory = bytes / bandwidth, compute = 6 * (double)t->size * (double)t->rank / peak;
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
    float *single = (float *)doubles(t.size / 2 + 1);
    for (ptrdiff_t j = 0; j < t.size; j++) single[j] = (float)t.T[j];
    for (int threads = 1; threads <= 2; threads++)
        for (int k = 0; k < 6; k++) measure(&t, k % 2 ? single : NULL, k / 2, threads);
    destroy(&t);
    free(single);
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
