/* SPDX-License-Identifier: MIT
 * choose: the method, and the block that is updated last
 *
 * With a constraint the last block needs r = 0 and no set. In order of strength: f separable and
 * quadratic in it with A = c I (R2), separable with A = c I (R1), A = c I (ADMM-g), A of full row
 * rank (ADMM-m); without such a block the slack of the extension plays its part. */
#include <stdio.h>

#include "theory/theory.h"

static bool smooth_block(const crease_problem *p, int i)
{
    const crease_reg *r = crs_reg_of(p, i);
    crease_reg_traits t;
    r->ops->traits(r, &p->space[i], INFINITY, &t);
    return !p->block[i].set && t.lipschitz == 0 && crs_in_constraint(p, i);
}

/* How good block i would be as the last one. */
static bool rank_last(const crease_problem *p, int i, crs_last *rank, crease_error *e)
{
    const crease_map *A = &p->block[i].map;
    const crease_blocks b = crs_blocks(p);
    crease_constants k = { .separable_last = true };
    double c, sigma;
    bool exact = false;
    *rank = CRS_NO_LAST;
    if (!smooth_block(p, i)) return true;
    if (p->f.ops && !crease_smooth_constants(&p->f, &b, i, &k, NULL, e)) return false;
    if (crease_map_is_identity(A, &p->space[i], &p->range, &c) && c != 0) {
        /* R2 takes beta c^2 > -2 last_low */
        if (k.quadratic_last &&
            !crs_offers_argmin(p, i, 1 - 2 * smaller(k.last_low, 0), INFINITY, &exact, e))
            return false;
        *rank = !k.separable_last ? CRS_IDENTITY : exact ? CRS_QUADRATIC : CRS_SEPARABLE;
        return true;
    }
    if (!crease_map_sigma_min(A, &p->space[i], &p->range, &sigma, e)) return false;
    if (sigma > 0) *rank = CRS_FULL_RANK;
    return true;
}

static bool find_last(const crease_problem *p, int *last, crs_last *rank, crease_error *e)
{
    *last = -1, *rank = CRS_NO_LAST;
    for (int i = p->count - 1; i >= 0; i--) {
        crs_last here;
        if (!rank_last(p, i, &here, e)) return false;
        if (here > *rank) *rank = here, *last = i;
    }
    return true;
}

/* "a, b or auto": what auto may choose where there is a constraint, or where there is none */
static const char *choices(bool constrained, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (int k = 0; crs_method_at((crease_method)k); k++) {
        const crs_method *m = crs_method_at((crease_method)k);
        if (m->suits && m->constrained == constrained && used < size)
            used += (size_t)snprintf(text + used, size - used, "%s%s", used > 0 ? ", " : "",
                                     crease_method_name((crease_method)k));
    }
    return text;
}

static bool takes(const crease_problem *p, crease_method method, crease_error *e)
{
    const crs_method *m = crs_method_at(method);
    const bool constrained = p->range.order > 0;
    char text[200];
    if (m->elsewhere) return crs_fail(e, CREASE_UNSUPPORTED, "%s", m->elsewhere);
    if (method == CREASE_METHOD_AUTO || m->constrained == constrained) return true;
    return crs_fail(e, CREASE_UNSUPPORTED,
                    m->constrained
                        ? "%s needs a constraint sum A_i x_i = b and this problem has none; use %s "
                          "or auto"
                        : "%s takes no constraint and this problem has one; use %s or auto",
                    crease_method_name(method), choices(constrained, text, sizeof text));
}

static crease_method first_suited(const crease_problem *p, const crease_options *o, crs_last rank)
{
    crease_method k = CREASE_METHOD_AUTO;
    while (!crs_method_at(k)->suits || crs_method_at(k)->constrained != (p->range.order > 0) ||
           !crs_method_at(k)->suits(p, o, rank))
        k++;
    return k;
}

bool crs_choose(const crease_problem *p, const crease_options *o, crease_analysis *a,
                crease_error *e)
{
    crs_last rank = CRS_NO_LAST;
    a->last = -1;
    if (!takes(p, o->method, e)) return false;
    if (p->range.order > 0 && !find_last(p, &a->last, &rank, e)) return false;
    a->method = o->method != CREASE_METHOD_AUTO ? o->method : first_suited(p, o, rank);
    const crs_method *m = crs_method_at(a->method);
    a->exact_last = rank == CRS_QUADRATIC && m->exact && o->mode != CREASE_MODE_PAPER;
    return !m->check || m->check(p, rank, e);
}
