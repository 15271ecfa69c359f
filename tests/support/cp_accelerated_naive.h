/* SPDX-License-Identifier: MIT
 * cp_accelerated_naive.h: the potential and the extrapolated iterations in plain loops */
#ifndef CREASE_TEST_CP_ACCELERATED_NAIVE_H
#define CREASE_TEST_CP_ACCELERATED_NAIVE_H

#include "support/cp_example.h"

typedef struct {
    naive a;
    double *last;                                              /* B where the step began */
    double *before[CREASE_MAX_ORDER], *kept[CREASE_MAX_ORDER]; /* factors */
    double potential;
    long momentum, accelerated;
} reference;

static inline ptrdiff_t rows(const naive *a, int n) { return a->c.shape.dim[n] * a->c.rank; }
static inline double seen(const naive *a, ptrdiff_t j) { return !a->mask || a->mask[j] ? 1 : 0; }

/* F, or F - <Lambda, s> + (beta/2)|s|^2 + omega |B - last|^2 */
static inline double potential(const reference *r)
{
    const naive *a = &r->a;
    const crs_penalty_value rho = a->c.penalty;
    double sum = 0;
    for (ptrdiff_t j = 0; j < a->size; j++) {
        const double w = seen(a, j), s = a->Z[j] + a->E[j] - (w > 0 ? a->T[j] : 0);
        sum += square(a->Z[j] - low_rank(a, j)) + crs_scalar_value(&rho, a->E[j]);
        if (a->c.method == CRS_CP_BCD)
            sum += a->c.alpha_noise * w * s * s;
        else
            sum += a->c.alpha_noise * w * square(a->B[j]) - a->lambda[j] * (s + a->B[j]) +
                   a->c.beta / 2 * square(s + a->B[j]) +
                   a->c.potential_weight * square(a->B[j] - r->last[j]);
    }
    for (int n = 0; n < a->c.shape.order; n++)
        for (ptrdiff_t k = 0; k < rows(a, n); k++) sum += a->c.nu / 2 * square(a->x[n][k]);
    return sum;
}

/* Minimizers over E, Z, B for the factors as they are: E by the prox of c (s - e)^2 + alpha rho */
static inline double settle(reference *r)
{
    naive *a = &r->a;
    const double c = a->c.alpha_noise / (1 + a->c.alpha_noise);
    const crs_penalty_value rho = a->c.penalty;
    for (ptrdiff_t j = 0; j < a->size; j++) {
        const double w = seen(a, j), m = low_rank(a, j), s = (w > 0 ? a->T[j] : 0) - m;
        a->E[j] = w > 0 ? crs_scalar_prox(&rho, 1 / (2 * c), s) : 0;
        a->Z[j] = m + w * c * (s - a->E[j]);
        a->B[j] = r->last[j] = s + m - a->Z[j] - a->E[j];
        a->lambda[j] = 2 * a->c.alpha_noise * w * a->B[j];
    }
    return potential(r);
}

static inline void extrapolate(reference *r)
{
    naive *a = &r->a;
    const double theta = (double)r->momentum / ((double)r->momentum + 3);
    for (int n = 0; n < a->c.shape.order; n++) {
        copy(rows(a, n), a->x[n], r->kept[n]);
        for (ptrdiff_t k = 0; k < rows(a, n); k++)
            a->x[n][k] += theta * (a->x[n][k] - r->before[n][k]);
        copy(rows(a, n), r->kept[n], r->before[n]);
    }
    const double candidate = settle(r);
    if (candidate <= r->potential) {
        r->potential = candidate;
        r->accelerated += r->momentum > 0;
        r->momentum++;
        return;
    }
    for (int n = 0; n < a->c.shape.order; n++) copy(rows(a, n), r->kept[n], a->x[n]);
    const double still = settle(r);
    assert_true(still <= r->potential * (1 + 1e-12)); /* the theorem behind it */
    r->potential = still;
    r->momentum = 1;
}

static inline void reference_step(reference *r)
{
    if (r->a.c.accelerate && r->a.s.iteration > 0) extrapolate(r);
    copy(r->a.size, r->a.B, r->last);
    naive_step(&r->a);
    r->potential = potential(r);
}

static inline reference reference_of(const crs_cp_settings *c, bool masked, draws *d)
{
    reference r = { .a = naive_make(c, masked, d) };
    r.last = some(r.a.size);
    for (int n = 0; n < c->shape.order; n++) {
        r.before[n] = some(rows(&r.a, n));
        r.kept[n] = some(rows(&r.a, n));
    }
    return r;
}

static inline void reference_free(reference *r)
{
    for (int n = 0; n < r->a.c.shape.order; n++) free(r->before[n]), free(r->kept[n]);
    free(r->last);
    naive_free(&r->a);
}

#endif
