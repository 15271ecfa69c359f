/* SPDX-License-Identifier: MIT
 * arrays: numbers of a problem file: arrays as nested lists or in files beside it, and parameters
 * of catalogue entries, by name or as text */
#include "io/problem/problem.h"

const char *crs_path_at(crs_reader *r, const crs_node *at)
{
    const char *name;
    if (!crs_text_at(r, at, &name)) return NULL;
    const char *folder = name[0] == '/' ? "" : r->folder;
    const size_t room = strlen(folder) + strlen(name) + 1;
    char *path = crs_keep_new(r, (ptrdiff_t)room, 1);
    if (!path) return NULL;
    snprintf(path, room, "%s%s", folder, name);
    long long bytes;
    char *colon = (char *)(uintptr_t)crs_inner_of(path); /* a file is hashed, not its inner array */
    if (colon) *colon = '\0';
    const bool hashed = crs_hash_file(&r->hash, path, &bytes, r->e);
    if (colon) *colon = ':';
    if (!hashed) {
        crs_blame(r, at);
        return NULL;
    }
    crs_hash_add(&r->hash, &bytes, sizeof bytes);
    return path;
}

/* The shape that the first elements tell. */
static bool inline_shape(const crs_reader *r, const crs_node *at, crease_space *s)
{
    *s = (crease_space){ .order = 0 };
    for (json_t *v = at->value; json_is_array(v); v = json_array_get(v, 0)) {
        if (json_array_size(v) == 0)
            return crs_fail_at(r, at, "a list is empty; give it at least one number");
        if (s->order == CREASE_MAX_ORDER)
            return crs_fail_at(r, at,
                               "lists are nested more than %d deep; arrays have at most so "
                               "many dimensions",
                               CREASE_MAX_ORDER);
        s->dim[s->order++] = (ptrdiff_t)json_array_size(v);
    }
    return crease_space_check(s, r->e) || crs_blame(r, at);
}

/* Row-major; every list at depth n has dim[n] elements. */
static bool copy_inline(const crs_reader *r, const crs_node *at, const crease_space *s, int depth,
                        bool infinite, double **to)
{
    if (depth == s->order)
        return infinite ? crs_extended_at(r, at, (*to)++) : crs_number_at(r, at, (*to)++);
    if (!json_is_array(at->value) || (ptrdiff_t)json_array_size(at->value) != s->dim[depth])
        return crs_fail_at(r, at,
                           "the first list here has %td elements and this one %zu; give all "
                           "rows the same length",
                           s->dim[depth], json_array_size(at->value));
    for (size_t k = 0; k < json_array_size(at->value); k++) {
        const crs_node next = crs_element(at, k);
        if (!copy_inline(r, &next, s, depth + 1, infinite, to)) return false;
    }
    return true;
}

static bool from_list(crs_reader *r, const crs_node *at, bool infinite, crs_array *out)
{
    if (!inline_shape(r, at, &out->shape)) return false;
    double *to = out->data = crs_keep_new(r, crease_size(&out->shape), sizeof *out->data);
    return to && copy_inline(r, at, &out->shape, 0, infinite, &to);
}

static bool from_file(crs_reader *r, const crs_node *at, bool infinite, crs_array *out)
{
    const char *path = crs_path_at(r, at);
    if (!path) return false;
    if (!crs_read_asked(path, NULL, out, r->e)) return crs_blame(r, at);
    if (!out->borrowed && !crs_keep(r, out->data)) return false;
    for (ptrdiff_t j = 0, n = crease_size(&out->shape); j < n; j++)
        if (isnan(out->data[j]) || (!infinite && isinf(out->data[j])))
            return crs_fail_at(r, at, "entry %td of the file is %g; give finite numbers", j + 1,
                               out->data[j]);
    return true;
}

bool crs_array_at(crs_reader *r, const crs_node *at, bool infinite, crs_array *out)
{
    *out = (crs_array){ .data = NULL };
    if (json_is_array(at->value)) return from_list(r, at, infinite, out);
    if (json_is_string(at->value)) return from_file(r, at, infinite, out);
    return crs_fail_at(r, at, "this is %s; give a list of numbers or the name of a file",
                       crs_kind_of(at->value));
}

/* The dimensions other than 1. */
static crease_space squeezed(const crease_space *s)
{
    crease_space out = { .order = 0 };
    for (int n = 0; n < s->order; n++)
        if (s->dim[n] != 1) out.dim[out.order++] = s->dim[n];
    return out;
}

bool crs_filled_at(crs_reader *r, const crs_node *at, const crease_space *s, bool infinite,
                   const double **out)
{
    const ptrdiff_t n = crease_size(s);
    const char *text = json_string_value(at->value);
    const bool one = json_is_number(at->value) || (infinite && text && strstr(text, "inf") &&
                                                   strlen(text) <= 4); /* "inf", "-inf" */
    crs_array given;
    char have[120], need[120];
    if (one) {
        double v = NAN, *all = NULL;
        if (!crs_extended_at(r, at, &v) || !(all = crs_keep_new(r, n, sizeof *all))) return false;
        fill(n, v, all);
        *out = all;
        return true;
    }
    if (!crs_array_at(r, at, infinite, &given)) return false;
    const crease_space a = squeezed(&given.shape), b = squeezed(s);
    *out = given.data;
    return crease_space_equal(&a, &b) ||
           crs_fail_at(r, at, "the array is %s but %s is wanted; make them agree",
                       crs_shape_text(&given.shape, have, sizeof have),
                       crs_shape_text(s, need, sizeof need));
}

bool crs_indices_at(crs_reader *r, const crs_node *at, double most, ptrdiff_t *count,
                    const ptrdiff_t **out)
{
    crs_array given;
    if (!crs_array_at(r, at, false, &given)) return false;
    *count = crease_size(&given.shape);
    ptrdiff_t *index = crs_keep_new(r, *count, sizeof *index);
    if (!index) return false;
    for (ptrdiff_t k = 0; k < *count; k++) {
        const double v = given.data[k];
        if (!(v >= 0 && v <= most && v == floor(v)))
            return crs_fail_at(r, at, "number %td is %g; give whole numbers from 0 to %g", k + 1, v,
                               most);
        index[k] = (ptrdiff_t)v;
    }
    *out = index;
    return true;
}

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
