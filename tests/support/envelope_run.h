/* SPDX-License-Identifier: MIT
 * envelope_run.h: a run of the envelope's solver, and its residual by the definition */
#ifndef CREASE_TEST_ENVELOPE_RUN_H
#define CREASE_TEST_ENVELOPE_RUN_H

#include "rpca/envelope/envelope.h"
#include "support/envelope_naive.h"

static inline crs_envelope_solver *solver_of(const crs_envelope_solver_settings *c, const double *T,
                                             const unsigned char *mask)
{
    crease_error e = { CREASE_OK, "" };
    crs_envelope_solver *s = crs_envelope_solver_new(c, source_of(&c->shape, T, mask), &e);
    if (!s) fail_msg("%s", e.text);
    return s;
}

static inline void started(crs_envelope_solver *s, ptrdiff_t rank, double *const *x)
{
    crease_error e = { CREASE_OK, "" };
    if (!crs_envelope_solver_start(s, rank, (const double *const *)x, &e)) fail_msg("%s", e.text);
}

/* Steps until it ends; F falls while stage, penalty and rank stay. */
static inline const crs_envelope_progress *run(crs_envelope_solver *s, long most)
{
    const crs_envelope_progress *p = crs_envelope_solver_progress(s);
    while (p->passes < most) {
        const crs_envelope_progress old = *p;
        const crs_envelope_status status = crs_envelope_solver_step(s);
        const bool same = old.steps > 0 && p->stage == old.stage && p->stage >= CRS_STAGE_LAST &&
                          p->threshold == old.threshold && p->rank == old.rank;
        if (same && !(p->value <= old.value * (1 + 1e-12)))
            fail_msg("F rises from %.17g to %.17g", old.value, p->value);
        if (status != CRS_ENVELOPE_RUNNING) break;
    }
    return p;
}

/* The largest over the modes of |-2c S_(n)M_n + nu X_n| (over the normal cone where X >= 0) over
 * 2 |Z_(n)M_n| + 2 |M_(n)M_n| + nu |X_n|, at the solver's point */
static inline double naive_residual(const example *shown, crs_envelope_solver *s, double nu,
                                    bool nonneg)
{
    example a = *shown;
    const crs_penalty_value penalty = *crs_envelope_solver_penalty(s);
    a.rank = crs_envelope_solver_progress(s)->rank;
    for (int n = 0; n < a.c.shape.order; n++)
        a.x[n] = (double *)(uintptr_t)crs_envelope_solver_factor(s, n);
    double worst = 0;
    for (int n = 0; n < a.c.shape.order; n++) {
        const ptrdiff_t size = a.c.shape.dim[n] * a.rank;
        double *g = some(size), *z = some(size), *m = some(size);
        for (ptrdiff_t j = 0; j < a.size; j++) {
            ptrdiff_t i[CREASE_MAX_ORDER];
            index_of(&a.c.shape, j, i);
            const bool seen = !a.mask || a.mask[j];
            const double low = low_rank(&a, i), r = seen ? a.T[j] - low : 0;
            const double c = fit_weight(&a), rest = seen ? r - naive_prox(&a, &penalty, r) : 0;
            for (ptrdiff_t q = 0; q < a.rank; q++) {
                const double product = product_at(&a, i, q, n);
                g[i[n] * a.rank + q] -= 2 * c * rest * product;
                z[i[n] * a.rank + q] += (low + c * rest) * product;
                m[i[n] * a.rank + q] += low * product;
            }
        }
        axpy(size, nu, a.x[n], g);
        for (ptrdiff_t k = 0; nonneg && k < size; k++) {
            assert_true(a.x[n][k] >= 0);
            if (a.x[n][k] == 0 && g[k] > 0) g[k] = 0;
        }
        const double bound =
            2 * crs_norm(size, z) + 2 * crs_norm(size, m) + nu * crs_norm(size, a.x[n]);
        worst = larger(worst, bound > 0 ? crs_norm(size, g) / bound : 0);
        free(g), free(z), free(m);
    }
    return worst;
}

#endif
