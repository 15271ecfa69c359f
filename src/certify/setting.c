/* SPDX-License-Identifier: MIT
 * setting: by which definition a block is certified */
#include "certify/certify.h"
#include "reg/reg.h"
#include "set/set.h"

/* l0 on a 2-norm ball: d(r + indicator)(x) = dr(x) + N_X(x), since dr(x) holds every vector that
 * vanishes where x does not, so the gap of setting 1 is 0 where the pair is stationary alone. */
static bool is_sparse_ball(const crease_reg *r, const crease_set *c)
{
    const crease_reg *base = crs_unscaled(r);
    return c->ops->ball == CREASE_BALL_L2 && base->ops->kind == CREASE_KIND_ENTRIES &&
           base->penalty == &crs_l0;
}

int crease_setting(const crease_problem *p, int i, crease_error *e)
{
    const crease_reg *r = crs_reg_of(p, i);
    const crease_set *c = p->block[i].set;
    crease_reg_traits t;
    crease_bounds box;
    char name[32];
    if (!c) return 2;
    const double diameter = c->ops->diameter(c, &p->space[i], 2);
    r->ops->traits(r, &p->space[i], diameter, &t);
    if (diameter < INFINITY && t.lipschitz < INFINITY && r->ops->nearest) return 1;
    if (is_sparse_ball(r, c)) return 1;
    if (crs_set_bounds(c, &box) && r->ops->dist_box) return 2;
    crs_fail(e, CREASE_UNSUPPORTED,
             "block %s: %s on %s has no computable stationarity residual; use a box, a Lipschitz "
             "regularizer on a compact set, or no set",
             crs_block_name(p, i, name), r->penalty ? r->penalty->name : r->ops->name,
             c->ops->name);
    return 0;
}
