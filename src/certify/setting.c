/* SPDX-License-Identifier: MIT
 * setting: by which definition a block is certified */
#include "certify/certify.h"

extern const crease_set_ops crs_box_ops, crs_orthant_ops, crs_linf_ball_ops;

bool crs_set_as_box(const crease_set *c, crease_bounds *b)
{
    if (c->ops == &crs_linf_ball_ops)
        *b = (crease_bounds){ .low = -c->par[0], .high = c->par[0] };
    else if (c->ops == &crs_orthant_ops)
        *b = (crease_bounds){ .low = 0, .high = INFINITY };
    else if (c->ops == &crs_box_ops && c->data)
        *b = *(const crease_bounds *)c->data;
    else if (c->ops == &crs_box_ops)
        *b = (crease_bounds){ .low = c->par[0], .high = c->par[1] };
    else
        return false;
    return true;
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
    if (crs_set_as_box(c, &box) && r->ops->dist_box) return 2;
    crs_fail(e, CREASE_UNSUPPORTED,
             "block %s: %s on %s has no computable stationarity residual; use a box, a Lipschitz "
             "regularizer on a compact set, or no set",
             crs_block_name(p, i, name), r->penalty ? r->penalty->name : r->ops->name,
             c->ops->name);
    return 0;
}
