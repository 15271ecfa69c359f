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

static ptrdiff_t bin_of(double r)
{
    uint64_t bits;
    memcpy(&bits, &r, sizeof bits);
    const ptrdiff_t b = (ptrdiff_t)((bits & INT64_MAX) >> CRS_BIN_SHIFT) - CRS_BIN_FIRST;
    return b < 0 ? 0 : b < CRS_BIN_LAST ? b : CRS_BIN_LAST;
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
    sums[CRS_ENV_OBSERVED] += 1;
    sums[CRS_ENV_NONZERO] += e != 0;
    return s;
}

void crs_envelope_entries(const crs_envelope_tile *t)
{
    for (ptrdiff_t i = 0; i < t->rows; i++) {
        const ptrdiff_t at = i * t->stride;
        double *m = t->r + i * t->width;
        for (ptrdiff_t j = 0; j < t->columns; j++) {
            const double T = t->single ? (double)t->single[at + j] : t->t[at + j];
            double w = 0;
            const bool seen = !t->mask || t->mask[at + j];
            if (seen && t->counted[i]) t->histogram[bin_of(T - m[j])]++;
            m[j] = seen ? entry(t, T - m[j], &w) : 0;
            t->row[i] += w;
            t->column[j] += w;
        }
    }
}
