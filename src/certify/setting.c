/* SPDX-License-Identifier: MIT
 * setting: by which definition a block is certified */
#include "certify/certify.h"
#include "set/pair.h"

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
    if (crs_set_bounds(c, &box) && r->ops->dist_box) return 2;
    crs_fail(e, CREASE_UNSUPPORTED,
             "block %s: %s on %s has no computable stationarity residual; use a box, a Lipschitz "
             "regularizer on a compact set, or no set",
             crs_block_name(p, i, name), r->penalty ? r->penalty->name : r->ops->name,
             c->ops->name);
    return 0;
}
