/* SPDX-License-Identifier: MIT
 * text: names looked up, and the nearest one where one is unknown; numbers, the same in every
 * locale; parameters of catalogue entries, their ranges, and how "name:number,..." spells them
 *
 * strtod follows the locale's decimal point. The point is replaced by the one the locale uses,
 * so that "1.5" is always one and a half and "1,5" never is; the locale itself is not touched. */
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>

#include <crease/catalogue.h>

#include "core/core.h"

enum { LONGEST_NAME = 64 };

/* Edit distance (insert, delete, replace, swap neighbours) of two names under LONGEST_NAME letters.
 */
static int edit_distance(const char *a, const char *b)
{
    const size_t m = strlen(a), n = strlen(b);
    int row[3][LONGEST_NAME + 1];
    if (m > LONGEST_NAME || n > LONGEST_NAME) return 2 * LONGEST_NAME;
    for (size_t j = 0; j <= n; j++) row[0][j] = (int)j;
    for (size_t i = 1; i <= m; i++) {
        int *now = row[i % 3], *last = row[(i + 2) % 3], *before = row[(i + 1) % 3];
        now[0] = (int)i;
        for (size_t j = 1; j <= n; j++) {
            int best = last[j - 1] + (a[i - 1] != b[j - 1]);
            if (last[j] + 1 < best) best = last[j] + 1;
            if (now[j - 1] + 1 < best) best = now[j - 1] + 1;
            const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if (swapped && before[j - 2] + 1 < best) best = before[j - 2] + 1;
            now[j] = best;
        }
    }
    return row[m % 3][n];
}

/* The index of the nearest name by at(list, k), or -1. */
static int nearest(const char *wanted, int count, const char *(*at)(const void *list, int k),
                   const void *list)
{
    int best = -1, least = 2 + (int)strlen(wanted) / 3;
    for (int k = 0; k < count; k++) /* a piece of a name is the best hint */
        if (strlen(wanted) >= 3 && strstr(at(list, k), wanted)) return k;
    for (int k = 0; k < count; k++) {
        const int d = edit_distance(wanted, at(list, k));
        if (d < least) best = k, least = d;
    }
    return best;
}

typedef struct {
    const char *(*name_at)(int k);
} by_function;

static const char *from_function(const void *list, int k)
{
    return ((const by_function *)list)->name_at(k);
}

static const char *from_array(const void *list, int k) { return ((const char *const *)list)[k]; }

int crs_nearest(const char *wanted, int count, const char *(*name_at)(int k))
{
    const by_function list = { name_at };
    return nearest(wanted, count, from_function, &list);
}

int crs_nearest_in(const char *wanted, int count, const char *const *name)
{
    return nearest(wanted, count, from_array, name);
}

/* A few names are all said; the catalogue, or the help of solve, has more. */
static void fail_unknown(const char *kind, const char *wanted, int count,
                         const char *(*name_at)(int k), crease_error *e)
{
    enum { FEW = 8 };
    const bool listed = strcmp(kind, "method") != 0 && strcmp(kind, "option") != 0;
    char names[200] = "";
    size_t used = 0;
    for (int k = 0; k < count && count <= FEW && used < sizeof names; k++)
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s",
                                 k == 0           ? "write "
                                 : k + 1 == count ? " or "
                                                  : ", ",
                                 name_at(k));
    crs_fail(e, CREASE_BAD_ARGUMENT, "unknown %s '%.64s'; %s", kind, wanted,
             count <= FEW ? names
             : listed     ? "'crease list' shows them all"
                          : "'crease help solve --all' shows them all");
}

int crs_find(const char *kind, const char *wanted, int count, const char *(*name_at)(int k),
             crease_error *e)
{
    for (int k = 0; k < count; k++)
        if (strcmp(wanted, name_at(k)) == 0) return k;
    const int near = crs_nearest(wanted, count, name_at);
    if (near >= 0)
        crs_fail(e, CREASE_BAD_ARGUMENT, "unknown %s '%.64s'; did you mean '%s'?", kind, wanted,
                 name_at(near));
    else
        fail_unknown(kind, wanted, count, name_at, e);
    return -1;
}

enum { LONGEST_NUMBER = 128 };

bool crs_parse_double(const char *text, double *value)
{
    char local[LONGEST_NUMBER + 1];
    const size_t n = strlen(text);
    const char *point = localeconv()->decimal_point;
    if (n == 0 || n > LONGEST_NUMBER || text[0] == ' ' || text[0] == '\t') return false;
    if (strchr(text, ',')) return false;
    memcpy(local, text, n + 1);
    if (point[0] != '.' && point[0] && !point[1]) {
        char *dot = strchr(local, '.');
        if (dot) *dot = point[0];
    }
    char *end;
    const double v = strtod(local, &end);
    if (end != local + n) return false;
    *value = v;
    return true;
}

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
