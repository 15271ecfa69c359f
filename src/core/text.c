/* SPDX-License-Identifier: MIT
 * param: parameters of catalogue entries: their ranges, and how "name:number,..." spells them */
#include <stdio.h>

#include <crease/catalogue.h>

#include "core/core.h"

int crease_param_count(const crease_param *list)
{
    int n = 0;
    while (list && list[n].name) n++;
    return n;
}

static bool in_range(const crease_param *p, double v)
{
    const bool above = p->flags & CREASE_OPEN_LOW ? v > p->low : v >= p->low;
    const bool below = p->flags & CREASE_OPEN_HIGH ? v < p->high : v <= p->high;
    const bool whole = !(p->flags & CREASE_INTEGER) || v == floor(v);
    return above && below && whole;
}

bool crease_param_check(const char *owner, const crease_param *list, const double *par,
                        crease_error *e)
{
    for (int k = 0; list && list[k].name; k++) {
        const crease_param *p = &list[k];
        if (in_range(p, par[k])) continue;
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "%s: %s = %g is outside its range: give %s in %c%g, %g%c", owner, p->name,
                        par[k], p->flags & CREASE_INTEGER ? "an integer" : "a number",
                        p->flags & CREASE_OPEN_LOW ? '(' : '[', p->low, p->high,
                        p->flags & CREASE_OPEN_HIGH ? ')' : ']');
    }
    return true;
}

static bool fail_parse(crease_spec *spec, crease_error *e, const char *text, const char *why)
{
    crease_spec_free(spec);
    return crs_fail(e, CREASE_BAD_ARGUMENT, "'%.120s': %s; write name or name:number,number", text,
                    why);
}

/* The numbers after the colon, into spec->value. */
static bool parse_numbers(const char *text, const char *at, crease_spec *spec, crease_error *e)
{
    ptrdiff_t most = 1;
    for (const char *c = at; *c; c++) most += *c == ',';
    spec->value = crs_doubles(most, "a parameter list", e);
    if (!spec->value) return false;
    for (;;) {
        char number[64];
        const size_t n = strcspn(at, ",");
        if (n == 0) return fail_parse(spec, e, text, "a parameter is empty");
        if (n >= sizeof number) return fail_parse(spec, e, text, "a parameter is too long");
        memcpy(number, at, n);
        number[n] = 0;
        if (!crs_parse_double(number, &spec->value[spec->count]))
            return fail_parse(spec, e, text, "a parameter is not a number");
        spec->count++;
        if (!at[n]) return true;
        at += n + 1;
    }
}

bool crease_spec_parse(const char *text, crease_spec *spec, crease_error *e)
{
    *spec = (crease_spec){ .count = 0 };
    const size_t n = strcspn(text, ":");
    if (n == 0) return fail_parse(spec, e, text, "the name is empty");
    if (n >= sizeof spec->name) return fail_parse(spec, e, text, "the name is too long");
    memcpy(spec->name, text, n);
    return text[n] == 0 || parse_numbers(text, text + n + 1, spec, e);
}

void crease_spec_free(crease_spec *spec)
{
    crs_free(spec->value);
    *spec = (crease_spec){ .count = 0 };
}

/* "name:first,second" as the catalogue wants it, for error sentences. */
static void usage(const crease_param *params, const char *vector, char *out, size_t size)
{
    size_t used = 0;
    const char *join = ":";
    out[0] = 0;
    for (int k = 0; params && params[k].name && used + strlen(params[k].name) + 2 < size; k++) {
        used += strlen(strcat(strcat(out + used, join), params[k].name));
        join = ",";
    }
    if (vector && used + strlen(vector) + 8 < size)
        strcat(strcat(strcat(out, join), vector), ",...");
}

bool crs_spec_fits(const crease_spec *spec, const crease_param *params, const char *vector,
                   crease_error *e)
{
    const int n = crease_param_count(params);
    if (spec->count == n || (vector && spec->count > n)) return true;
    char wanted[160];
    usage(params, vector, wanted, sizeof wanted);
    return crs_fail(e, CREASE_BAD_ARGUMENT,
                    "%s takes %s%d parameter%s but %td %s given; write %s%s", spec->name,
                    vector ? "at least " : "", n, n == 1 ? "" : "s", spec->count,
                    spec->count == 1 ? "was" : "were", spec->name, wanted);
}
