/* SPDX-License-Identifier: MIT
 * analyse: constants, method, block steps, parameters, in that order */
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
    const crs_method *m = crs_method_at(a->method);
    if (m->analyse) return true; /* as another problem */
    a->gap = m->oracle;
    if (!crs_gather(p, a->last, a, e)) return false;
    if (!m->oracle && !crs_plan_blocks(p, a, e)) return false;
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
    const crs_method *m = crs_method_at(a->method);
    if (!m->analyse) return a;
    crease_analysis_free(a);
    return m->analyse(p, o, e);
}
