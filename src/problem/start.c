/* SPDX-License-Identifier: MIT
 * start: where a block begins: at its start or by crs_default_start, inside X_i and the domain of
 * r_i */
#include "problem/problem.h"
#include "reg/reg.h"
#include "set/set.h"

/* Into X_i by projection, or to a point of it. */
static bool enter_set(const crease_problem *p, int i, double *x, double *work)
{
    const crease_set *c = p->block[i].set;
    const crease_space *s = &p->space[i];
    if (!c || !(c->ops->excess(c, s, x, work) > 1e-15 * (1 + crease_norm(s, x)))) return false;
    if (c->ops->project)
        c->ops->project(c, s, x, x, work);
    else
        c->ops->lmo(c, s, x, x, work);
    return true;
}

/* One prox leads into the domain of r_i, inside X_i. */
static bool enter_domain(const crease_problem *p, int i, bool joint, double *x, double *work)
{
    const crease_set *c = p->block[i].set;
    const crease_reg *r = crs_reg_of(p, i);
    const crease_space *s = &p->space[i];
    double step = INFINITY;
    if (r->ops->value(r, s, x, work) < INFINITY) return false;
    if (!c)
        r->ops->prox(r, s, 1, x, x, work);
    else if (joint && crease_joint_check(r, c, s, &step, NULL))
        crease_joint_prox(r, c, s, smaller(1, step / 2), x, x, work);
    else
        return false;
    return true;
}

bool crs_start_block(const crease_problem *p, int i, uint64_t seed, bool joint, double *x,
                     double *work)
{
    const crease_block *b = &p->block[i];
    if (b->start)
        copy(crease_size(&p->space[i]), b->start, x);
    else
        crs_default_start(p, i, seed, x);
    const bool moved = enter_set(p, i, x, work), entered = enter_domain(p, i, joint, x, work);
    return b->start && (moved || entered);
}
