/* SPDX-License-Identifier: MIT
 * tucker_planted.h: a tensor with a known Tucker part, its fit, and stationarity by plain sums */
#ifndef CREASE_TEST_TUCKER_PLANTED_H
#define CREASE_TEST_TUCKER_PLANTED_H

#include "reg/reg.h"
#include "rpca/tucker/tucker.h"
#include "support/test.h"

enum { MOST = 12000, LARGEST = 800 };

typedef struct {
    crease_space shape, ranks;
    double truth[MOST], T[MOST], found[MOST];
    double factor[4][LARGEST], core[LARGEST];
} planted;

static inline void reconstruct(const crease_space *shape, const crease_space *ranks,
                               const double *core, const double *const *factor, double *out)
{
    crs_tucker k = { .shape = *shape, .ranks = *ranks, .core = core };
    for (int n = 0; n < shape->order; n++) k.factor[n] = factor[n];
    double *work = test_malloc(sizeof(double) * (size_t)crs_tucker_scratch(shape, ranks));
    fill(crease_size(shape), 0, out);
    crs_tucker_reconstruct(&k, 1, out, work);
    test_free(work);
}

/* Low rank, a fraction of outliers ten times as large, one percent of noise. */
static inline void plant(planted *p, uint64_t seed, double outliers, double noise)
{
    draws d = { { seed, 11 }, 0 };
    const double *factor[4] = { NULL };
    const ptrdiff_t n = crease_size(&p->shape);
    assert_true(n <= MOST);
    assert_true(crease_size(&p->ranks) <= LARGEST);
    for (int m = 0; m < p->shape.order; m++) {
        assert_true(p->shape.dim[m] * p->ranks.dim[m] <= LARGEST);
        for (ptrdiff_t j = 0; j < p->shape.dim[m] * p->ranks.dim[m]; j++)
            p->factor[m][j] = normal(&d);
        factor[m] = p->factor[m];
    }
    for (ptrdiff_t j = 0; j < crease_size(&p->ranks); j++) p->core[j] = normal(&d);
    reconstruct(&p->shape, &p->ranks, p->core, factor, p->truth);
    const double size = crs_norm(n, p->truth) / sqrt((double)n);
    for (ptrdiff_t j = 0; j < n; j++) {
        p->T[j] = p->truth[j] + noise * size * normal(&d);
        if (uniform(&d, 0, 1) < outliers) p->T[j] += 10 * size * normal(&d);
    }
}

static inline crs_tucker_settings settings_of(const planted *p)
{
    return (crs_tucker_settings){ .shape = p->shape,
                                  .ranks = p->ranks,
                                  .penalty = { &crs_mcp, { 1, 3 }, 1 },
                                  .learn = 4,
                                  .alpha_noise = 1,
                                  .threads = 1,
                                  .eps = 1e-7 };
}

static inline crs_tucker_fit *fit(const crs_tucker_settings *c, const double *T)
{
    crease_error e;
    crs_tucker_fit *s = crs_tucker_fit_new(c, T, &e);
    if (!s) fail_msg("%s", e.text);
    bool done = false;
    for (int k = 0; k < 3000 && !done; k++) done = crs_tucker_fit_step(s);
    if (!done) fail_msg("residual %g", s->statistics.residual);
    return s;
}

static inline void take(const crs_tucker_fit *s, planted *p)
{
    const double *factor[4] = { NULL };
    for (int n = 0; n < p->shape.order; n++) factor[n] = s->factor[n];
    reconstruct(&p->shape, &p->ranks, s->core, factor, p->found);
}

static inline double error_of(const planted *p, const double *x)
{
    double off = 0;
    for (ptrdiff_t j = 0; j < crease_size(&p->shape); j++) off += square(x[j] - p->truth[j]);
    return sqrt(off) / crs_norm(crease_size(&p->shape), p->truth);
}

/* |grad| of every block of sum phi by plain sums, against the terms it is made of. */
static inline void assert_stationary(const crs_tucker_fit *s, planted *p, const unsigned char *mask)
{
    const crs_penalty_value *f = &s->penalty;
    const int d = p->shape.order;
    const crs_penalty_value rho = crs_penalty_of(f->rho, f->par, f->weight);
    take(s, p);
    for (int n = 0; n < d; n++) {
        const ptrdiff_t rank = p->ranks.dim[n], rows = p->shape.dim[n];
        double *g = test_calloc((size_t)(2 * rows * rank), sizeof *g), *z = g + rows * rank;
        for (ptrdiff_t j = 0; j < crease_size(&p->shape); j++) {
            ptrdiff_t at[4], rest = j;
            for (int m = d - 1; m >= 0; m--)
                at[m] = rest % p->shape.dim[m], rest /= p->shape.dim[m];
            const double r = p->T[j] - p->found[j];
            const double sj = mask && !mask[j] ? 0 : r - crs_scalar_prox(&rho, 1, r);
            for (ptrdiff_t q = 0; q < crease_size(&p->ranks); q++) {
                ptrdiff_t k[4], left = q;
                double w = s->core[q];
                for (int m = d - 1; m >= 0; m--)
                    k[m] = left % p->ranks.dim[m], left /= p->ranks.dim[m];
                for (int m = 0; m < d; m++)
                    if (m != n) w *= s->factor[m][at[m] * p->ranks.dim[m] + k[m]];
                g[at[n] * rank + k[n]] += 0.5 * sj * w;
                z[at[n] * rank + k[n]] += (p->found[j] + 0.5 * sj) * w;
            }
        }
        assert_true(crs_norm(rows * rank, g) <= 1.01e-7 * 2 * crs_norm(rows * rank, z));
        test_free(g);
    }
}

#endif
