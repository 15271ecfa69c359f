/* SPDX-License-Identifier: MIT
 * regs: a regularizer of the catalogue, recognised by its table and the names in it */
#include <crease/catalogue.h>

#include "verify/verify.h"

/* A table or penalty of the user's own may bear any name: only those of the catalogue count. */
static bool is_listed(const crease_reg *r)
{
    for (int k = 0; k < crease_reg_count(); k++) {
        const crease_reg_entry *entry = crease_reg_at(k);
        if (entry->ops == r->ops && entry->penalty == r->penalty) return true;
    }
    return false;
}

static bool is_scaled(const crease_reg *r)
{
    return r->ops->value == crease_scaled(1, NULL).ops->value;
}

static bool is_named(const crease_reg *r, const char *name)
{
    return strcmp(r->ops->name, name) == 0;
}

static bool find_kind(const crease_reg *r, crs_known_reg *k)
{
    if (is_named(r, "separable") || is_named(r, "weighted-l1") || is_named(r, "nonneg"))
        k->kind = CRS_ENTRIES;
    else if (is_named(r, "group"))
        k->kind = CRS_GROUPS;
    else if (is_named(r, "spectral"))
        k->kind = CRS_SPECTRUM;
    else if (is_named(r, "tv1d"))
        k->kind = CRS_VARIATION;
    else if (is_named(r, "box"))
        k->low = r->par[0], k->high = r->par[1];
    else
        return false;
    if (is_named(r, "nonneg")) k->low = 0;
    k->rule = crs_rule_named(r->penalty ? r->penalty->name : "zero");
    return k->rule != NULL;
}

bool crs_know_reg(crs_verifier *v, const crease_reg *r, crs_known_reg *k)
{
    *k = (crs_known_reg){ .factor = 1, .low = -INFINITY, .high = INFINITY };
    k->rule = crs_rule_named("zero");
    if (!r->ops) return true;
    for (; is_scaled(r); r = r->data) k->factor *= r->par[0];
    k->par = r->par;
    k->weight = r->weight;
    k->groups = r->groups;
    if (is_listed(r) && find_kind(r, k)) return true;
    return crs_refuse(v, "the regularizer '%s' is not one of the catalogue",
                      r->penalty ? r->penalty->name : r->ops->name);
}

bool crs_is_lipschitz(const crs_known_reg *k, const crease_space *s)
{
    const ptrdiff_t n = k->kind == CRS_GROUPS ? k->groups->count : crease_size(s);
    bool present = !k->weight;
    if (k->low > -INFINITY || k->high < INFINITY) return false;
    if (!k->rule->steep || !(k->par[0] > 0)) return true;
    for (ptrdiff_t j = 0; k->weight && j < n; j++) present = present || k->weight[j] > 0;
    return !present;
}

/* Lengths of groups and singular values are never known exactly: any may be at the kink. */
bool crs_at_kink(const crs_known_reg *k, const crease_space *s, const real *x)
{
    if (!k->rule->kink || k->kind != CRS_ENTRIES) return k->rule->kink != NULL;
    for (ptrdiff_t j = 0, n = crease_size(s); j < n; j++)
        if (fabsl(x[j]) == k->rule->kink(k->par)) return true;
    return false;
}
