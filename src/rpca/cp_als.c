/* SPDX-License-Identifier: MIT
 * cp_als: alternating least squares on the observed entries: missing ones are 0 in the first sweep,
 * when the factors have no size yet, and then filled in by the low-rank part before every other
 * (expectation-maximization)
 *
 * Tomasi, Bro, PARAFAC and missing values, 2005. */
#include "rpca/cp_sweep.h"
#include "rpca/rpca.h"

/* W o T + (1 - W) o [[X]] */
static void impute(const crease_cp_rpca *m, const crs_cp_sweeper *w, double *filled)
{
    const ptrdiff_t size = crease_size(&m->s.shape);
    fill(size, 0, filled);
    crs_reconstruct(&w->k, 1, filled, w->work);
    for (ptrdiff_t j = 0; j < size; j++)
        if (crs_cp_observed(m, j)) filled[j] = m->tensor[j];
}

bool crs_cp_als(crease_cp_rpca *m, int sweeps, crease_error *e)
{
    const crease_cp_rpca_settings *s = &m->s;
    crs_cp_sweeper w;
    double *filled = m->root ? crs_doubles(crease_size(&s->shape), "a start", e) : NULL;
    if (m->root && !filled) return false;
    const bool ready = crs_cp_sweeper_open(&w, &s->shape, s->rank, filled ? filled : m->tensor,
                                           s->ridge, m->start, e);
    for (int sweep = 0; ready && sweep < sweeps; sweep++) {
        if (filled && sweep == 0) copy(crease_size(&s->shape), m->tensor, filled);
        if (filled && sweep > 0) impute(m, &w, filled);
        crs_cp_sweep(&w);
    }
    if (ready) crs_cp_balance(&s->shape, s->rank, m->start);
    crs_cp_sweeper_close(&w);
    crs_free(filled);
    return ready;
}
