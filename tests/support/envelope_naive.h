/* SPDX-License-Identifier: MIT
 * envelope_naive.h: the envelope of robust CP with every sum a plain loop over all entries */
#ifndef CREASE_TEST_ENVELOPE_NAIVE_H
#define CREASE_TEST_ENVELOPE_NAIVE_H

#include <stdlib.h>

#include "rpca/envelope/envelope.h"
#include "support/penalties.h"

typedef struct {
    crs_envelope_settings c;
    ptrdiff_t size, rank; /* rank <= c.rank */
    double *T, *x[CREASE_MAX_ORDER];
    unsigned char *mask;
    crs_penalty_value penalty;
} example;

static inline crs_envelope_settings settings_for(const crease_space *shape, ptrdiff_t rank)
{
    return (
        crs_envelope_settings){ .shape = *shape, .rank = rank, .alpha_noise = 0.8, .threads = 1 };
}

static inline double *some(ptrdiff_t n) { return calloc((size_t)n, sizeof(double)); }

static inline void index_of(const crease_space *s, ptrdiff_t j, ptrdiff_t *index)
{
    for (int n = s->order - 1; n >= 0; j /= s->dim[n--]) index[n] = j % s->dim[n];
}

static inline double product_at(const example *a, const ptrdiff_t *index, ptrdiff_t r, int skip)
{
    double product = 1;
    for (int n = 0; n < a->c.shape.order; n++)
        if (n != skip) product *= a->x[n][index[n] * a->rank + r];
    return product;
}

static inline double low_rank(const example *a, const ptrdiff_t *index)
{
    double sum = 0;
    for (ptrdiff_t r = 0; r < a->rank; r++) sum += product_at(a, index, r, -1);
    return sum;
}

static inline double fit_weight(const example *a)
{
    return a->c.alpha_noise / (1 + a->c.alpha_noise);
}

static inline double naive_prox(const example *a, const crs_penalty_value *f, double r)
{
    return crs_scalar_prox(f, 1 / (2 * fit_weight(a)), r);
}

static inline double naive_phi(const example *a, const crs_penalty_value *f, double r)
{
    const double e = naive_prox(a, f, r);
    return fit_weight(a) * square(r - e) + crs_scalar_value(f, e);
}

/* The entry at `index`, which is observed. */
static inline void naive_entry(const example *a, const ptrdiff_t *index, double r,
                               const crs_penalty_value *f, crs_envelope_sums *out)
{
    const double e = naive_prox(a, f, r), s = r - e, w = r == 0 ? 1 : s / r;
    out->value_next += naive_phi(a, f, r);
    out->squares += square(s);
    out->weights += w;
    out->observed++;
    out->nonzeros += e != 0;
    for (int n = 0; n < a->c.shape.order; n++) {
        out->marginal[n][index[n]] += w;
        for (ptrdiff_t q = 0; q < a->rank; q++)
            out->gradient[n][index[n] * a->rank + q] += s * product_at(a, index, q, n);
    }
}

/* Everything but the histogram; out has its arrays, cleared. */
static inline void naive_evaluate(const example *a, const crs_penalty_value *judge,
                                  const crs_penalty_value *next, crs_envelope_sums *out)
{
    for (ptrdiff_t j = 0; j < a->size; j++) {
        ptrdiff_t index[CREASE_MAX_ORDER];
        if (a->mask && !a->mask[j]) continue;
        index_of(&a->c.shape, j, index);
        const double r = a->T[j] - low_rank(a, index);
        out->value += naive_phi(a, judge, r);
        naive_entry(a, index, r, next, out);
    }
}

static inline crs_envelope_sums sums_make(const example *a)
{
    crs_envelope_sums s = { 0 };
    for (int n = 0; n < a->c.shape.order; n++) {
        s.gradient[n] = some(a->c.shape.dim[n] * a->rank);
        s.marginal[n] = some(a->c.shape.dim[n]);
    }
    return s;
}

static inline void sums_free(crs_envelope_sums *s)
{
    for (int n = 0; n < CREASE_MAX_ORDER; n++) free(s->gradient[n]), free(s->marginal[n]);
}

static inline void example_free(example *a)
{
    free(a->T), free(a->mask);
    for (int n = 0; n < a->c.shape.order; n++) free(a->x[n]);
}

/* Low rank plus noise plus outliers, seen from factors a little off. */
static inline example example_make(const crs_envelope_settings *c, ptrdiff_t rank, bool masked,
                                   draws *d)
{
    example a = { .c = *c, .size = crease_size(&c->shape), .rank = rank };
    a.T = some(a.size);
    if (masked) a.mask = malloc((size_t)a.size);
    for (int n = 0; n < c->shape.order; n++) {
        a.x[n] = some(c->shape.dim[n] * rank);
        for (ptrdiff_t k = 0; k < c->shape.dim[n] * rank; k++) a.x[n][k] = normal(d);
    }
    for (ptrdiff_t j = 0; j < a.size; j++) {
        ptrdiff_t index[CREASE_MAX_ORDER];
        index_of(&c->shape, j, index);
        a.T[j] = low_rank(&a, index) + 0.3 * normal(d);
        if (uniform(d, 0, 1) < 0.2) a.T[j] += 5 * normal(d);
        if (masked) a.mask[j] = uniform(d, 0, 1) < 0.8;
        if (masked && !a.mask[j]) a.T[j] = NAN;
    }
    for (int n = 0; n < c->shape.order; n++)
        for (ptrdiff_t k = 0; k < c->shape.dim[n] * rank; k++) a.x[n][k] += 0.05 * normal(d);
    return a;
}

/* Rows of the tensor as the pass cuts it. */
static inline ptrdiff_t left_of(const crs_envelope_settings *c)
{
    return crs_cp_grid_of(&c->shape, c->rank, 1, 1).left;
}

/* A source of a tensor in memory, good until sixteen others were asked for. */
static inline crs_source *source_of(const crease_space *shape, const double *T,
                                    const unsigned char *mask)
{
    static crs_memory kept[16];
    static unsigned used;
    crs_memory *m = &kept[used++ % 16];
    crs_memory_open(m, shape, T, mask);
    return &m->source;
}

static inline crs_envelope *envelope_of(const example *a)
{
    crease_error e = { CREASE_OK, "" };
    crs_envelope *s = crs_envelope_new(&a->c, source_of(&a->c.shape, a->T, a->mask), &e);
    if (!s) fail_msg("%s", e.text);
    return s;
}

#endif
