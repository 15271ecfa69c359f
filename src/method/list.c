/* SPDX-License-Identifier: MIT
 * list: the table of methods, by the lines of CREASE_METHODS, and who reads which option */
#include <stdio.h>

#include "method/method.h"

const crs_method crs_method_auto = { .reads = 0 }; /* an analysis puts another in its place */

static const crs_method *const list[] = {
#define X(name, method, text, meaning) &crs_method_##method,
    CREASE_METHODS(X)
#undef X
};

const crs_method *crs_method_at(crease_method method)
{
    return (size_t)method < sizeof list / sizeof *list ? list[method] : NULL;
}

const crs_method *crs_method_for(const crease_analysis *a)
{
    const crs_method *m = crs_method_at(a->method);
    return a->exact_last && m->exact ? m->exact : m;
}

void crs_retune(const crease_problem *p, const crease_options *o, crease_analysis *a)
{
    a->assumptions = a->general;
    crs_method_for(a)->recipe(p, o, a);
}

/* The options whose values are not the defaults. */
static unsigned given(const crease_options *o)
{
    const crease_options usual = crease_options_default();
    unsigned bits = 0;
#define X(type, name, value, low, high, text)                                                      \
    if (o->name != usual.name) bits |= CRS_READS(name);
    CREASE_OPTIONS(X)
#undef X
    return bits;
}

/* "a, b and c": the methods that read option k */
static void readers(int k, char *text, size_t size)
{
    const int count = (int)(sizeof list / sizeof *list);
    int left = 0;
    size_t used = 0;
    for (int m = 0; m < count; m++) left += (list[m]->reads & 1u << k) != 0;
    for (int m = 0; m < count && used < size; m++)
        if (list[m]->reads & 1u << k)
            used += (size_t)snprintf(text + used, size - used, "%s%s",
                                     crease_method_name((crease_method)m),
                                     --left > 1  ? ", "
                                     : left == 1 ? " and "
                                                 : "");
}

bool crs_options_read(const crease_options *o, unsigned reads, const char *who, crease_error *e)
{
    const unsigned unread = given(o) & ~reads;
    char name[32], text[240] = "";
    for (int k = 0; k < crease_option_count(); k++) {
        if (!(unread & 1u << k)) continue;
        snprintf(name, sizeof name, "%s", crease_option_at(k).name);
        for (char *c = name; *c; c++)
            if (*c == '_') *c = '-';
        readers(k, text, sizeof text);
        return crs_fail(e, CREASE_UNSUPPORTED, "--%s is read by %s; this run uses %s", name, text,
                        who);
    }
    return true;
}
