/* SPDX-License-Identifier: MIT
 * prox: a prox and the value at its result by one decomposition, for blocks with a spectral
 * regularizer and no set */
#include "dense/dense.h"
#include "problem/problem.h"
#include "reg/reg.h"

static bool decomposes(const crease_problem *p, int i)
{
    return !p->block[i].set && crs_is_kind(crs_reg_of(p, i), CREASE_KIND_SPECTRAL);
}

ptrdiff_t crs_prox_room(const crease_problem *p)
{
    ptrdiff_t most = 0;
    for (int i = 0; i < p->count; i++) {
        const crease_space *s = &p->space[i];
        const ptrdiff_t n = decomposes(p, i) ? crs_thin_scratch(s->dim[0], s->dim[1]) : 0;
        if (n > most) most = n;
    }
    return most;
}

double crs_prox_value(const crease_problem *p, int i, double t, const double *v, double *x,
                      double *room, double *work)
{
    const crease_reg *r = crs_reg_of(p, i);
    const crease_space *s = &p->space[i];
    crs_thin thin = { .u = room };
    if (!decomposes(p, i)) {
        r->ops->prox(r, s, t, v, x, work);
        return NAN;
    }
    return crs_spectral_prox(r, s, t, v, x, &thin, work) ? crs_spectral_value(r, &thin) : NAN;
}
