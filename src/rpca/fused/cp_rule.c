/* SPDX-License-Identifier: MIT
 * cp_rule: the coefficients of an iteration (cp_kernel.h) for each method
 *
 * Lambda is derived, not stored. After a step from B to B', with w = 2 alpha_N W:
 *   ADMM-g                 Lambda' = w B + z (B - B'), z = beta - 1/gamma
 *   ADMM-m, majorant ell   Lambda' = ell B' - (ell - w) B
 *   ADMM-m, exact          Lambda' = w B'
 * Jiang, Lin, Ma, Zhang 2019, section 5. */
#include "rpca/fused/state.h"

/* B' = own B + gain Lambda - b_s r; older and B for Lambda */
static void express(crs_cp_entry *a, double own, double gain)
{
    a->u_older = a->lambda_older;
    a->u_b = a->lambda_b - a->pull;
    a->b_older = gain * a->lambda_older;
    a->b_b = own + gain * a->lambda_b;
}

typedef enum { DERIVED, GIVEN, TIED } known; /* Lambda: as above, older, w B */

static void last_step(const crs_cp_settings *c, crs_cp_entry *a, known lambda)
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
    if (lambda == GIVEN) a->lambda_older = 1, a->lambda_b = 0;
    if (lambda == TIED) a->lambda_older = 0, a->lambda_b = w;
    express(a, own, gain);
}

static crs_cp_entry entry(const crs_cp_settings *c, const crs_cp_rule *r, double w, known lambda)
{
    crs_cp_entry a = { .weight = w, .pull = r->descent ? w : c->beta };
    const double e = a.pull + c->h_sparse;
    a.e_scale = e > 0 ? 1 / e : 0; /* nothing holds E: it is 0 */
    a.t = a.e_scale;
    a.z_scale = 1 / (2 + a.pull + c->h_z);
    a.dead = e > 0 ? crs_dead_zone(&r->penalty, a.t) : INFINITY;
    a.edge = a.dead < INFINITY ? a.dead * e : INFINITY;
    if (e > 0 && r->soft) a.edge = r->penalty.weight * r->penalty.par[0];
    last_step(c, &a, lambda);
    return a;
}

/* c (s - e)^2 + alpha rho(e), c = w/(2 + w), is what is left of the objective at an entry. */
static crs_cp_entry eliminated(const crs_cp_rule *r, double w)
{
    crs_cp_entry a = { .weight = w, .z_scale = w / (2 + w) };
    a.t = w > 0 ? (2 + w) / (2 * w) : 0;
    a.dead = w > 0 ? crs_dead_zone(&r->penalty, a.t) : INFINITY;
    a.edge = w > 0 && r->soft ? r->penalty.weight * r->penalty.par[0] * a.t : INFINITY;
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
    r->full = c->full || c->accelerate;
    s->first = s->tied = s->eliminated = *r;
    s->tied.own = s->eliminated.own = true;
    for (int seen = 0; seen < 2; seen++) {
        const double w = seen ? 2 * c->alpha_noise : 0;
        r->at[seen] = entry(c, r, w, DERIVED);
        s->first.at[seen] = entry(c, r, w, s->has_older ? GIVEN : DERIVED);
        s->tied.at[seen] = entry(c, r, w, TIED);
        s->eliminated.at[seen] = eliminated(r, w);
    }
    r->fold = c->mask && r->descent ? 1 : r->at[1].z_scale;
    s->first.fold = s->tied.fold = r->fold;
    s->eliminated.fold = 1;
}
