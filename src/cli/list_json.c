/* SPDX-License-Identifier: MIT
 * list_json: the catalogues as data. A range without an end has null there. */
#include "cli/list.h"

static json_t *text(const char *t) { return t ? json_string(t) : json_null(); }
static json_t *end(double x) { return isfinite(x) ? json_real(x) : json_null(); }

static json_t *parameter(const crease_param *p)
{
    return json_pack("{s:s, s:o, s:o, s:b, s:b, s:b, s:s}", "name", p->name, "low", end(p->low),
                     "high", end(p->high), "low_open", (p->flags & CREASE_OPEN_LOW) != 0,
                     "high_open", (p->flags & CREASE_OPEN_HIGH) != 0, "integer",
                     (p->flags & CREASE_INTEGER) != 0, "text", p->text);
}

static json_t *parameters(const crease_param *list)
{
    json_t *all = json_array();
    for (const crease_param *p = list; p && p->name; p++)
        if (json_array_append_new(all, parameter(p)) != 0) {
            json_decref(all);
            return NULL;
        }
    return all;
}

static json_t *traits(int kind, const crs_described *d)
{
    if (kind == CRS_REGULARIZERS)
        return json_pack("{s:b, s:o, s:o, s:b, s:b}", "convex", d->convex, "lipschitz",
                         text(d->lipschitz), "weak_convexity", text(d->weak_convexity), "matrix",
                         d->matrix, "groups", d->groups);
    if (kind == CRS_SETS)
        return json_pack("{s:b, s:b, s:b}", "compact", d->compact, "matrix", d->matrix,
                         "projection", d->projection);
    return json_object();
}

static json_t *entry(int kind, const crs_described *d)
{
    static const char *const singular[CRS_KINDS] = { "regularizer", "set", "map", "smooth" };
    return json_pack("{s:s, s:s, s:s, s:o, s:o, s:o, s:o, s:o}", "kind", singular[kind], "name",
                     d->name, "formula", d->formula, "rho", text(d->rho), "parameters",
                     parameters(d->params), "vector_parameter", text(d->vector), "data",
                     text(d->data), "traits", traits(kind, d));
}

bool crs_list_json(int first, int last, crease_error *e)
{
    crs_json j = crs_json_new("list");
    json_t *all = json_array();
    for (int kind = first; kind <= last; kind++)
        for (int k = 0; k < crs_described_count(kind); k++) {
            const crs_described d = crs_described_at(kind, k);
            if (json_array_append_new(all, entry(kind, &d)) != 0) j.failed = true;
        }
    crs_json_set(&j, "entries", all);
    return crs_json_print(&j, e);
}
