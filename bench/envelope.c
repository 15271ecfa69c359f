/* SPDX-License-Identifier: MIT
 * envelope: what one evaluation of the CP envelope costs, against what the machine allows and
 * against a fused ADMM-g iteration
 *
 * The limit is the larger of (bytes of T) / (bandwidth of reading an array of the tensor's size)
 * and 6R flops an entry / (DGEMM), probed in turns with the evaluations on as many threads. All
 * gradients and marginals are wanted, and the histogram of one row in eight; l1, two penalties; E
 * as sparse as in cp_fused. Minima over all turns. Arguments: a size "300x300x300 10", default
 * those of the table. */
#include <stdio.h>

#include "cp_instance.h"
#include "rpca/envelope/envelope.h"

enum { ACROSS = 16, EVERY = 8 };

typedef struct {
    instance t;
    crs_memory data;
    double total[PIECES];
} subject;

/* ACROSS sums, lest the additions wait for each other */
static void read_piece(void *self, ptrdiff_t piece, int worker)
{
    subject *a = self;
    const ptrdiff_t from = piece * a->t.size / PIECES, to = (piece + 1) * a->t.size / PIECES;
    const double *x = a->t.probe[0];
    double sum[ACROSS] = { 0 };
    (void)worker;
    for (ptrdiff_t j = from; j + ACROSS <= to; j += ACROSS)
        for (int k = 0; k < ACROSS; k++) sum[k] += x[j + k];
    for (int k = 0; k < ACROSS; k++) a->total[piece] += sum[k];
}

static double read_seconds(subject *a, int threads)
{
    const double start = seconds();
    crs_parallel(threads, PIECES, read_piece, a);
    return seconds() - start;
}

typedef struct {
    crs_envelope *envelope;
    crs_envelope_sums sums;
    crs_penalty_value judge, next;
} evaluation;

static evaluation evaluation_of(subject *a, int threads)
{
    const crs_cp_settings c = settings_of(&a->t, CRS_CP_ADMM_G, threads);
    const crs_envelope_settings s = {
        .shape = c.shape, .rank = c.rank, .alpha_noise = 1, .threads = threads
    };
    evaluation v = { .sums.every = EVERY, .next = c.penalty };
    v.judge = v.next;
    v.judge.weight *= 1.5;
    crs_memory_open(&a->data, &c.shape, a->t.T, NULL);
    v.envelope = crs_envelope_new(&s, &a->data.source, NULL);
    if (!v.envelope) exit(EXIT_FAILURE);
    for (int n = 0; n < 3; n++) {
        v.sums.gradient[n] = doubles(c.shape.dim[n] * c.rank);
        v.sums.marginal[n] = doubles(c.shape.dim[n]);
    }
    return v;
}

static void evaluation_free(evaluation *v)
{
    crs_envelope_free(v->envelope);
    for (int n = 0; n < 3; n++) free(v->sums.gradient[n]), free(v->sums.marginal[n]);
}

static crs_cp_fused *admm_of(const subject *a, int threads)
{
    const crs_cp_settings c = settings_of(&a->t, CRS_CP_ADMM_G, threads);
    crs_cp_fused *f = crs_cp_fused_new(&c, a->t.T, NULL);
    if (!f || !crs_cp_fused_start(f, (const double *const *)a->t.x, a->t.T, NULL, NULL, NULL, NULL))
        exit(EXIT_FAILURE);
    for (int k = 0; k < 3; k++) crs_cp_fused_step(f);
    return f;
}

static void measure(subject *a, int threads)
{
    const instance *t = &a->t;
    const int turns = t->size > 5000000 ? 10 : t->size > 500000 ? 30 : 150;
    double eval = INFINITY, probe = INFINITY, gemm = INFINITY, step = INFINITY;
    evaluation v = evaluation_of(a, threads);
    crs_cp_fused *f = admm_of(a, threads);
    for (int k = 0; k < turns; k++) {
        double start = seconds();
        crs_envelope_evaluate(v.envelope, t->rank, (const double *const *)t->x, &v.judge, &v.next,
                              &v.sums, NULL);
        eval = least(eval, seconds() - start);
        start = seconds();
        crs_cp_fused_step(f);
        step = least(step, seconds() - start);
        probe = least(probe, read_seconds(a, threads));
        gemm = least(gemm, gemm_seconds(t));
    }
    const double bandwidth = 8 * (double)t->size / probe;
    const double peak = threads * 2.0 * GEMM * GEMM * GEMM / gemm;
    const double memory = 8 * (double)t->size / bandwidth;
    const double compute = 6 * (double)t->rank * (double)t->size / peak;
    const double limit = memory > compute ? memory : compute;
    printf("%4td x%4td x%4td %3td  %d  %8.3f ms  %5.1f GB/s  %5.1f GF/s  %8.3f ms  %3.0f %%  "
           "%8.3f ms  %4.2f\n",
           t->shape.dim[0], t->shape.dim[1], t->shape.dim[2], t->rank, threads, 1e3 * eval,
           1e-9 * bandwidth, 1e-9 * peak, 1e3 * limit, 100 * limit / eval, 1e3 * step, eval / step);
    fflush(stdout);
    crs_cp_fused_free(f);
    evaluation_free(&v);
}

static void measure_size(const ptrdiff_t *dim, ptrdiff_t rank)
{
    subject a = { 0 };
    build(&a.t, dim, rank);
    for (int threads = 1; threads <= 2; threads++) measure(&a, threads);
    destroy(&a.t);
}

int main(int argc, char **argv)
{
    static const ptrdiff_t dims[][3] = {
        { 30, 50, 70 }, { 30, 50, 70 }, { 100, 100, 100 }, { 200, 200, 200 }, { 300, 300, 300 }
    };
    static const ptrdiff_t ranks[] = { 8, 40, 10, 10, 10 };
    ptrdiff_t dim[3];
    describe_machine();
    printf("kernel: %s\n", crs_envelope_kernel_at(0)->name);
    printf("%16s %3s  %s  %11s  %10s  %10s  %11s  %5s  %11s  %s\n", "size", "R", "t", "evaluation",
           "read", "DGEMM", "limit", "", "ADMM-g", "ratio");
    if (argc == 3 && sscanf(argv[1], "%tdx%tdx%td", dim, dim + 1, dim + 2) == 3)
        measure_size(dim, atoi(argv[2]));
    else
        for (int k = 0; k < 5; k++) measure_size(dims[k], ranks[k]);
    return 0;
}
