/* SPDX-License-Identifier: MIT
 * sets: sets of a problem file: "simplex:1", {"box": {"lower": [...], "upper": 1}},
 * {"affine": {"inner": ..., "scale": 2, "shift": [...]}}, {"product": {"parts": [...]}} */
#include <crease/catalogue.h>

#include "io/problem/problem.h"

static const char *name_at(int k) { return crease_set_at(k)->name; }

typedef bool set_reader(crs_reader *r, const crs_node *at, const crease_space *s, crease_set *out);

/* low and high for all entries, lower and upper one by one; a side left out is infinite. */
static bool read_bounds(crs_reader *r, const crs_node *at, const crease_space *s, crease_bounds *b)
{
    crs_node here;
    *b = (crease_bounds){ .low = -INFINITY, .high = INFINITY };
    if (crs_member(at, "low", &here) && !crs_extended_at(r, &here, &b->low)) return false;
    if (crs_member(at, "high", &here) && !crs_extended_at(r, &here, &b->high)) return false;
    if (crs_member(at, "lower", &here) && !crs_filled_at(r, &here, s, true, &b->lower))
        return false;
    return !crs_member(at, "upper", &here) || crs_filled_at(r, &here, s, true, &b->upper);
}

static bool read_box(crs_reader *r, const crs_node *at, const crease_space *s, crease_set *out)
{
    static const char *const keys[] = { "low", "high", "lower", "upper" };
    crease_bounds *b = crs_keep_new(r, 1, sizeof *b);
    if (!b || !crs_has_keys(r, at, 4, keys) || !read_bounds(r, at, s, b)) return false;
    *out = b->lower || b->upper ? crease_box_array(b) : crease_box(b->low, b->high);
    return true;
}

/* A box, a and b. */
static bool read_box_hyperplane(crs_reader *r, const crs_node *at, const crease_space *s,
                                crease_set *out)
{
    static const char *const keys[] = { "low", "high", "lower", "upper", "a", "b" };
    crs_node a, b;
    crease_row *row = crs_keep_new(r, 1, sizeof *row);
    if (!row || !crs_has_keys(r, at, 6, keys) || !read_bounds(r, at, s, &row->box) ||
        !crs_need(r, at, "a", &a) || !crs_filled_at(r, &a, s, false, &row->a) ||
        !crs_need(r, at, "b", &b) || !crs_number_at(r, &b, &row->b))
        return false;
    *out = crease_box_hyperplane_array(row);
    return true;
}

static bool read_affine(crs_reader *r, const crs_node *at, const crease_space *s, crease_set *out)
{
    static const char *const keys[] = { "inner", "scale", "shift" };
    crs_node here;
    crease_affine_set *a = crs_keep_new(r, 1, sizeof *a);
    crease_set *inner = crs_keep_new(r, 1, sizeof *inner);
    if (!a || !inner || !crs_has_keys(r, at, 3, keys) || !crs_need(r, at, "inner", &here) ||
        !crs_set_at(r, &here, s, inner))
        return false;
    *a = (crease_affine_set){ .inner = inner, .scale = 1 };
    if (crs_member(at, "scale", &here) && !crs_number_at(r, &here, &a->scale)) return false;
    if (crs_member(at, "shift", &here) && !crs_filled_at(r, &here, s, false, &a->shift))
        return false;
    *out = crease_affine(a);
    return true;
}

static bool read_part(crs_reader *r, const crs_node *at, crease_set *inner, crease_space *space)
{
    static const char *const keys[] = { "set", "shape" };
    crs_node set, shape;
    return crs_has_keys(r, at, 2, keys) && crs_need(r, at, "set", &set) &&
           crs_need(r, at, "shape", &shape) && crs_shape_at(r, &shape, space) &&
           crs_set_at(r, &set, space, inner);
}

static bool read_product(crs_reader *r, const crs_node *at, const crease_space *s, crease_set *out)
{
    static const char *const keys[] = { "parts" };
    crs_node parts;
    (void)s;
    if (!crs_has_keys(r, at, 1, keys) || !crs_need(r, at, "parts", &parts)) return false;
    const size_t n = json_array_size(parts.value);
    if (n < 1)
        return crs_fail_at(r, &parts,
                           "give a list of {\"set\": ..., \"shape\": ...}, one per part");
    crease_product_set *p = crs_keep_new(r, 1, sizeof *p);
    crease_set *inner = crs_keep_new(r, (ptrdiff_t)n, sizeof *inner);
    crease_space *space = crs_keep_new(r, (ptrdiff_t)n, sizeof *space);
    if (!p || !inner || !space) return false;
    for (size_t k = 0; k < n; k++) {
        const crs_node part = crs_element(&parts, k);
        if (!read_part(r, &part, &inner[k], &space[k])) return false;
    }
    *p = (crease_product_set){ (int)n, inner, space };
    *out = crease_product(p);
    return true;
}

/* Any other set: its parameters and its vector. */
static bool read_named(crs_reader *r, const crs_node *at, const crease_space *s, crease_set *out)
{
    crease_spec spec;
    const char *keys[CREASE_PARS + 1];
    const int k = crs_find("set", at->key, crease_set_count(), name_at, r->e);
    int n = 0;
    if (k < 0) return crs_blame(r, at->up);
    const crease_set_ops *ops = crease_set_at(k);
    for (; ops->params && ops->params[n].name; n++) keys[n] = ops->params[n].name;
    if (ops->vector) keys[n++] = ops->vector;
    if (!crs_has_keys(r, at, n, keys) || !crs_spec_at(r, at, ops->params, ops->vector, s, &spec))
        return false;
    return crease_set_from_spec(&spec, out, r->e) || crs_blame(r, at);
}

static set_reader *reader_of(const char *name)
{
    return strcmp(name, "box") == 0              ? read_box
           : strcmp(name, "box-hyperplane") == 0 ? read_box_hyperplane
           : strcmp(name, "affine") == 0         ? read_affine
           : strcmp(name, "product") == 0        ? read_product
                                                 : read_named;
}

bool crs_set_at(crs_reader *r, const crs_node *at, const crease_space *s, crease_set *out)
{
    crs_node named;
    crease_spec spec;
    if (json_is_string(at->value)) {
        if (!crs_spec_text_at(r, at, &spec)) return false;
        if (!crease_set_from_spec(&spec, out, r->e)) return crs_blame(r, at);
    } else if (!json_is_object(at->value)) {
        return crs_fail_at(r, at,
                           "this is %s; write \"l1-ball:1\" or {\"l1-ball\": {\"radius\": "
                           "1}}",
                           crs_kind_of(at->value));
    } else if (!crs_only(r, at, "a set", &named) || !reader_of(named.key)(r, &named, s, out)) {
        return false;
    }
    return crease_set_check(out, s, r->e) || crs_blame(r, at);
}
