/* SPDX-License-Identifier: MIT
 * document: names and numbers of results */
#include <ctype.h>

#include "io/result/result.h"

const char *crs_outcome_name(crease_outcome o, char out[32])
{
    static const char *const name[] = {
#define X(name, text) #name,
        CREASE_OUTCOMES(X)
#undef X
    };
    const size_t k = (size_t)o < sizeof name / sizeof *name ? (size_t)o : 0;
    size_t n = 0;
    for (; name[k][n] && n < 31; n++) out[n] = (char)tolower((unsigned char)name[k][n]);
    out[n] = '\0';
    return out;
}

const crease_assumption *crs_doubt(const crease_analysis *a, int k)
{
    for (int n = 0; n < a->assumptions; n++) {
        const crease_status s = a->assumption[n].status;
        if ((s == CREASE_VIOLATED || s == CREASE_UNKNOWN) && k-- == 0) return &a->assumption[n];
    }
    return NULL;
}

const char *crs_planned_name(const crease_problem *p, int i)
{
    return i < p->count ? p->block[i].name : "slack";
}

json_t *crs_json_real(double x) { return isfinite(x) ? json_real(x == 0 ? 0 : x) : json_null(); }

static json_t *nested(const crease_space *s, int depth, const double **x)
{
    if (depth == s->order) return crs_json_real(*(*x)++);
    json_t *list = json_array();
    for (ptrdiff_t k = 0; list && k < s->dim[depth]; k++)
        if (json_array_append_new(list, nested(s, depth + 1, x)) != 0) {
            json_decref(list);
            return NULL;
        }
    return list;
}

json_t *crs_json_nested(const crease_space *s, const double *x) { return nested(s, 0, &x); }

json_t *crs_json_hex(ptrdiff_t n, const double *x)
{
    json_t *list = json_array();
    for (ptrdiff_t k = 0; list && k < n; k++) {
        char text[48];
        snprintf(text, sizeof text, "%a", x[k]);
        if (json_array_append_new(list, json_string(text)) != 0) {
            json_decref(list);
            return NULL;
        }
    }
    return list;
}
