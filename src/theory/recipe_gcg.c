/* SPDX-License-Identifier: MIT
 * recipe_gcg: Theorem 2.7: the generalized conditional gradient method needs compact sets, convex
 * r_i with a closed-form oracle, and (p, rho), known or found by doubling; concave f takes whole
 * steps (Proposition 2.8) */
#include "theory/theory.h"

static void check_block(const crease_problem *p, int i, crease_analysis *a)
{
    const crease_set *c = p->block[i].set;
    const crease_reg *r = crs_reg_of(p, i);
    crease_reg_traits t;
    crease_error why = { CREASE_OK, "the block has no set" };
    r->ops->traits(r, &p->space[i], INFINITY, &t);
    const bool compact = c && c->ops->diameter(c, &p->space[i], 2) < INFINITY;
    crs_note(a, "X_i compact", i, when(compact), NAN,
             compact ? "its diameter is finite" : "gcg needs a compact set; give the block one");
    crs_note(a, "r_i convex", i, when(t.convex), NAN,
             t.convex ? "by its catalogue entry" : "gcg needs a convex r_i; use prox-bcd");
    const bool oracle = c && crease_lmo_with_check(c, r, &p->space[i], &why);
    crs_note(a, "oracle known", i, when(oracle), NAN, "%.150s",
             oracle ? "argmin <c,y> + r(y) has a closed form" : why.text);
    if (compact) a->diameter_p += pow(c->ops->diameter(c, &p->space[i], a->p), a->p);
}

void crs_recipe_gcg(const crease_problem *p, const crease_options *o, crease_analysis *a)
{
    a->theorem = a->concave ? "Proposition 2.8" : "Theorem 2.7";
    a->diameter_p = 0;
    a->line_search = o->line_search == 1;
    a->backtrack_rho = !(a->rho < INFINITY) || a->mode == CREASE_MODE_PRACTICAL;
    for (int i = 0; i < p->count; i++) check_block(p, i, a);
    a->diameter_p = pow(a->diameter_p, 1 / a->p);
    if (a->concave)
        crs_note(a, "f concave", -1, CREASE_PROVED, NAN, "whole steps, alpha = 1");
    else
        crs_note(a, "(p, rho) known", -1, a->rho < INFINITY ? CREASE_PROVED : CREASE_ESTIMATED,
                 a->rho, a->rho < INFINITY ? "p = %g" : "p = %g; rho is found by doubling", a->p);
    a->theta_factor = a->last_weight = 1;
}
