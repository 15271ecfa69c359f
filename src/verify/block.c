/* SPDX-License-Identifier: MIT
 * block: the stationarity residual of one block, in the setting that its pair (r_i, X_i) has
 *
 *   no set                        setting 2: dist(-c, dr(x))
 *   r Lipschitz, X_i compact      setting 1, in gap.c
 *   r = l0, X_i an l2 ball        the same: d(r + indicator)(x) = dr(x) + N_X(x) there
 *   r by entries, X_i a box       setting 2: dist(-c, d(r + indicator)(x)) */
#include "verify/verify.h"

/* dist(-c, d(r + indicator of box)(x)) moves by no more than c does. */
static bool distance(crs_verifier *v, const crs_place *at, const crs_known_reg *k,
                     const crs_box *box, crs_finding *f)
{
    const crease_space *s = &v->p->space[at->i];
    const ptrdiff_t n = crease_size(s);
    real *t = crs_reals(v, n), *g = crs_reals(v, n);
    crs_sizes size;
    if (!t || !g) return false;
    for (ptrdiff_t j = 0; j < n; j++) t[j] = -at->c[j];
    if (!crs_nearest_point(v, &(crs_subdifferential){ k, s, box, at->x, 0 }, t, g, &size))
        return false;
    for (ptrdiff_t j = 0; j < n; j++) t[j] -= g[j];
    f->residual = crs_length(n, t);
    f->rounding = at->error + working_roundings(n) * size.used;
    if (f->residual < INFINITY) f->rounding += working_roundings(n) * f->residual;
    f->scale = at->size;
    f->upper_bound = k->kind == CRS_SPECTRUM && k->rule->kink;
    return true;
}

static bool is_sparse_ball(const crs_known_reg *k, const crs_set_rule *rule)
{
    return k->kind == CRS_ENTRIES && strcmp(k->rule->name, "l0") == 0 && k->low == -INFINITY &&
           k->high == INFINITY && strcmp(rule->name, "l2-ball") == 0;
}

bool crs_find_block(crs_verifier *v, const crs_place *at, const double *g, crs_finding *f)
{
    const crease_block *b = &v->p->block[at->i];
    const crease_space *s = &v->p->space[at->i];
    crs_known_reg k;
    crs_box box;
    if (!crs_know_reg(v, &b->reg, &k)) return false;
    if (!b->set) return distance(v, at, &k, NULL, f);

    const crs_set_rule *rule = crs_set_rule_of(v, b->set);
    const real diameter = rule ? rule->diameter(v, b->set, s) : (real)NAN;
    if (!rule || v->no_memory) return false;
    if ((diameter < INFINITY && crs_is_lipschitz(&k, s)) || is_sparse_ball(&k, rule))
        return crs_find_gap(v, at, &k, g, f);
    if (k.kind == CRS_ENTRIES && crs_box_of(b->set, &box)) return distance(v, at, &k, &box, f);
    return crs_refuse(v, "block %d: %s on %s has no computable residual", at->i + 1, k.rule->name,
                      rule->name);
}
