/* SPDX-License-Identifier: MIT
 * cp_rule: the coefficients of an iteration (cp_kernel.h) for each method
 *
 * Lambda is derived, not stored. After a step from B to B', with w = 2 alpha_N W:
 *   ADMM-g                 Lambda' = w B + z (B - B'), z = beta - 1/gamma
 *   ADMM-m, majorant ell   Lambda' = ell B' - (ell - w) B
 *   ADMM-m, exact          Lambda' = w B'
 * Jiang, Lin, Ma, Zhang 2019, section 5. */
#include <float.h>

#include "model/cp_state.h"

/* Bisection over the numbers, which their bits order. */
double crs_dead_zone(const crs_scalar *r, double t)
{
    union {
        uint64_t bits;
        double number;
    } low = { 0 }, high = { .number = DBL_MAX }, middle;
    if (crs_scalar_prox(r, t, DBL_MAX) == 0) return INFINITY;
    while (high.bits - low.bits > 1) {
        middle.bits = low.bits + (high.bits - low.bits) / 2;
        *(crs_scalar_prox(r, t, middle.number) == 0 ? &low : &high) = middle;
    }
    return low.number;
}

/* B' = own B + gain Lambda - b_s r; older and B for Lambda */
static void express(crs_cp_entry *a, double own, double gain)
{
    a->u_older = a->lambda_older;
    a->u_b = a->lambda_b - a->pull;
    a->b_older = gain * a->lambda_older;
    a->b_b = own + gain * a->lambda_b;
}

/* first: older holds Lambda itself */
static void last_step(const crs_cp_settings *c, crs_cp_entry *a, bool first)
{
    const double beta = c->beta, w = a->weight;
    double own = 0, gain = 0;
    if (c->method == CRS_CP_ADMM_G) {
        const double gamma = c->gamma > 0 ? c->gamma : 1 / beta;
        const double z = c->gamma > 0 ? beta - 1 / gamma : 0;
        a->kappa = 1 / gamma;
        own = 1 - gamma * (w + beta);
        gain = gamma;
        a->lambda_older = w + z;
        a->lambda_b = -z;
    } else if (c->method == CRS_CP_ADMM_M) {
        const double ell = c->ell > 0 ? c->ell : w;
        a->kappa = ell + beta;
        own = (ell - w) / (ell + beta);
        gain = 1 / (ell + beta);
        a->lambda_older = w - ell;
        a->lambda_b = ell;
    }
    a->b_s = gain * beta;
    if (first) a->lambda_older = 1, a->lambda_b = 0;
    express(a, own, gain);
}

static crs_cp_entry entry(const crs_cp_settings *c, const crs_cp_rule *r, double w, bool first)
{
    crs_cp_entry a = { .weight = w, .pull = r->descent ? w : c->beta };
    const double e = a.pull + c->h_sparse;
    a.e_scale = e > 0 ? 1 / e : 0; /* nothing holds E: it is 0 */
    a.t = a.e_scale;
    a.z_scale = 1 / (2 + a.pull + c->h_z);
    a.dead = e > 0 ? crs_dead_zone(&r->penalty, a.t) : INFINITY;
    a.edge = a.dead < INFINITY ? a.dead * e : INFINITY;
    if (e > 0 && r->soft) a.edge = r->penalty.weight * r->penalty.par[0];
    last_step(c, &a, first);
    return a;
}

void crs_cp_rules(crs_cp_fused *s)
{
    const crs_cp_settings *c = &s->c;
    crs_cp_rule *r = &s->rule;
    *r = (crs_cp_rule){ .descent = c->method == CRS_CP_BCD, .h_e = c->h_sparse, .h_z = c->h_z };
    r->beta = r->descent ? 0 : c->beta;
    r->soft = c->penalty == &crs_l1;
    r->penalty = (crs_scalar){ c->penalty, c->par, c->alpha };
    r->own = !s->has_older;
    r->full = c->full;
    s->first = *r;
    for (int seen = 0; seen < 2; seen++) {
        const double w = seen ? 2 * c->alpha_noise : 0;
        r->at[seen] = entry(c, r, w, false);
        s->first.at[seen] = entry(c, r, w, s->has_older);
    }
    r->fold = s->first.fold = c->mask && r->descent ? 1 : r->at[1].z_scale;
}
