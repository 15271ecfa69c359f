/* SPDX-License-Identifier: MIT
 * number: text to double, the same in every locale
 *
 * strtod follows the locale's decimal point. The point is replaced by the one the locale uses,
 * so that "1.5" is always one and a half and "1,5" never is; the locale itself is not touched. */
#include <locale.h>
#include <stdlib.h>

#include "core/core.h"

enum { LONGEST = 128 };

bool crs_parse_double(const char *text, double *value)
{
    char local[LONGEST + 1];
    const size_t n = strlen(text);
    const char *point = localeconv()->decimal_point;
    if (n == 0 || n > LONGEST || text[0] == ' ' || text[0] == '\t') return false;
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
