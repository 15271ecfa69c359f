/* SPDX-License-Identifier: MIT
 * node_value: numbers, texts and shapes of a JSON document */
#include "io/problem/node.h"

static bool wrong_kind(const crs_reader *r, const crs_node *at, const char *wanted)
{
    return crs_fail_at(r, at, "this is %s; give %s", crs_kind_of(at->value), wanted);
}

bool crs_number_at(const crs_reader *r, const crs_node *at, double *out)
{
    if (!json_is_number(at->value)) return wrong_kind(r, at, "a number");
    *out = json_number_value(at->value);
    return true;
}

bool crs_extended_at(const crs_reader *r, const crs_node *at, double *out)
{
    const char *text = json_string_value(at->value);
    if (!text) return crs_number_at(r, at, out);
    if (strcmp(text, "inf") != 0 && strcmp(text, "-inf") != 0)
        return crs_fail_at(r, at, "'%.40s' is no number; give a number, \"inf\" or \"-inf\"", text);
    *out = text[0] == '-' ? -INFINITY : INFINITY;
    return true;
}

bool crs_whole_at(const crs_reader *r, const crs_node *at, double low, double high, ptrdiff_t *out)
{
    double v = NAN;
    if (!crs_number_at(r, at, &v)) return false;
    if (!(v >= low && v <= high && v == floor(v)))
        return crs_fail_at(r, at, "%g is outside its range; give a whole number from %g to %g", v,
                           low, high);
    *out = (ptrdiff_t)v;
    return true;
}

bool crs_text_at(const crs_reader *r, const crs_node *at, const char **out)
{
    *out = json_string_value(at->value);
    return *out || wrong_kind(r, at, "a text in quotes");
}

bool crs_shape_at(const crs_reader *r, const crs_node *at, crease_space *out)
{
    const size_t order = json_is_array(at->value) ? json_array_size(at->value) : 1;
    *out = (crease_space){ .order = (int)order };
    if (!json_is_array(at->value)) {
        if (!json_is_number(at->value)) return wrong_kind(r, at, "a shape, as 5 or [3, 4]");
        if (!crs_whole_at(r, at, 1, 0x1p53, &out->dim[0])) return false;
    } else if (order < 1 || order > CREASE_MAX_ORDER) {
        return crs_fail_at(r, at, "a shape has 1 to %d dimensions, and here are %zu",
                           CREASE_MAX_ORDER, order);
    }
    for (size_t n = 0; json_is_array(at->value) && n < order; n++) {
        const crs_node dim = crs_element(at, n);
        if (!crs_whole_at(r, &dim, 1, 0x1p53, &out->dim[n])) return false;
    }
    return crease_space_check(out, r->e) || crs_blame(r, at);
}

const char *crs_shape_text(const crease_space *s, char *out, size_t size)
{
    size_t used = 0;
    out[0] = '\0';
    for (int n = 0; n < s->order && used < size; n++)
        used += (size_t)snprintf(out + used, size - used, "%s%td", n ? " x " : "", s->dim[n]);
    return out;
}
