/* SPDX-License-Identifier: MIT
 * envelope_entries: phi(r), s = r - prox(r) and w = s/r, entry by entry */
#include "model/envelope_state.h"

crs_envelope_rule crs_envelope_rule_of(const crs_envelope_face *f, double alpha_noise)
{
    crs_envelope_rule a = { .c = alpha_noise / (1 + alpha_noise) };
    a.t = 1 / (2 * a.c);
    a.penalty = (crs_scalar){ f->penalty, f->par, f->alpha };
    a.soft = f->penalty == &crs_l1;
    a.dead = a.soft ? a.t * f->alpha * f->par[0] : crs_dead_zone(&a.penalty, a.t);
    return a;
}

double crs_envelope_prox(const crs_envelope_rule *a, double r)
{
    return fabs(r) <= a->dead ? 0 : crs_scalar_prox(&a->penalty, a->t, r);
}

static double value(const crs_envelope_rule *a, double s, double e)
{
    return a->c * square(s) + (e == 0 ? 0 : crs_scalar_value(&a->penalty, e));
}

/* s; the entry's contributions are added up */
static double entry(const crs_envelope_tile *t, double r, double *w)
{
    const double e = crs_envelope_prox(t->next, r), s = r - e, phi = value(t->next, s, e);
    double *sums = t->sums;
    sums[CRS_ENV_VALUE_NEXT] += phi;
    if (t->judge) {
        const double judged = crs_envelope_prox(t->judge, r);
        sums[CRS_ENV_VALUE] += value(t->judge, r - judged, judged);
    } else {
        sums[CRS_ENV_VALUE] += phi;
    }
    *w = r == 0 ? 1 : s / r;
    sums[CRS_ENV_SQUARES] += square(s);
    sums[CRS_ENV_NONZERO] += e != 0;
    return s;
}

void crs_envelope_block(const crs_envelope_tile *t, ptrdiff_t first, int count)
{
    for (ptrdiff_t i = 0; i < t->rows; i++)
        for (ptrdiff_t j = first; j < first + count; j++) {
            double *r = t->r + i * t->width + j, w;
            if (t->mask && !t->mask[i * t->stride + j]) continue;
            *r = entry(t, *r, &w);
            t->row[i] += w;
            t->column[j] += w;
        }
}
