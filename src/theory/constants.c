/* SPDX-License-Identifier: MIT
 * constants: what the theorems ask of f, the maps, the sets and the regularizers */
#include <crease/certificate.h>

#include "theory/theory.h"

/* map_norm, map_scale, setting and diameter of one block. The residual of gcg is psi_S, about a
 * set and its oracle, whatever setting the pair would be certified in elsewhere. */
static bool gather_block(const crease_problem *p, int i, crease_analysis *a, double *lower,
                         crease_error *e)
{
    const bool gap = a->gap && p->block[i].set;
    crease_block_plan *plan = &a->block[i];
    const crease_block *b = &p->block[i];
    const crease_reg *r = crs_reg_of(p, i);
    crease_reg_traits traits;
    plan->map_scale = 0;
    plan->radius = INFINITY;
    if (crs_in_constraint(p, i)) {
        if (!crease_map_norm(&b->map, &p->space[i], &p->range, &plan->map_norm, e)) return false;
        if (!crease_map_is_identity(&b->map, &p->space[i], &p->range, &plan->map_scale))
            plan->map_scale = NAN;
    }
    plan->setting = gap ? 1 : crease_setting(p, i, e);
    if (plan->setting == 0) return false;
    plan->diameter = plan->setting == 1 ? b->set->ops->diameter(b->set, &p->space[i], 2) : INFINITY;
    r->ops->traits(r, &p->space[i], INFINITY, &traits);
    *lower += traits.lower;
    return true;
}

static void note_f(crease_analysis *a, bool constrained)
{
    crs_note(
        a, "f bounded below", -1, a->lower > -INFINITY ? CREASE_PROVED : CREASE_UNKNOWN, a->lower,
        a->lower > -INFINITY ? "f + sum r_i is at least this"
                             : "no lower bound of f is known; bound the blocks or declare one");
    if (!constrained) return;
    if (a->M < INFINITY)
        crs_note(a, "M finite", -1, CREASE_PROVED, a->M,
                 "grad_N f is Lipschitz with this constant");
    else if (a->adaptive)
        crs_note(a, "M finite", -1, CREASE_ESTIMATED, a->M,
                 "no constant of grad_N f is known: M is doubled whenever the potential rises");
    else
        crs_note(
            a, "M finite", -1, CREASE_UNKNOWN, a->M,
            "grad_N f has no Lipschitz constant here; give the other blocks compact sets, make "
            "f separable in the last block, or use practical mode");
}

bool crs_gather(const crease_problem *p, int last, crease_analysis *a, crease_error *e)
{
    const crease_blocks unbounded = crs_blocks(p);
    double *radius = crs_doubles(2 * p->count, "the analysis", e), regs = 0;
    bool done = radius != NULL;
    crease_constants k = { .L = 0,
                           .M = 0,
                           .p = 2,
                           .rho = 0,
                           .lower = 0,
                           .concave = true,
                           .separable_last = true,
                           .quadratic_last = true };
    for (int i = 0; done && i < p->count; i++)
        done = gather_block(p, i, a, &regs, e) && crs_set_radius(p, i, &radius[i], e);
    if (done && p->f.ops) {
        const crease_blocks b = { unbounded.count, unbounded.space, radius };
        done = crease_smooth_constants(&p->f, &b, last >= 0 ? last : p->count - 1, &k,
                                       radius + p->count, e);
    }
    for (int i = 0; done && i < p->count; i++) a->block[i].lipschitz = radius[p->count + i];
    crs_free(radius);
    if (!done) return false;

    a->L = k.L, a->M = k.M, a->p = k.p, a->rho = k.rho, a->concave = k.concave;
    a->lower = k.lower + regs;
    a->last_low = k.last_low, a->last_high = k.last_high;
    a->L_last = last >= 0 ? a->block[last].lipschitz : NAN;
    a->map_scale = last >= 0 ? a->block[last].map_scale : NAN;
    if (last >= 0 && k.separable_last) a->M = smaller(a->M, a->L_last);
    if (last >= 0 && isnan(a->map_scale) &&
        !crease_map_sigma_min(&p->block[last].map, &p->space[last], &p->range, &a->sigma_last, e))
        return false;
    if (last >= 0 && !isnan(a->map_scale)) a->sigma_last = square(a->map_scale);
    a->separable_last = k.separable_last;
    a->adaptive = last >= 0 && !(a->M < INFINITY) && a->mode == CREASE_MODE_PRACTICAL;
    if (!a->gap) note_f(a, last >= 0);
    return true;
}
