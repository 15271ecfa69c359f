/* SPDX-License-Identifier: MIT
 * analyse: constants, method, block steps, parameters, in that order */
#include <stdarg.h>
#include <stdio.h>

#include "theory/theory.h"

const char *crease_status_text(crease_status status)
{
    static const char *const text[] = {
#define X(name, text) text,
        CREASE_STATUSES(X)
#undef X
    };
    const size_t k = (size_t)status;
    return k < sizeof text / sizeof *text ? text[k] : "unknown";
}

void crs_note(crease_analysis *a, const char *name, int block, crease_status status, double number,
              const char *reason, ...)
{
    va_list args;
    crease_assumption *at = &a->assumption[a->assumptions];
    if (a->assumptions == CRS_ASSUMPTIONS_A_BLOCK * a->count + CRS_ASSUMPTIONS_ALL) return;
    a->assumptions++;
    *at = (crease_assumption){ .name = name, .block = block, .status = status, .number = number };
    va_start(args, reason);
    vsnprintf(at->reason, sizeof at->reason, reason, args);
    va_end(args);
    a->guarantee = a->guarantee && status != CREASE_VIOLATED && status != CREASE_UNKNOWN;
}

void crease_analysis_free(crease_analysis *a)
{
    if (!a) return;
    crs_free(a->block);
    crs_free(a->assumption);
    crs_free(a);
}

static crease_analysis *new_analysis(int count, crease_error *e)
{
    crease_analysis *a = crs_alloc(1, sizeof *a);
    if (a) {
        a->block = crs_alloc((size_t)count, sizeof *a->block);
        a->assumption = crs_alloc((size_t)(CRS_ASSUMPTIONS_A_BLOCK * count + CRS_ASSUMPTIONS_ALL),
                                  sizeof *a->assumption);
    }
    if (a && a->block && a->assumption) {
        a->count = count;
        return a;
    }
    crs_fail(e, CREASE_NO_MEMORY, "out of memory: the analysis of %d blocks", count);
    crease_analysis_free(a);
    return NULL;
}

void crs_retune(const crease_problem *p, const crease_options *o, crease_analysis *a)
{
    a->assumptions = a->general;
    if (a->method == CREASE_METHOD_GCG)
        crs_recipe_gcg(p, o, a);
    else if (a->last < 0)
        crs_recipe_bcd(p, o, a);
    else if (a->exact_last)
        crs_recipe_exact(p, o, a);
    else if (a->method == CREASE_METHOD_ADMM_M)
        crs_recipe_admm_m(p, o, a);
    else
        crs_recipe_admm_g(p, o, a);
}

/* In theory mode a missing assumption is a refusal with its reason. */
static bool admissible(const crease_analysis *a, crease_error *e)
{
    if (a->guarantee || a->mode != CREASE_MODE_THEORY) return true;
    for (int k = 0; k < a->assumptions; k++) {
        const crease_assumption *at = &a->assumption[k];
        if (at->status != CREASE_VIOLATED && at->status != CREASE_UNKNOWN) continue;
        return crs_fail(e, CREASE_UNSUPPORTED, "no theorem covers this problem: %s is %s: %s",
                        at->name, crease_status_text(at->status), at->reason);
    }
    return crs_fail(e, CREASE_UNSUPPORTED, "%s has no guarantee; use prox-bcd or practical mode",
                    crease_method_name(a->method));
}

static bool fill_in(const crease_problem *p, const crease_options *o, crease_analysis *a,
                    crease_error *e)
{
    a->guarantee = true;
    a->mode = o->mode;
    a->beta = a->gamma = a->ell = a->mu = NAN;
    a->slack = INFINITY;
    if (!crs_choose(p, o, a, e)) return false;
    if (a->method == CREASE_METHOD_EXTENSION) return true; /* analysed as another problem */
    if (!crs_gather(p, a->last, a, e)) return false;
    if (a->method != CREASE_METHOD_GCG && !crs_plan_blocks(p, a, e)) return false;
    a->general = a->assumptions;
    crs_retune(p, o, a);
    return admissible(a, e);
}

crease_analysis *crease_analyse(const crease_problem *p, const crease_options *given,
                                crease_error *e)
{
    crease_options own;
    const crease_options *o = &own;
    if (!crease_problem_check(p, e) || !crs_options_take(given, &own, e) ||
        !crease_options_check(o, e))
        return NULL;
    crease_analysis *a = new_analysis(p->count, e);
    if (!a) return NULL;
    if (!fill_in(p, o, a, e)) {
        crease_analysis_free(a);
        return NULL;
    }
    if (a->method != CREASE_METHOD_EXTENSION) return a;
    crease_analysis_free(a);
    return crs_analyse_extension(p, o, e);
}
