/* SPDX-License-Identifier: MIT
 * envelope_entries: phi(r), s = r - prox(r) and w = s/r, entry by entry */
#include "rpca/envelope/envelope_state.h"

/* MCP and SCAD while their prox is continuous. */
static void take_pieces(crs_envelope_rule *a, const crs_envelope_face *f)
{
    const double t = a->t * f->alpha, lambda = f->par[0];
    const double room = f->penalty == &crs_mcp    ? f->par[1] - t
                        : f->penalty == &crs_scad ? f->par[1] - 1 - t
                                                  : 0;
    a->piecewise = a->soft || room > 0;
    a->shoulder = a->end = 0x1p1022;
    if (a->soft || !a->piecewise) return;
    a->shoulder = a->dead + (f->penalty == &crs_scad ? lambda : 0);
    a->end = f->par[1] * lambda;
    a->fall = t / room;
}

crs_envelope_rule crs_envelope_rule_of(const crs_envelope_face *f, double alpha_noise)
{
    crs_envelope_rule a = { .c = alpha_noise / (1 + alpha_noise) };
    a.t = 1 / (2 * a.c);
    a.penalty = crs_penalty_of(f->penalty, f->par, f->alpha);
    a.soft = f->penalty == &crs_l1;
    a.dead = a.soft ? a.t * f->alpha * f->par[0] : crs_dead_zone(&a.penalty, a.t);
    take_pieces(&a, f);
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

/* s = r - e; a: what the entry adds to the sums */
static double entry(const crs_envelope_tile *t, double r, double *a)
{
    const double e = crs_envelope_prox(t->next, r), s = r - e;
    const double judged = t->judge ? crs_envelope_prox(t->judge, r) : e;
    const double phi = value(t->next, s, e);
    a[CRS_ENV_VALUE_NEXT] += phi;
    a[CRS_ENV_VALUE] += t->judge ? value(t->judge, r - judged, judged) : phi;
    a[CRS_ENV_SQUARES] += square(s);
    a[CRS_ENV_NONZERO] += e != 0;
    return s;
}

void crs_envelope_block(const crs_envelope_tile *t, ptrdiff_t first, int count)
{
    double a[CRS_ENV_SUMS] = { 0 };
    for (ptrdiff_t i = 0; i < t->rows; i++) {
        double row = 0;
        for (ptrdiff_t j = first; j < first + count; j++) {
            double *at = t->r + i * t->width + j;
            const double r = *at;
            if (t->mask && !t->mask[i * t->stride + j]) continue;
            *at = entry(t, r, a);
            const double w = *at == r ? 1 : *at / r;
            row += w;
            t->column[j] += w;
        }
        t->row[i] += row;
    }
    for (int k = 0; k < CRS_ENV_SUMS; k++) t->sums[k] += a[k];
}
