/* SPDX-License-Identifier: MIT
 * param: ranges of catalogue parameters */
#include <stdio.h>

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
