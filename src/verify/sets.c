/* SPDX-License-Identifier: MIT
 * sets: the sets of the catalogue, recognised by their tables and names; boxes; sets built from
 * others */
#include <crease/catalogue.h>

#include "verify/verify.h"

static bool is_listed(const crease_set *c)
{
    for (int k = 0; k < crease_set_count(); k++) {
        const crease_set_ops *ops = crease_set_at(k);
        if (ops->support == c->ops->support && strcmp(ops->name, c->ops->name) == 0) return true;
    }
    return false;
}

const crs_set_rule *crs_set_rule_of(crs_verifier *v, const crease_set *c)
{
    const crs_set_rule *const all[] = { crs_box_rules, crs_ball_rules, crs_simplex_rules,
                                        crs_matrix_rules, crs_combined_rules };
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        for (const crs_set_rule *r = all[k]; r->name; r++)
            if (strcmp(r->name, c->ops->name) == 0 && is_listed(c)) return r;
    crs_refuse(v, "the set '%s' is not one of the catalogue", c->ops->name);
    return NULL;
}

bool crs_box_of(const crease_set *c, crs_box *box)
{
    const crease_bounds *given = c->data;
    const char *name = c->ops->name;
    *box = (crs_box){ .low = c->par[0], .high = c->par[1] };
    if (strcmp(name, "box") == 0) {
        if (given) *box = (crs_box){ given->low, given->high, given->lower, given->upper };
        return true;
    }
    if (strcmp(name, "linf-ball") == 0)
        return *box = (crs_box){ -c->par[0], c->par[0], 0, 0 }, true;
    if (strcmp(name, "nonneg") == 0) return *box = (crs_box){ 0, INFINITY, 0, 0 }, true;
    return false;
}

static void box_membership(crs_verifier *v, const crease_set *c, const crease_space *s,
                           const real *x, real slack, crs_membership *m)
{
    crs_box b;
    (void)v;
    crs_box_of(c, &b);
    for (ptrdiff_t j = 0, n = crease_size(s); j < n; j++) {
        demand(m, box_low(&b, j) - x[j], slack + beyond(box_low(&b, j)));
        demand(m, x[j] - box_high(&b, j), slack + beyond(box_high(&b, j)));
    }
}

static real box_support(crs_verifier *v, const crease_set *c, const crease_space *s, const real *w)
{
    crs_box b;
    real sum = 0;
    (void)v;
    crs_box_of(c, &b);
    for (ptrdiff_t j = 0, n = crease_size(s); j < n; j++)
        if (w[j] != 0) sum += w[j] * (w[j] < 0 ? box_low(&b, j) : box_high(&b, j));
    return sum;
}

static real box_diameter(crs_verifier *v, const crease_set *c, const crease_space *s)
{
    crs_box b;
    real sum = 0;
    (void)v;
    crs_box_of(c, &b);
    for (ptrdiff_t j = 0, n = crease_size(s); j < n; j++) {
        const real side = box_high(&b, j) - box_low(&b, j);
        sum += side * side;
    }
    return sqrtl(sum);
}

const crs_set_rule crs_box_rules[] = {
    { "box", box_membership, box_support, box_diameter, false, false },
    { "nonneg", box_membership, box_support, box_diameter, false, true },
    { "linf-ball", box_membership, box_support, box_diameter, true, false },
    { 0 },
};

/* shift + scale z: rounding x to double moves z by slack. */
static void affine_membership(crs_verifier *v, const crease_set *c, const crease_space *s,
                              const real *x, real slack, crs_membership *m)
{
    const crease_affine_set *a = c->data;
    const crs_set_rule *inner = crs_set_rule_of(v, a->inner);
    const ptrdiff_t n = crease_size(s);
    const real size = fabsl((real)a->scale);
    real *z = crs_reals(v, n), largest = 0;
    crs_membership in = { 0, true };
    if (!z || !inner) return;
    for (ptrdiff_t j = 0; j < n; j++) {
        const real shift = a->shift ? a->shift[j] : 0;
        z[j] = (x[j] - shift) / a->scale;
        largest = bigger(largest, fabsl(x[j]) + fabsl(shift));
    }
    inner->membership(v, a->inner, s, z, (slack + 2 * DBL_EPSILON * largest) / size, &in);
    m->excess = bigger(m->excess, size * in.excess);
    m->inside = m->inside && in.inside;
}

static real affine_support(crs_verifier *v, const crease_set *c, const crease_space *s,
                           const real *w)
{
    const crease_affine_set *a = c->data;
    const crs_set_rule *inner = crs_set_rule_of(v, a->inner);
    const ptrdiff_t n = crease_size(s);
    real *z = crs_reals(v, n), sum = 0;
    if (!z || !inner) return NAN;
    for (ptrdiff_t j = 0; j < n; j++) {
        z[j] = a->scale * w[j];
        sum += (a->shift ? a->shift[j] : 0) * w[j];
    }
    return sum + inner->support(v, a->inner, s, z);
}

static real affine_diameter(crs_verifier *v, const crease_set *c, const crease_space *s)
{
    const crease_affine_set *a = c->data;
    const crs_set_rule *inner = crs_set_rule_of(v, a->inner);
    return inner ? fabsl((real)a->scale) * inner->diameter(v, a->inner, s) : (real)NAN;
}

static void product_membership(crs_verifier *v, const crease_set *c, const crease_space *s,
                               const real *x, real slack, crs_membership *m)
{
    const crease_product_set *p = c->data;
    (void)s;
    for (int i = 0; i < p->count; x += crease_size(&p->space[i++])) {
        const crs_set_rule *part = crs_set_rule_of(v, &p->inner[i]);
        if (part) part->membership(v, &p->inner[i], &p->space[i], x, slack, m);
    }
}

static real product_support(crs_verifier *v, const crease_set *c, const crease_space *s,
                            const real *w)
{
    const crease_product_set *p = c->data;
    real sum = 0;
    (void)s;
    for (int i = 0; i < p->count; w += crease_size(&p->space[i++])) {
        const crs_set_rule *part = crs_set_rule_of(v, &p->inner[i]);
        sum += part ? part->support(v, &p->inner[i], &p->space[i], w) : (real)NAN;
    }
    return sum;
}

static real product_diameter(crs_verifier *v, const crease_set *c, const crease_space *s)
{
    const crease_product_set *p = c->data;
    real norm = 0;
    (void)s;
    for (int i = 0; i < p->count; i++) {
        const crs_set_rule *part = crs_set_rule_of(v, &p->inner[i]);
        norm = part ? hypotl(norm, part->diameter(v, &p->inner[i], &p->space[i])) : (real)NAN;
    }
    return norm;
}

const crs_set_rule crs_combined_rules[] = {
    { "affine", affine_membership, affine_support, affine_diameter, false, false },
    { "product", product_membership, product_support, product_diameter, false, false },
    { 0 },
};
