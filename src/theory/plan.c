/* SPDX-License-Identifier: MIT
 * plan: how each block is updated: by f's own minimizer where r_i = 0 and f offers one, otherwise
 * by a prox step with f linearized; and the a-priori number of iterations,
 * K = ceil(theta_factor kappa drop/(tau eps^2)) unless a method has another */
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
    if (t.lipschitz != 0 || isnan(plan->map_scale) || (c && c->ops->ball != CREASE_BALL_L2))
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

double crease_iteration_bound(const crease_analysis *a, double drop, double eps)
{
    const crs_method *m = crs_method_for(a);
    if (!a->guarantee || !(drop >= 0) || !(eps > 0)) return INFINITY;
    if (m->bound) return m->bound(a, drop, eps);
    return ceil(a->theta_factor * a->kappa * drop / (a->decrease * eps * eps));
}
