/* SPDX-License-Identifier: MIT
 * spca: how often sparse PCA finds the support of a planted term exactly, against the noise
 *
 * T = u o v o w + noise N(0,1) on 20 x 20 x 20, four entries +-1/2 a vector, 100 instances. */
#include <math.h>
#include <stdio.h>

#include <crease/crease.h>

#include "bench.h"

enum { ORDER = 3, SIDE = 20, NONZEROS = 4, INSTANCES = 100 };

typedef struct {
    double T[SIDE][SIDE][SIDE], u[ORDER][SIDE];
} instance;

static void draw(instance *p, uint64_t seed, double noise)
{
    const crease_random values = { seed, 1 };
    *p = (instance){ .u = { { 0 } } };
    for (int n = 0; n < ORDER; n++) {
        const crease_random places = { seed, (uint64_t)(10 + n) };
        ptrdiff_t at[NONZEROS];
        crease_random_sample(places, SIDE, NONZEROS, at);
        for (int k = 0; k < NONZEROS; k++)
            p->u[n][at[k]] = crease_random_normal(places, (uint64_t)(100 + k)) < 0 ? -0.5 : 0.5;
    }
    for (int i = 0, index = 0; i < SIDE; i++)
        for (int j = 0; j < SIDE; j++)
            for (int k = 0; k < SIDE; k++, index++)
                p->T[i][j][k] = p->u[0][i] * p->u[1][j] * p->u[2][k] +
                                noise * crease_random_normal(values, (uint64_t)index);
}

typedef struct {
    int exact, valid, zero;
    long iterations;
    double seconds;
} tally;

static void count(const instance *p, const crease_spca_component *c, tally *t)
{
    bool exact = true;
    for (int n = 0; n < ORDER; n++)
        for (int j = 0; j < SIDE; j++) exact = exact && (c->x[n][j] != 0) == (p->u[n][j] != 0);
    t->exact += exact;
    t->valid += c->verdict == CREASE_VERDICT_VALID;
    t->zero += c->zero;
    t->iterations += c->iterations;
    t->seconds += c->seconds;
}

/* estimated: four times the noise that is measured in T */
static tally recover(double noise, bool estimated, crease_method method)
{
    const crease_space shape = { .order = ORDER, .dim = { SIDE, SIDE, SIDE } };
    static instance p;
    tally t = { 0 };
    for (uint64_t seed = 0; seed < INSTANCES; seed++) {
        crease_spca_settings s = crease_spca_default(&shape);
        crease_options o = crease_options_default();
        crease_spca_component c;
        draw(&p, seed, noise);
        o.method = method, o.relative = 1;
        if (estimated && crease_spca_noise(&shape, p.T[0][0], &s.threshold, NULL)) s.threshold *= 4;
        crease_spca *m = crease_spca_new(&s, p.T[0][0], NULL);
        if (m && crease_spca_next(m, &o, &c, NULL)) count(&p, &c, &t);
        crease_spca_free(m);
    }
    return t;
}

int main(void)
{
    static const double noise[] = { 0.01, 0.02, 0.025, 0.03, 0.04, 0.05 };
    static const char *const name[] = { "auto, prox-bcd", "auto, gcg", "noise, prox-bcd",
                                        "noise, gcg" };
    describe_machine();
    printf("\n%-18s %7s %7s %7s %7s %12s %12s\n", "alpha, method", "noise", "exact", "VALID",
           "zero", "iterations", "ms");
    for (int kind = 0; kind < 4; kind++)
        for (size_t k = 0; k < sizeof noise / sizeof *noise; k++) {
            const tally t =
                recover(noise[k], kind >= 2, kind % 2 ? CREASE_METHOD_GCG : CREASE_METHOD_PROX_BCD);
            printf("%-18s %7g %7d %7d %7d %12.1f %12.2f\n", name[kind], noise[k], t.exact, t.valid,
                   t.zero, (double)t.iterations / INSTANCES, 1e3 * t.seconds / INSTANCES);
        }
    return 0;
}
