/* SPDX-License-Identifier: MIT
 * engine: what an iteration costs beyond its matrix-vector products
 *
 *     minimize  SCAD(x_1) + SCAD(x_2) + (1/2)|u|^2   subject to  A_1 x_1 + A_2 x_2 + u = b
 *
 * by ADMM-g, the A_i dense. An iteration needs one product with each A_i and one with each A_i',
 * and one more with each A_i when it extrapolates: the same BLAS calls on the same data, timed in
 * turns with the iterations, are the yardstick. Minima over all turns. */
#include <stdio.h>
#include <stdlib.h>

#include <crease/crease.h>

#include "bench.h"
#include "core/core.h"
#include "dense/dense.h"

enum { MAPS = 2 };

static long allocations; /* of the library, which takes these in place of core/alloc.c */
void *crs_alloc(size_t count, size_t size)
{
    return allocations++, calloc(count ? count : 1, size);
}
void *crs_resize(void *p, size_t count, size_t size)
{
    return allocations++, realloc(p, count && size ? count * size : 1);
}
void crs_free(void *p) { free(p); }

static long applied, adjoined;

static void apply(const crease_map *A, const crease_space *dom, const crease_space *ran, double a,
                  const double *x, double *y, double *work)
{
    (void)work;
    applied++;
    crs_gemv(false, crease_size(ran), crease_size(dom), a, A->data, x, 1, y);
}

static void adjoint(const crease_map *A, const crease_space *dom, const crease_space *ran, double a,
                    const double *y, double *x, double *work)
{
    (void)work;
    adjoined++;
    crs_gemv(true, crease_size(ran), crease_size(dom), a, A->data, y, 1, x);
}

typedef struct {
    ptrdiff_t m, n;
    double *A[MAPS], *b, *x, *y, *work;
    crease_map_ops counted;
    crease_space space[MAPS + 1];
    crease_block block[MAPS + 1];
    crease_distance_data half_square;
    crease_problem problem;
} instance;

static double *normals(ptrdiff_t n, uint64_t stream)
{
    const crease_random r = { 1, stream };
    double *v = malloc((size_t)n * sizeof *v);
    if (!v) exit(EXIT_FAILURE);
    for (ptrdiff_t j = 0; j < n; j++) v[j] = crease_random_normal(r, (uint64_t)j);
    return v;
}

static void build(instance *t, ptrdiff_t m, ptrdiff_t n)
{
    *t = (instance){ .m = m, .n = n, .b = normals(m, 9), .x = normals(n, 8), .y = normals(m, 7) };
    t->counted = *crease_dense(NULL).ops;
    t->counted.apply = apply;
    t->counted.adjoint = adjoint;
    for (int i = 0; i < MAPS; i++) {
        t->A[i] = normals(m * n, (uint64_t)i);
        t->space[i] = crease_vector(n);
        t->block[i].reg = crease_scad(1, 3.7);
        t->block[i].map = (crease_map){ .ops = &t->counted, .data = t->A[i] };
    }
    t->space[MAPS] = crease_vector(m);
    t->block[MAPS].map = crease_identity(1);
    t->half_square = (crease_distance_data){ .a = MAPS, .b = -1, .weight = 1 };
    t->problem = (crease_problem){ .count = MAPS + 1,
                                   .space = t->space,
                                   .block = t->block,
                                   .f = crease_squared_distance(&t->half_square),
                                   .range = t->space[MAPS],
                                   .rhs = t->b };
    t->work = malloc((size_t)crease_certify_scratch(&t->problem) * sizeof *t->work);
}

static void destroy(instance *t)
{
    for (int i = 0; i < MAPS; i++) free(t->A[i]);
    free(t->b), free(t->x), free(t->y), free(t->work);
}

/* The products that one iteration cannot do without. */
static double products(const instance *t, bool accelerate)
{
    const double begun = seconds();
    for (int i = 0; i < MAPS && accelerate; i++)
        crs_gemv(false, t->m, t->n, 1e-9, t->A[i], t->x, 1, t->y);
    for (int i = 0; i < MAPS; i++) {
        crs_gemv(true, t->m, t->n, 1e-9, t->A[i], t->y, 1, t->x);
        crs_gemv(false, t->m, t->n, 1e-9, t->A[i], t->x, 1, t->y);
    }
    return seconds() - begun;
}

static double certificate(const instance *t, const crease_solver *s)
{
    const double *x[MAPS + 1];
    crease_residual residuals[MAPS + 1];
    crease_certificate c = { .block = residuals };
    for (int i = 0; i <= MAPS; i++) x[i] = crease_solution(s, i);
    const double begun = seconds();
    crease_certify(&t->problem, x, crease_multiplier(s), &c, t->work);
    return seconds() - begun;
}

static crease_solver *start(const instance *t, bool accelerate)
{
    crease_error e;
    crease_options o = crease_options_default();
    o.method = CREASE_METHOD_ADMM_G;
    o.accelerate = accelerate;
    o.eps = 0;
    o.max_iterations = o.certify_every = 2000000000;
    crease_solver *s = crease_solver_new(&t->problem, &o, &e);
    if (!s) {
        fprintf(stderr, "%s\n", e.text);
        exit(EXIT_FAILURE);
    }
    crease_step(s);
    return s;
}

/* Prints one row; returns the ratio. */
static double measure(ptrdiff_t m, ptrdiff_t n, bool accelerate, long *steps, long *allocated)
{
    instance t;
    double step = INFINITY, bare = INFINITY, certify = INFINITY;
    build(&t, m, n);
    crease_solver *s = start(&t, accelerate);
    const int turns = (int)clip(4e8 / ((double)m * (double)n), 50, 4000);
    const long before = allocations;
    long forward = 0, back = 0;
    for (int k = 0; k < turns; k++) {
        applied = adjoined = 0;
        const double begun = seconds();
        crease_step(s);
        step = smaller(step, seconds() - begun);
        forward = applied, back = adjoined;
        bare = smaller(bare, products(&t, accelerate));
        if (k % 5 == 0) certify = smaller(certify, certificate(&t, s));
    }
    *steps += turns;
    *allocated += allocations - before;
    printf("%5td x %-5td %-6s %9.1f %6ld+%-4ld %9.1f %8.2f %10.2f\n", m, n,
           accelerate ? "fast" : "plain", 1e6 * step, forward, back, 1e6 * bare, step / bare,
           certify / step);
    crease_solver_free(s);
    destroy(&t);
    return step / bare;
}

int main(void)
{
    const ptrdiff_t size[][2] = { { 2000, 1000 }, { 1000, 1000 }, { 500, 1000 }, { 400, 200 } };
    double worst = 0;
    long steps = 0, allocated = 0;
    describe_machine();
    printf(
        "\nADMM-g, three blocks, two dense maps; fast: with extrapolation; minima of all turns\n");
    printf("%13s %-6s %9s %11s %9s %8s %10s\n", "maps", "", "step us", "A + A'", "alone us",
           "ratio", "certify");
    for (size_t k = 0; k < sizeof size / sizeof *size; k++)
        worst = larger(worst, measure(size[k][0], size[k][1], false, &steps, &allocated));
    measure(2000, 1000, true, &steps, &allocated);
    measure(400, 200, true, &steps, &allocated);
    printf("\n%-52s %9s %9s\n", "", "target", "reached");
    printf("%-52s %9s %9.2f\n", "plain iteration / its products alone, worst size", "<= 1.30",
           worst);
    printf("allocations in %5ld %-31s %9d %9ld\n", steps, "iterations", 0, allocated);
    return 0;
}
