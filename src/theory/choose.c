/* SPDX-License-Identifier: MIT
 * choose: the method, and the block that is updated last
 *
 * With a constraint the last block needs r = 0 and no set. In order of strength: f separable and
 * quadratic in it with A = c I (R2), separable with A = c I (R1), A = c I (ADMM-g), A of full row
 * rank (ADMM-m); without such a block the slack of the extension plays its part. */
#include "theory/theory.h"

enum { NONE, FULL_RANK, IDENTITY, SEPARABLE, QUADRATIC };

static bool smooth_block(const crease_problem *p, int i)
{
    const crease_reg *r = crs_reg_of(p, i);
    crease_reg_traits t;
    r->ops->traits(r, &p->space[i], INFINITY, &t);
    return !p->block[i].set && t.lipschitz == 0 && crs_in_constraint(p, i);
}

/* How good block i would be as the last one. */
static bool rank_last(const crease_problem *p, int i, int *rank, crease_error *e)
{
    const crease_map *A = &p->block[i].map;
    const crease_blocks b = crs_blocks(p);
    crease_constants k = { .separable_last = true };
    double c, sigma;
    bool exact = false;
    *rank = NONE;
    if (!smooth_block(p, i)) return true;
    if (p->f.ops && !crease_smooth_constants(&p->f, &b, i, &k, NULL, e)) return false;
    if (crease_map_is_identity(A, &p->space[i], &p->range, &c) && c != 0) {
        /* R2 takes beta c^2 > -2 last_low */
        if (k.quadratic_last &&
            !crs_offers_argmin(p, i, 1 - 2 * smaller(k.last_low, 0), INFINITY, &exact, e))
            return false;
        *rank = !k.separable_last ? IDENTITY : exact ? QUADRATIC : SEPARABLE;
        return true;
    }
    if (!crease_map_sigma_min(A, &p->space[i], &p->range, &sigma, e)) return false;
    if (sigma > 0) *rank = FULL_RANK;
    return true;
}

static bool find_last(const crease_problem *p, int *last, int *rank, crease_error *e)
{
    *last = -1, *rank = NONE;
    for (int i = p->count - 1; i >= 0; i--) {
        int here;
        if (!rank_last(p, i, &here, e)) return false;
        if (here > *rank) *rank = here, *last = i;
    }
    return true;
}

/* Does every block have an exact prox with its set? Otherwise only linear oracles will do. */
static bool has_steps(const crease_problem *p)
{
    for (int i = 0; i < p->count; i++)
        if (p->block[i].set &&
            !crease_joint_check(crs_reg_of(p, i), p->block[i].set, &p->space[i], NULL, NULL))
            return false;
    return true;
}

/* Without compact sets and their oracles no mode can take a conditional gradient step. */
static bool has_oracles(const crease_problem *p, crease_error *e)
{
    char name[32];
    for (int i = 0; i < p->count; i++) {
        const crease_set *c = p->block[i].set;
        if (!c || !(c->ops->diameter(c, &p->space[i], 2) < INFINITY))
            return crs_fail(e, CREASE_UNSUPPORTED,
                            "gcg needs a compact set for every block; give block %s one, or use "
                            "prox-bcd",
                            crs_block_name(p, i, name));
        if (!crease_lmo_with_check(c, crs_reg_of(p, i), &p->space[i], e)) return false;
    }
    return true;
}

static bool choose_unconstrained(const crease_problem *p, const crease_options *o,
                                 crease_analysis *a, crease_error *e)
{
    a->last = -1;
    a->method = o->method != CREASE_METHOD_AUTO ? o->method
                : has_steps(p)                  ? CREASE_METHOD_PROX_BCD
                                                : CREASE_METHOD_GCG;
    if (a->method == CREASE_METHOD_GCG) return has_oracles(p, e);
    if (a->method == CREASE_METHOD_PROX_BCD || a->method == CREASE_METHOD_BCD) return true;
    return crs_fail(
        e, CREASE_UNSUPPORTED,
        "%s needs a constraint sum A_i x_i = b and this problem has none; use prox-bcd, "
        "gcg or auto",
        crease_method_name(a->method));
}

bool crs_choose(const crease_problem *p, const crease_options *o, crease_analysis *a,
                crease_error *e)
{
    int rank;
    if (o->method == CREASE_METHOD_ENVELOPE)
        return crs_fail(e, CREASE_UNSUPPORTED,
                        "envelope is a method of CP robust PCA alone (crease rpca); use auto");
    if (p->range.order == 0) return choose_unconstrained(p, o, a, e);
    if (o->method == CREASE_METHOD_GCG || o->method == CREASE_METHOD_PROX_BCD ||
        o->method == CREASE_METHOD_BCD)
        return crs_fail(e, CREASE_UNSUPPORTED,
                        "%s takes no constraint and this problem has one; use admm-g, admm-m, "
                        "extension or auto",
                        crease_method_name(o->method));
    if (!find_last(p, &a->last, &rank, e)) return false;
    const bool wants_g = o->method == CREASE_METHOD_ADMM_G, paper = o->mode == CREASE_MODE_PAPER;
    a->method = o->method;
    if (o->method == CREASE_METHOD_AUTO)
        a->method = rank == QUADRATIC && !paper ? CREASE_METHOD_ADMM_M
                    : rank >= IDENTITY          ? CREASE_METHOD_ADMM_G
                    : rank == FULL_RANK         ? CREASE_METHOD_ADMM_M
                                                : CREASE_METHOD_EXTENSION;
    if (a->method == CREASE_METHOD_EXTENSION) return true;
    a->exact_last = rank == QUADRATIC && a->method == CREASE_METHOD_ADMM_M && !paper;
    if (rank >= (wants_g ? IDENTITY : FULL_RANK)) return true;
    return crs_fail(
        e, CREASE_UNSUPPORTED,
        "%s needs a last block with r = 0, no set and %s, and no block is like that; use "
        "the extension, which needs none",
        crease_method_name(a->method),
        wants_g ? "A_N = c I" : "A_N of full row rank (sigma_N > 0)");
}
