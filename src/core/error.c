/* SPDX-License-Identifier: MIT
 * error: codes, outcomes, and the one function that fills in an error */
#include <stdarg.h>
#include <stdio.h>

#include <crease/version.h>

#include "core/core.h"

const char *crease_code_text(crease_code code)
{
    static const char *const text[] = {
#define X(name, text) text,
        CREASE_CODES(X)
#undef X
    };
    const size_t k = (size_t)code;
    return k < sizeof text / sizeof *text ? text[k] : "unknown code";
}

const char *crease_outcome_text(crease_outcome outcome)
{
    static const char *const text[] = {
#define X(name, text) text,
        CREASE_OUTCOMES(X)
#undef X
    };
    const size_t k = (size_t)outcome;
    return k < sizeof text / sizeof *text ? text[k] : "unknown outcome";
}

bool crs_fail(crease_error *e, crease_code code, const char *format, ...)
{
    if (e) {
        va_list args;
        va_start(args, format);
        e->code = code;
        vsnprintf(e->text, sizeof e->text, format, args);
        va_end(args);
    }
    return false;
}

bool crs_cut(crease_error *e, const char *what)
{
    return crs_fail(e, CREASE_CUT,
                    "%s did not end before the time limit or a signal; there is nothing to show "
                    "yet: allow more time",
                    what);
}

const char *crease_version(void) { return CREASE_VERSION; }
