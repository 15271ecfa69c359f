/* SPDX-License-Identifier: MIT
 * check: everything about a problem that can be wrong without running it */
#include "problem/problem.h"

/* Puts the block's name in front of the sentence in e. */
static bool blame(const crease_problem *p, int i, crease_error *e)
{
    char buffer[32];
    if (e) {
        crease_error inner = *e;
        crs_fail(e, inner.code, "block %s: %.300s", crs_block_name(p, i, buffer), inner.text);
    }
    return false;
}

static bool finite(const char *what, ptrdiff_t n, const double *x, crease_error *e)
{
    for (ptrdiff_t j = 0; j < n; j++)
        if (!isfinite(x[j]))
            return crs_fail(e, CREASE_BAD_DATA, "%s has %g at entry %td; give finite numbers", what,
                            x[j], j + 1);
    return true;
}

static bool check_block(const crease_problem *p, int i, crease_error *e)
{
    const crease_block *b = &p->block[i];
    if (!crease_space_check(&p->space[i], e)) return false;
    if (!crease_reg_check(crs_reg_of(p, i), &p->space[i], e)) return false;
    if (b->set && !crease_set_check(b->set, &p->space[i], e)) return false;
    if (b->map.ops && p->range.order == 0)
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "it has a map but the problem has no constraint; give the range and rhs");
    if (b->map.ops && !crease_map_check(&b->map, &p->space[i], &p->range, e)) return false;
    return !b->start || finite("the start point", crease_size(&p->space[i]), b->start, e);
}

bool crease_problem_check(const crease_problem *p, crease_error *e)
{
    bool constrained = false;
    if (p->count < 1)
        return crs_fail(e, CREASE_BAD_ARGUMENT, "the problem has %d blocks; give at least one",
                        p->count);
    if (p->range.order > 0 && !crease_space_check(&p->range, e)) return false;
    for (int i = 0; i < p->count; i++) {
        if (!check_block(p, i, e)) return blame(p, i, e);
        constrained = constrained || p->block[i].map.ops;
    }
    if (p->range.order > 0 && !constrained)
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "the constraint has a range but no block has a map; give the maps");
    const crease_blocks b = crs_blocks(p);
    if (p->f.ops && !crease_smooth_check(&p->f, &b, e)) return false;
    return p->range.order == 0 || !p->rhs ||
           finite("the right-hand side", crease_size(&p->range), p->rhs, e);
}

bool crs_has_callback(const crease_smooth *f)
{
    if (!f->ops) return false;
    if (f->ops->family == CREASE_SMOOTH_CALLBACK) return true;
    const crease_smooth_list *sum = f->ops->family == CREASE_SMOOTH_SUM ? f->data : NULL;
    for (int k = 0; sum && k < sum->count; k++)
        if (crs_has_callback(&sum->term[k])) return true;
    return false;
}
