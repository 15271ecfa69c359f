/* SPDX-License-Identifier: MIT
 * solve: time to a certified relative 1e-6, one thread, by the envelope and by proximal ADMM-g of
 * the fused engine: each on its own, from its own start, where the envelope also learns its
 * threshold and the other is given it; then both from the same start and with the same alpha
 *
 * Arguments: "30x50x70" RANK TURNS LIMIT [FOLDER]: ADMM-g gets LIMIT seconds, 0: only the envelope
 * on its own; the tensor, the starts and alpha go to raw files of the folder. In turns; minima over
 * the turns. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <crease/crease.h>

#include "bench.h"
#include "rpca/rpca.h"
#include "rpca/start.h"

enum { OWN = -1, GEVD, RANDOM, STARTS };

typedef struct {
    crease_space shape;
    ptrdiff_t rank, size;
    double *T;
    double *start[STARTS][CREASE_MAX_ORDER];
    double alpha, limit;
} subject;

typedef struct {
    double seconds, residual;
    long readings, iterations;
} figures;

static double *doubles(ptrdiff_t n)
{
    double *p = crs_doubles(n, "a tensor", NULL);
    if (!p) exit(EXIT_FAILURE);
    return p;
}

/* The paper's instances: outliers in 0.001 of the entries, noise of 0.001. */
static void generate(subject *a)
{
    const crease_random places = { 1, CRS_STREAM_PLACES }, outliers = { 1, CRS_STREAM_OUTLIERS },
                        noise = { 1, CRS_STREAM_NOISE };
    double *x[CREASE_MAX_ORDER];
    a->size = crease_size(&a->shape);
    a->T = doubles(a->size);
    for (int n = 0; n < a->shape.order; n++) {
        x[n] = doubles(a->shape.dim[n] * a->rank);
        crs_normals(1, (uint64_t)n, a->shape.dim[n] * a->rank, x[n]);
    }
    if (!crease_cp_lowrank(&a->shape, a->rank, (const double *const *)x, a->T, NULL))
        exit(EXIT_FAILURE);
    for (ptrdiff_t j = 0; j < a->size; j++) {
        a->T[j] += 1e-3 * crease_random_normal(noise, (uint64_t)j);
        if (crease_random_uniform(places, (uint64_t)j) < 1e-3)
            a->T[j] += crease_random_normal(outliers, (uint64_t)j);
    }
    for (int n = 0; n < a->shape.order; n++) crs_free(x[n]);
}

static void make_starts(subject *a)
{
    crs_memory data;
    const crs_cp_view v = { .shape = a->shape, .source = &data.source, .limit = INFINITY };
    crs_memory_open(&data, &a->shape, a->T, NULL);
    const crs_cp_gevd_options o = { .rank = a->rank };
    for (int n = 0; n < a->shape.order; n++) {
        const ptrdiff_t size = a->shape.dim[n] * a->rank;
        for (int k = 0; k < STARTS; k++) a->start[k][n] = doubles(size);
        crs_normals(2, (uint64_t)n, size, a->start[RANDOM][n]);
    }
    if (!crs_cp_start_of(&v, &o, 0, a->start[GEVD], NULL)) exit(EXIT_FAILURE);
}

/* The first run is the envelope's own, which learns alpha. */
static figures run(subject *a, bool envelope, int start)
{
    crease_cp_fit_settings s = crease_cp_fit_default(&a->shape, a->rank);
    crease_error e = { 0 };
    s.threads = 1;
    const bool learns = envelope && start == OWN;
    s.learn = learns ? 3 : 0;
    s.run.method = envelope ? CREASE_METHOD_ENVELOPE : CREASE_METHOD_ADMM_G;
    s.run.max_iterations = 1000000;
    s.run.max_seconds = a->limit;
    if (!learns) s.model.alpha = a->alpha;
    if (start != OWN) s.model.factor = (const double *const *)a->start[start];
    const double begun = seconds();
    crease_cp_fit *f = crease_cp_fit_new(&s, a->T, &e);
    if (!f) fprintf(stderr, "%s\n", e.text), exit(EXIT_FAILURE);
    crease_cp_fit_run(f);
    const figures out = { seconds() - begun, crease_cp_fit_certificate(f)->worst_relative,
                          crease_cp_fit_readings(f),
                          crease_cp_fit_report(f).iterations + crease_cp_fit_pilot(f).passes };
    const crease_cp_rpca_settings used = crease_cp_fit_used(f).model; /* alpha lambda |E|_1 */
    if (learns) a->alpha = used.alpha * used.penalty.par[0];
    crease_cp_fit_free(f);
    return out;
}

static void write_to(const char *folder, const char *name, ptrdiff_t n, const double *x)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "wb");
    if (!f || fwrite(x, sizeof *x, (size_t)n, f) != (size_t)n || fclose(f) != 0) exit(EXIT_FAILURE);
}

static void dump(const subject *a, const char *folder)
{
    char name[32];
    write_to(folder, "T", a->size, a->T);
    write_to(folder, "alpha", 1, &a->alpha);
    for (int k = 0; k < STARTS; k++)
        for (int n = 0; n < a->shape.order; n++) {
            snprintf(name, sizeof name, "start_%d_%d", k, n);
            write_to(folder, name, a->shape.dim[n] * a->rank, a->start[k][n]);
        }
}

static void keep(figures *best, figures now, bool first)
{
    if (first || now.seconds < best->seconds) *best = now;
}

static void print(const char *what, int start, const figures *f)
{
    static const char *const name[] = { "own", "gevd", "random" };
    printf("%s %s %.6f %ld %ld %.3e\n", what, name[start + 1], f->seconds, f->readings,
           f->iterations, f->residual);
}

int main(int argc, char **argv)
{
    subject a = { .shape = { .order = 0 } };
    if (argc < 5) return fprintf(stderr, "solve 30x50x70 RANK TURNS LIMIT [FOLDER]\n"), 1;
    describe_machine();
    for (char *at = strtok(argv[1], "x"); at; at = strtok(NULL, "x"))
        a.shape.dim[a.shape.order++] = strtol(at, NULL, 10);
    a.rank = strtol(argv[2], NULL, 10);
    a.limit = strtod(argv[4], NULL);
    generate(&a);
    make_starts(&a);
    for (int start = OWN; start < (a.limit > 0 ? STARTS : 0); start++) {
        figures envelope = { 0 }, admm = { 0 };
        const double limit = a.limit;
        for (int turn = 0; turn < strtol(argv[3], NULL, 10); turn++) {
            a.limit = 600;
            keep(&envelope, run(&a, true, start), turn == 0);
            a.limit = limit;
            if (limit > 0) keep(&admm, run(&a, false, start), turn == 0);
        }
        print("envelope", start, &envelope);
        if (limit > 0) print("admm-g", start, &admm);
        fflush(stdout);
    }
    if (argc > 5) dump(&a, argv[5]);
    return 0;
}
