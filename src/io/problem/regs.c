/* SPDX-License-Identifier: MIT
 * regs: regularizers of a problem file: "scad:0.1,3.7", {"scad": {"lambda": 0.1, "a": 3.7}},
 * with "weights" and "groups", or {"scaled": {"alpha": 2, "regularizer": ...}} */
#include <crease/catalogue.h>

#include "io/problem/problem.h"

static const char *name_at(int k) { return crease_reg_at(k)->name; }

static bool is_kind(const crease_reg_ops *ops, const char *kind)
{
    return strcmp(ops->name, kind) == 0;
}

static bool takes_weights(const crease_reg_ops *ops)
{
    return !ops->vector &&
           (is_kind(ops, "separable") || is_kind(ops, "nonneg") || is_kind(ops, "group"));
}

/* [3, 2, 4], or {"labels": [...]} or the name of a file of labels. */
static bool read_groups(crs_reader *r, const crs_node *at, const crease_space *s, crease_reg *out)
{
    static const char *const keys[] = { "labels" };
    crs_node labels = *at;
    crs_array numbers;
    crs_grouping g = { .start = NULL };
    if (json_is_object(at->value) &&
        (!crs_has_keys(r, at, 1, keys) || !crs_need(r, at, "labels", &labels)))
        return false;
    if (!crs_array_at(r, &labels, false, &numbers)) return false;
    const bool sizes = json_is_array(at->value);
    const bool done = (sizes ? crs_grouping_sizes : crs_grouping_labels)("groups", &numbers,
                                                                         crease_size(s), &g, r->e);
    if (!done) crs_grouping_free(&g);
    if (!done) return crs_blame(r, at);
    const bool start = crs_keep(r, g.start), index = !g.index || crs_keep(r, g.index);
    crease_groups *groups = start && index ? crs_keep_new(r, 1, sizeof *groups) : NULL;
    if (!groups) return false;
    *groups = g.groups;
    out->groups = groups;
    return true;
}

/* The data besides the parameters; every key must be known. */
static bool read_data(crs_reader *r, const crs_node *at, const crease_space *s, crease_reg *out)
{
    crs_node here;
    if (is_kind(out->ops, "group") &&
        (!crs_need(r, at, "groups", &here) || !read_groups(r, &here, s, out)))
        return false;
    if (!crs_member(at, "weights", &here)) return true;
    const crease_space one_each = out->groups ? crease_vector(out->groups->count) : *s;
    return crs_filled_at(r, &here, &one_each, false, &out->weight);
}

static bool known_keys(const crs_reader *r, const crs_node *at, const crease_reg_entry *entry)
{
    const crease_param *params = crease_reg_params(entry);
    const char *keys[CREASE_PARS + 3];
    int n = 0;
    for (; params && params[n].name; n++) keys[n] = params[n].name;
    if (entry->ops->vector) keys[n++] = entry->ops->vector;
    if (takes_weights(entry->ops)) keys[n++] = "weights";
    if (is_kind(entry->ops, "group")) keys[n++] = "groups";
    return crs_has_keys(r, at, n, keys);
}

static bool read_scaled(crs_reader *r, const crs_node *at, const crease_space *s, crease_reg *out)
{
    static const char *const keys[] = { "alpha", "regularizer" };
    crs_node alpha, of;
    double a = NAN;
    crease_reg *inner = crs_keep_new(r, 1, sizeof *inner);
    if (!inner || !crs_has_keys(r, at, 2, keys) || !crs_need(r, at, "alpha", &alpha) ||
        !crs_need(r, at, "regularizer", &of) || !crs_number_at(r, &alpha, &a) ||
        !crs_reg_at(r, &of, s, inner))
        return false;
    *out = crease_scaled(a, inner);
    return true;
}

static bool read_named(crs_reader *r, const crs_node *at, const crease_space *s, crease_reg *out)
{
    crease_spec spec;
    const int k = crs_find("regularizer", at->key, crease_reg_count(), name_at, r->e);
    if (k < 0) return crs_blame(r, at->up);
    const crease_reg_entry *entry = crease_reg_at(k);
    if (!known_keys(r, at, entry) ||
        !crs_spec_at(r, at, crease_reg_params(entry), entry->ops->vector, s, &spec))
        return false;
    if (!crease_reg_from_spec(&spec, out, r->e)) return crs_blame(r, at);
    return read_data(r, at, s, out);
}

static bool from_text(crs_reader *r, const crs_node *at, const crease_space *s, crease_reg *out)
{
    crease_spec spec;
    if (!crs_spec_text_at(r, at, &spec)) return false;
    if (!crease_reg_from_spec(&spec, out, r->e)) return crs_blame(r, at);
    if (out->ops->vector && spec.count != crease_size(s)) /* such an entry takes nothing else */
        return crs_fail_at(r, at, "%s has %td numbers but the block %td entries; give one for each",
                           spec.name, spec.count, crease_size(s));
    return !is_kind(out->ops, "group") ||
           crs_fail_at(r, at, "%s needs groups; write {\"%s\": {..., \"groups\": [sizes]}}",
                       spec.name, spec.name);
}

bool crs_reg_at(crs_reader *r, const crs_node *at, const crease_space *s, crease_reg *out)
{
    crs_node named;
    if (json_is_string(at->value)) {
        if (!from_text(r, at, s, out)) return false;
    } else if (!json_is_object(at->value)) {
        return crs_fail_at(r, at, "this is %s; write \"l1:0.1\" or {\"l1\": {\"lambda\": 0.1}}",
                           crs_kind_of(at->value));
    } else {
        if (!crs_only(r, at, "a regularizer", &named)) return false;
        const bool scaled = strcmp(named.key, "scaled") == 0;
        if (!(scaled ? read_scaled : read_named)(r, &named, s, out)) return false;
    }
    return crease_reg_check(out, s, r->e) || crs_blame(r, at);
}
