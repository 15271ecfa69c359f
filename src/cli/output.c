/* SPDX-License-Identifier: MIT
 * output: results as lines of numbers and as JSON documents */
#include "cli/cli.h"

void crs_print_notice(const crs_args *a, const crs_array *point)
{
    if (point->notice[0]) fprintf(stderr, "crease: %s: note: %s\n", a->verb->name, point->notice);
}

void crs_print_numbers(ptrdiff_t n, const double *x)
{
    for (ptrdiff_t j = 0; j < n; j++) printf("%.17g\n", x[j] == 0 ? 0 : x[j]);
}

bool crs_check_result(const char *what, ptrdiff_t n, const double *x, crease_error *e)
{
    for (ptrdiff_t j = 0; j < n; j++)
        if (!isfinite(x[j]))
            return crs_fail(e, CREASE_NUMERICAL_FAILURE,
                            "%s: entry %td of the result is %g: a decomposition failed or a number "
                            "overflowed; rescale the data",
                            what, j + 1, x[j]);
    return true;
}

enum { SCHEMA_VERSION = 1 };

crs_json crs_json_new(const char *verb)
{
    crs_json j = { json_object(), json_object(), false };
    j.failed = !j.root || !j.odd;
    crs_json_set(&j, "schema_version", json_integer(SCHEMA_VERSION));
    crs_json_set(&j, "verb", json_string(verb));
    return j;
}

void crs_json_set(crs_json *j, const char *key, json_t *value)
{
    if (json_object_set_new(j->root, key, value) != 0) j->failed = true;
}

/* The number as JSON, with null and a note under its key when it is not finite. */
static json_t *number(crs_json *j, const char *key, double x)
{
    if (isfinite(x)) return json_real(x == 0 ? 0 : x);
    json_t *spelled = json_string(isnan(x) ? "nan" : x > 0 ? "inf" : "-inf");
    if (json_object_set_new(j->odd, key, spelled) != 0) j->failed = true;
    return json_null();
}

void crs_json_number(crs_json *j, const char *key, double x)
{
    crs_json_set(j, key, number(j, key, x));
}

json_t *crs_json_array(ptrdiff_t n, const double *x)
{
    json_t *list = json_array();
    for (ptrdiff_t k = 0; k < n; k++)
        if (json_array_append_new(list, json_real(x[k] == 0 ? 0 : x[k])) != 0) {
            json_decref(list);
            return NULL;
        }
    return list;
}

void crs_json_shape(crs_json *j, const crease_space *s)
{
    json_t *list = json_array();
    for (int n = 0; n < s->order; n++)
        if (json_array_append_new(list, json_integer(s->dim[n])) != 0) j->failed = true;
    crs_json_set(j, "shape", list);
}

void crs_json_parameters(crs_json *j, const crease_param *list, const double *par,
                         const char *vector, ptrdiff_t n, const double *x)
{
    json_t *object = json_object();
    for (int k = 0; list && list[k].name; k++)
        if (json_object_set_new(object, list[k].name, number(j, list[k].name, par[k])) != 0)
            j->failed = true;
    if (vector && json_object_set_new(object, vector, crs_json_array(n, x)) != 0) j->failed = true;
    crs_json_set(j, "parameters", object);
}

bool crs_json_print(crs_json *j, crease_error *e)
{
    if (json_object_size(j->odd) > 0) crs_json_set(j, "not_finite", json_incref(j->odd));
    const bool printed = !j->failed && json_dumpf(j->root, stdout, JSON_REAL_PRECISION(17)) == 0 &&
                         putchar('\n') > 0;
    const bool failed_output = ferror(stdout);
    json_decref(j->root);
    json_decref(j->odd);
    if (printed || failed_output) return true; /* the end of the program looks at the output */
    return crs_fail(e, CREASE_NO_MEMORY, "out of memory: the JSON document; use plain output");
}

bool crs_print_document(json_t *document, crease_error *e)
{
    if (!document) return crs_fail(e, CREASE_NO_MEMORY, "out of memory: the JSON document");
    json_dumpf(document, stdout, JSON_INDENT(1) | JSON_REAL_PRECISION(17));
    putchar('\n');
    json_decref(document);
    return true; /* the end of the program looks at the output */
}
