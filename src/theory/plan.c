/* SPDX-License-Identifier: MIT
 * plan: how each block is updated (by f's own minimizer where r_i = 0 and f offers one, otherwise
 * by a prox step with f linearized), with what proximal weight, and the a-priori number of
 * iterations that follows:
 *
 * ADMM, BCD: K = ceil(theta_factor kappa drop/(tau eps^2)).
 * The extension's bound is about sum A_i x_i + y = b; without the slack, |sum A_i x_i - b|^2 <=
 * 2 drop/mu, which must be eps^2 at most.
 * GCG: K = ceil(2 drop/(eps min{1, (eps/(D^p rho))^{1/(p-1)}})), concave f: ceil(drop/eps). */
#include "set/set.h"
#include "theory/theory.h"

/* An exact step needs r_i = 0, at most a ball, A_i = c I or no map, and f's minimizer for any h
 * that is not tiny: f convex in the block, or a ball. */
static bool plan_exact(const crease_problem *p, int i, crease_block_plan *plan, crease_error *e)
{
    const double L = plan->lipschitz, h = 1e-6 * (L > 0 && L < INFINITY ? L : 1);
    const crease_reg *r = crs_reg_of(p, i);
    const crease_set *c = p->block[i].set;
    crease_reg_traits t;
    r->ops->traits(r, &p->space[i], INFINITY, &t);
    if (t.lipschitz != 0 || isnan(plan->map_scale) || (c && c->ops != &crs_l2_ball_ops))
        return true;
    if (c) plan->radius = c->par[0];
    return crs_offers_argmin(p, i, h, plan->radius, &plan->exact, e);
}

static bool plan_block(const crease_problem *p, int i, crease_analysis *a, crease_error *e)
{
    crease_block_plan *plan = &a->block[i];
    const crease_set *c = p->block[i].set;
    double step = INFINITY;
    char name[32];
    if (!plan_exact(p, i, plan, e)) return false;
    if (plan->exact) {
        crs_note(a, "block step exact", i, CREASE_PROVED, NAN,
                 "r = 0 and f is minimized over the block in closed form");
        return true;
    }
    if (c && !crease_joint_check(crs_reg_of(p, i), c, &p->space[i], &step, e)) return false;
    plan->tau_least = step < INFINITY ? 1.001 / step : 0;
    if (plan->lipschitz < INFINITY)
        crs_note(a, "block step global", i, CREASE_PROVED, plan->lipschitz,
                 "f is linearized with L_i, the prox is the global minimizer");
    else
        crs_note(a, "L_i finite", i, CREASE_ESTIMATED, NAN,
                 "block %s has no constant for the whole region: the curvature at the iterate "
                 "serves, or L_i is found by doubling",
                 crs_block_name(p, i, name));
    return true;
}

bool crs_plan_blocks(const crease_problem *p, crease_analysis *a, crease_error *e)
{
    for (int i = 0; i < p->count; i++)
        if (i != a->last && !plan_block(p, i, a, e)) return false;
    return true;
}

/* h of every block: the user's, or the recipe's; each must exceed `least`. */
void crs_set_h(const crease_options *o, crease_analysis *a, double h, double least)
{
    const double given = o->h > 0 ? o->h : h;
    for (int i = 0; i < a->count; i++)
        if (i != a->last) a->block[i].h = given;
    crs_note(a, "H_i large enough", -1, when(given > least), given,
             "h = %g must exceed %g so that every block step decreases the potential", given,
             least);
}

/* sigma_min(H_i) - L_i of prox steps, sigma_min(H_i) of exact ones: the least h that acts. */
double crs_least_h(const crease_analysis *a)
{
    double least = INFINITY;
    for (int i = 0; i < a->count; i++) {
        const crease_block_plan *plan = &a->block[i];
        const double slope = plan->lipschitz < INFINITY ? plan->h_relative * plan->lipschitz : 0;
        if (i != a->last) least = smaller(least, plan->h + slope);
    }
    return least;
}

/* A beta for problems whose theorem takes any: b |A_i|^2 about the size of L_i. */
double crs_free_beta(const crease_analysis *a)
{
    double beta = 0;
    for (int i = 0; i < a->count; i++) {
        const crease_block_plan *plan = &a->block[i];
        const double ratio = plan->lipschitz / square(plan->map_norm);
        if (i != a->last && plan->map_norm > 0 && ratio < INFINITY) beta = larger(beta, ratio);
    }
    return beta > 0 ? beta : 1;
}

/* max_i kappa_{4,i} (times diam^2 in setting 1), in the variable sqrt(last_weight) x_N:
 * (L + b |A_i| (sum_{j>i} |A_j|^2)^{1/2} + |H_i|)^2. The last block comes after all others. */
double crs_kappa_blocks(const crease_analysis *a)
{
    const double beta = a->last >= 0 ? a->beta : 0;
    const double L = a->L * larger(1, 1 / sqrt(a->last_weight));
    double worst = 0;
    for (int i = 0; i < a->count; i++) {
        const crease_block_plan *plan = &a->block[i];
        if (i == a->last) continue;
        double later = a->last >= 0 ? square(a->block[a->last].map_norm) / a->last_weight : 0;
        for (int j = i + 1; j < a->count; j++)
            if (j != a->last) later += square(a->block[j].map_norm);
        const double tau = beta * square(plan->map_norm) + (1 + plan->h_relative) * plan->lipschitz;
        const double H = plan->exact ? plan->h : larger(tau + plan->h, plan->tau_least);
        const double sum = L + beta * plan->map_norm * sqrt(later) + H;
        const double diameter = plan->setting == 1 ? square(plan->diameter) : 1;
        worst = larger(worst, sum * sum * diameter);
    }
    return worst;
}

double crease_iteration_bound(const crease_analysis *a, double drop, double eps)
{
    if (!a->guarantee || !(drop >= 0) || !(eps > 0)) return INFINITY;
    if (a->method == CREASE_METHOD_EXTENSION && !(a->mu * eps * eps >= 2 * drop)) return INFINITY;
    if (a->method != CREASE_METHOD_GCG)
        return ceil(a->theta_factor * a->kappa * drop / (a->decrease * eps * eps));
    if (a->concave) return ceil(drop / eps);
    const double rho = a->backtrack_rho ? 2 * a->rho : a->rho;
    const double ratio = eps / (pow(a->diameter_p, a->p) * rho);
    const double share = ratio < 1 ? pow(ratio, 1 / (a->p - 1)) : 1;
    return ceil(2 * drop / (eps * share));
}
