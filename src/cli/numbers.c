/* SPDX-License-Identifier: MIT
 * numbers: lists of numbers in one word of the command line */
#include "cli/cli.h"

/* The number that ends at the first comma; n is its length. */
static bool first_number(const char *text, double *x, size_t *n)
{
    char item[130];
    *n = strcspn(text, ",");
    if (*n >= sizeof item) return false;
    memcpy(item, text, *n);
    item[*n] = '\0';
    return crs_parse_double(item, x);
}

bool crs_parse_list(const char *what, const char *text, crs_array *out, crease_error *e)
{
    ptrdiff_t count = 1, done = 0;
    for (const char *c = text; *c; c++) count += *c == ',';
    *out = (crs_array){ .shape = crease_vector(count), .data = crs_doubles(count, what, e) };
    if (!out->data) return false;
    for (const char *at = text;; at++) {
        size_t n;
        if (!first_number(at, &out->data[done++], &n)) {
            crs_array_free(out);
            return crs_fail(e, CREASE_BAD_ARGUMENT,
                            "%s: item %td, '%.*s', is not a number; write numbers with commas "
                            "between them, as 1,2.5,3",
                            what, done, n < 40 ? (int)n : 40, at);
        }
        at += n;
        if (!*at) return true;
    }
}

bool crs_is_list(const char *text)
{
    double x;
    size_t n;
    return first_number(text, &x, &n);
}

bool crs_list_or_file(const char *what, const char *text, crs_array *out, crease_error *e)
{
    if (crs_is_list(text)) return crs_parse_list(what, text, out, e);
    crease_error why;
    return crs_read_array(text, out, &why) || crs_fail(e, why.code, "%s: %.360s", what, why.text);
}
