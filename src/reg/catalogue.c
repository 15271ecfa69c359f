/* SPDX-License-Identifier: MIT
 * catalogue: the list of regularizers, and one by its name */
#include <crease/catalogue.h>

#include "reg/reg.h"

static const crease_reg_entry list[] = {
#define PENALTY(symbol, name)                                                                      \
    { name, &crs_separable_ops, &crs_##symbol }, { "group-" name, &crs_group_ops, &crs_##symbol }, \
        { "spectral-" name, &crs_spectral_ops, &crs_##symbol },                                    \
        { "nonneg-" name, &crs_nonneg_ops, &crs_##symbol },
#define ALIAS(name, kind, symbol) { name, &crs_##kind##_ops, &crs_##symbol },
#define REG(symbol, name)         { name, &crs_##symbol##_ops, NULL },
#include "reg/list.def"
#undef PENALTY
#undef ALIAS
#undef REG
};

int crease_reg_count(void) { return (int)(sizeof list / sizeof *list); }
const crease_reg_entry *crease_reg_at(int k) { return &list[k]; }
static const char *name_at(int k) { return list[k].name; }

const crease_param *crease_reg_params(const crease_reg_entry *entry)
{
    return entry->penalty && !entry->ops->vector ? entry->penalty->params : entry->ops->params;
}

bool crease_reg_from_spec(const crease_spec *spec, crease_reg *r, crease_error *e)
{
    const int k = crs_find("regularizer", spec->name, crease_reg_count(), name_at, e);
    if (k < 0) return false;
    const crease_param *params = crease_reg_params(&list[k]);
    const char *vector = list[k].ops->vector;
    if (!crs_spec_fits(spec, params, vector, e)) return false;

    const int n = crease_param_count(params);
    *r = (crease_reg){ .ops = list[k].ops, .penalty = list[k].penalty };
    if (vector && r->penalty) fill(CREASE_PARS, 1, r->par);
    for (int i = 0; i < n; i++) r->par[i] = spec->value[i];
    if (vector && spec->count > n) r->weight = spec->value + n;
    return crease_param_check(list[k].name, params, r->par, e);
}
