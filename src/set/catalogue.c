/* SPDX-License-Identifier: MIT
 * catalogue: the list of sets, and one by its name */
#include <crease/catalogue.h>

#include "set/set.h"

static const crease_set_ops *const list[] = {
#define SET(symbol)     &crs_##symbol##_ops,
#define COMBINE(symbol) &crs_##symbol##_ops,
#include "set/list.def"
#undef SET
#undef COMBINE
};

static const bool from_numbers[] = {
#define SET(symbol)     true,
#define COMBINE(symbol) false,
#include "set/list.def"
#undef SET
#undef COMBINE
};

int crease_set_count(void) { return (int)(sizeof list / sizeof *list); }
const crease_set_ops *crease_set_at(int k) { return list[k]; }
static const char *name_at(int k) { return list[k]->name; }

bool crease_set_from_spec(const crease_spec *spec, crease_set *c, crease_error *e)
{
    const int k = crs_find("set", spec->name, crease_set_count(), name_at, e);
    if (k < 0) return false;
    if (!from_numbers[k])
        return crs_fail(
            e, CREASE_UNSUPPORTED,
            "the set '%s' is built from other sets, which '%s' cannot spell; build it in C",
            spec->name, "name:number,...");
    const crease_set_ops *ops = list[k];
    if (!crs_spec_fits(spec, ops->params, ops->vector, e)) return false;

    const int n = crease_param_count(ops->params);
    *c = (crease_set){ .ops = ops };
    for (int i = 0; i < n; i++) c->par[i] = spec->value[i];
    if (ops->vector && spec->count > n) {
        c->vec = spec->value + n;
        c->par[n] = (double)(spec->count - n); /* for the check against the space */
    }
    return crease_param_check(ops->name, ops->params, c->par, e);
}
