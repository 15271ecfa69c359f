/* SPDX-License-Identifier: MIT
 * node: places in a JSON document, the values there, and complaints about them */
#include <stdarg.h>

#include "io/problem/problem.h"

struct crs_kept {
    crs_kept *next;
    void *data;
    void (*release)(void *p);
};

void *crs_keep_until(crs_reader *r, void *p, void (*release)(void *p))
{
    crs_kept *link = p ? crs_alloc(1, sizeof *link) : NULL;
    if (!link) {
        if (p) release(p);
        crs_fail(r->e, CREASE_NO_MEMORY, "out of memory: the problem of %.200s", r->name);
        return NULL;
    }
    *link = (crs_kept){ r->kept, p, release };
    r->kept = link;
    return p;
}

void *crs_keep(crs_reader *r, void *p) { return crs_keep_until(r, p, crs_free); }

void *crs_keep_new(crs_reader *r, ptrdiff_t count, size_t size)
{
    return crs_keep(r, crs_alloc((size_t)count, size));
}

void crs_kept_free(crs_kept *kept)
{
    while (kept) {
        crs_kept *next = kept->next;
        kept->release(kept->data);
        crs_free(kept);
        kept = next;
    }
}

/* "/blocks/0/set", from the document down; the end of a long one is what helps. */
static size_t write_path(const crs_node *at, char *out, size_t size)
{
    if (!at->up) return 0;
    size_t used = write_path(at->up, out, size);
    if (used + 1 >= size) return used;
    const int n = at->key ? snprintf(out + used, size - used, "/%.48s", at->key)
                          : snprintf(out + used, size - used, "/%zu", at->index);
    used += n > 0 ? (size_t)n : 0;
    return used < size ? used : size - 1;
}

static bool fail_with(const crs_reader *r, const crs_node *at, crease_code code,
                      const char *sentence)
{
    char path[160] = "";
    write_path(at, path, sizeof path);
    return crs_fail(r->e, code, "%.120s: %s: %s", r->name, path[0] ? path : "/", sentence);
}

bool crs_fail_at(const crs_reader *r, const crs_node *at, const char *format, ...)
{
    char sentence[300];
    va_list args;
    va_start(args, format);
    vsnprintf(sentence, sizeof sentence, format, args);
    va_end(args);
    return fail_with(r, at, CREASE_BAD_DATA, sentence);
}

bool crs_blame(const crs_reader *r, const crs_node *at)
{
    char sentence[300];
    crease_code code = CREASE_BAD_DATA;
    if (!r->e) return false;
    if (r->e->code == CREASE_NO_MEMORY || r->e->code == CREASE_IO || r->e->code == CREASE_NO_INPUT)
        code = r->e->code;
    snprintf(sentence, sizeof sentence, "%.299s", r->e->text);
    return fail_with(r, at, code, sentence);
}

const char *crs_kind_of(const json_t *value)
{
    switch (json_typeof(value)) {
    case JSON_OBJECT:
        return "an object";
    case JSON_ARRAY:
        return "a list";
    case JSON_STRING:
        return "a text";
    case JSON_INTEGER:
    case JSON_REAL:
        return "a number";
    case JSON_NULL:
        return "null";
    default:
        return "true or false";
    }
}

static bool known(const char *key, int count, const char *const *list)
{
    for (int k = 0; k < count; k++)
        if (strcmp(key, list[k]) == 0) return true;
    return false;
}

/* "a, b and c" */
static void join(int count, const char *const *list, char *out, size_t size)
{
    size_t used = 0;
    out[0] = '\0';
    for (int k = 0; k < count && used < size; k++) {
        const char *between = k == 0 ? "" : k == count - 1 ? " and " : ", ";
        used += (size_t)snprintf(out + used, size - used, "%s%s", between, list[k]);
    }
}

bool crs_has_keys(const crs_reader *r, const crs_node *at, int count, const char *const *key)
{
    const char *here;
    json_t *value;
    char all[160];
    if (!json_is_object(at->value))
        return crs_fail_at(r, at, "this is %s; write an object {...}", crs_kind_of(at->value));
    json_object_foreach(at->value, here, value)
    {
        if (known(here, count, key)) continue;
        const int near = crs_nearest_in(here, count, key);
        if (near >= 0)
            return crs_fail_at(r, at, "unknown key '%.48s'; did you mean '%s'?", here, key[near]);
        join(count, key, all, sizeof all);
        return crs_fail_at(r, at, "unknown key '%.48s'; %s%s", here,
                           count ? "the keys here are " : "it takes none", all);
    }
    return true;
}

bool crs_member(const crs_node *at, const char *key, crs_node *out)
{
    json_t *value = json_object_get(at->value, key);
    *out = (crs_node){ at, key, 0, value };
    return value;
}

bool crs_need(const crs_reader *r, const crs_node *at, const char *key, crs_node *out)
{
    return crs_member(at, key, out) || crs_fail_at(r, at, "'%s' is missing; add it", key);
}

crs_node crs_element(const crs_node *at, size_t k)
{
    return (crs_node){ at, NULL, k, json_array_get(at->value, k) };
}

bool crs_only(const crs_reader *r, const crs_node *at, const char *what, crs_node *out)
{
    void *first = json_object_iter(at->value);
    if (json_object_size(at->value) != 1)
        return crs_fail_at(r, at, "%s is written {\"name\": ...} with one name, and here are %zu",
                           what, json_object_size(at->value));
    *out = (crs_node){ at, json_object_iter_key(first), 0, json_object_iter_value(first) };
    return true;
}

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
