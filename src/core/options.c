/* SPDX-License-Identifier: MIT
 * options: structs of settings that a later version may make longer, and the options of a run:
 * defaults, ranges and texts from the one list in options.h
 *
 * The first member of settings is size_t size, set by crease_X_init to what the caller was compiled
 * with. New members are added at the end, never in what was padding, and mean the old behaviour
 * when 0. The library reads its own defaults first and then as many of the caller's bytes as both
 * know. */
#include <limits.h>

#include <crease/options.h>

#include "core/core.h"

void crs_settings_give(void *to, size_t size, const void *own, size_t own_size)
{
    memset(to, 0, size);
    memcpy(to, own, size < own_size ? size : own_size);
    if (size >= sizeof size) memcpy(to, &size, sizeof size);
}

bool crs_settings_take(const char *name, void *own, size_t own_size, const void *given,
                       crease_error *e)
{
    size_t size;
    if (!given) return true;
    memcpy(&size, given, sizeof size);
    if (size < sizeof size)
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "the settings of %s have size %zu; begin with crease_%s_default", name,
                        size, name);
    for (size_t k = own_size; k < size; k++)
        if (((const unsigned char *)given)[k] != 0)
            return crs_fail(e, CREASE_UNSUPPORTED,
                            "the settings of %s are %zu bytes, of a later version, and set "
                            "something beyond the %zu that this one knows",
                            name, size, own_size);
    memcpy(own, given, size < own_size ? size : own_size);
    memcpy(own, &own_size, sizeof own_size);
    return true;
}

static const crease_option list[] = {
#define X(type, name, value, low, high, text)                                                      \
    { #name, (type)1.5 == (type)1, value, low, high, text },
    CREASE_OPTIONS(X)
#undef X
};

int crease_option_count(void) { return (int)(sizeof list / sizeof *list); }
crease_option crease_option_at(int k) { return list[k]; }
static const char *name_at(int k)
{
    const int n = crease_option_count();
    return k < n ? list[k].name : k == n ? "method" : "mode";
}

static const char *const method_names[] = {
#define X(name, method, text, meaning) text,
    CREASE_METHODS(X)
#undef X
};

static const char *const mode_names[] = {
#define X(name, text, meaning) text,
    CREASE_MODES(X)
#undef X
};

enum { METHODS = sizeof method_names / sizeof *method_names };
enum { MODES = sizeof mode_names / sizeof *mode_names };

static const char *method_at(int k) { return method_names[k]; }
static const char *mode_at(int k) { return mode_names[k]; }

const char *crease_method_name(crease_method method)
{
    return (size_t)method < METHODS ? method_names[method] : "unknown method";
}

const char *crease_mode_name(crease_mode mode)
{
    return (size_t)mode < MODES ? mode_names[mode] : "unknown mode";
}

void crease_options_init(crease_options *o, size_t size)
{
    const crease_options own = {
#define X(type, name, value, low, high, text) .name = (type)(value),
        CREASE_OPTIONS(X)
#undef X
    };
    crs_settings_give(o, size, &own, sizeof own);
}

bool crs_options_take(const crease_options *given, crease_options *own, crease_error *e)
{
    *own = crease_options_default();
    return crs_settings_take("options", own, sizeof *own, given, e);
}

static bool in_range(const crease_option *o, double v, crease_error *e)
{
    if (v >= o->low && v <= o->high && (!o->integer || v == floor(v))) return true;
    return crs_fail(e, CREASE_BAD_ARGUMENT,
                    "option %s = %g is outside its range: give %s in [%g, %g]", o->name, v,
                    o->integer ? "an integer" : "a number", o->low, o->high);
}

static bool in_ranges(const crease_options *o, crease_error *e)
{
    const double given[] = {
#define X(type, name, value, low, high, text) (double)o->name,
        CREASE_OPTIONS(X)
#undef X
    };
    for (int k = 0; k < crease_option_count(); k++)
        if (!in_range(&list[k], given[k], e)) return false;
    if (o->threads < 0 || o->threads > INT_MAX)
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "options ask for %ld threads; give a number >= 1, or 0 for one",
                        o->threads);
    if ((size_t)o->method >= METHODS || (size_t)o->mode >= MODES)
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "options name method %d and mode %d, which are none", (int)o->method,
                        (int)o->mode);
    return true;
}

bool crease_options_check(const crease_options *o, crease_error *e)
{
    crease_options own = crease_options_default();
    return crs_settings_take("options", &own, sizeof own, o, e) && in_ranges(&own, e);
}

static bool set(crease_options *o, const char *name, const char *text, crease_error *e)
{
    const int n = crease_option_count(), k = crs_find("option", name, n + 2, name_at, e);
    double v;
    if (k < 0) return false;
    if (k >= n) {
        const int choice = k == n ? crs_find("method", text, METHODS, method_at, e)
                                  : crs_find("mode", text, MODES, mode_at, e);
        if (choice >= 0 && k == n) o->method = (crease_method)choice;
        if (choice >= 0 && k != n) o->mode = (crease_mode)choice;
        return choice >= 0;
    }
    if (!crs_parse_double(text, &v))
        return crs_fail(e, CREASE_BAD_ARGUMENT, "option %s: '%.64s' is not a number", name, text);
    if (!in_range(&list[k], v, e)) return false;
    int at = 0;
#define X(type, name, value, low, high, text)                                                      \
    if (at++ == k) o->name = (type)v;
    CREASE_OPTIONS(X)
#undef X
    return true;
}

bool crease_options_set(crease_options *o, const char *name, const char *text, crease_error *e)
{
    crease_options own = crease_options_default();
    if (!crs_settings_take("options", &own, sizeof own, o, e) || !set(&own, name, text, e))
        return false;
    crs_settings_give(o, o->size, &own, sizeof own);
    return true;
}
