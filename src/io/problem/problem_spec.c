/* SPDX-License-Identifier: MIT
 * problem_spec: parameters of catalogue entries, by name or as text */
#include "io/problem/problem.h"

bool crs_spec_text_at(crs_reader *r, const crs_node *at, crease_spec *spec)
{
    const char *text;
    if (!crs_text_at(r, at, &text)) return false;
    if (!crease_spec_parse(text, spec, r->e)) return crs_blame(r, at);
    return !spec->value || crs_keep(r, spec->value);
}

bool crs_spec_at(crs_reader *r, const crs_node *at, const crease_param *params, const char *vector,
                 const crease_space *s, crease_spec *spec)
{
    const int n = crease_param_count(params);
    const ptrdiff_t more = vector ? crease_size(s) : 0;
    crs_node here;
    snprintf(spec->name, sizeof spec->name, "%s", at->key);
    spec->count = n + more;
    spec->value = crs_keep_new(r, n + more, sizeof *spec->value);
    if (!spec->value) return false;
    for (int k = 0; k < n; k++)
        if (!crs_need(r, at, params[k].name, &here) || !crs_extended_at(r, &here, &spec->value[k]))
            return false;
    if (!vector) return true;
    const double *all = NULL;
    if (!crs_need(r, at, vector, &here) || !crs_filled_at(r, &here, s, false, &all)) return false;
    copy(more, all, spec->value + n);
    return true;
}
