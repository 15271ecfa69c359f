/* SPDX-License-Identifier: MIT
 * new: a solver for a problem: analysis, method, memory and start, checked before any iteration */
#include "solve/solver.h"

void crease_solver_free(crease_solver *s)
{
    if (!s) return;
    crs_extension_free(s->extension);
    crease_analysis_free(s->a);
    crs_free(s->memory);
    crs_free(s->pointers);
    crs_free(s->scale_point);
    crs_free(s->residuals);
    crs_free(s);
}

/* A user's own gradient that is not one would be believed by every certificate. */
static bool check_gradients(crease_solver *s, crease_error *e)
{
    const crease_blocks b = crs_blocks(s->given);
    char name[32];
    double off;
    if (!crs_has_callback(&s->given->f)) return true;
    for (int i = 0; i < s->given->count; i++) {
        if (!crease_smooth_check_gradient(&s->given->f, &b, points(s->st.x), i, 3, &off, e))
            return false;
        if (!(off < 1e-3))
            return crs_fail(e, CREASE_BAD_ARGUMENT,
                            "the gradient of f in block %s differs from central differences of its "
                            "values by %.2g (relative) at the start point; mend grad or value",
                            crs_block_name(s->given, i, name), off);
    }
    return true;
}

static bool build(crease_solver *s, crease_error *e)
{
    s->a = crease_analyse(s->given, &s->o, e);
    if (!s->a) return false;
    s->p = s->given;
    if (s->a->method == CREASE_METHOD_EXTENSION) {
        s->extension = crs_extension_new(s->given, s->a->mu, e);
        if (!s->extension) return false;
        s->p = &s->extension->problem;
    }
    s->method = crs_method_for(s->a);
    if (!crs_solver_memory(s, e)) return false;
    s->st.p = s->p;
    s->st.a = s->a;
    crs_solver_start(s);
    if (!check_gradients(s, e)) return false;
    if (s->a->adaptive) crs_guess_constants(s);
    return !s->method->prepare || s->method->prepare(&s->st, e);
}

crease_solver *crease_solver_new(const crease_problem *p, const crease_options *o, crease_error *e)
{
    crease_solver *s = crs_alloc(1, sizeof *s);
    if (!s) {
        crs_fail(e, CREASE_NO_MEMORY, "out of memory: a solver");
        return NULL;
    }
    s->given = p;
    s->report.bound = s->stalled = INFINITY;
    s->found.worst = s->found.worst_relative = INFINITY;
    s->progress.potential = s->progress.decrease = NAN;
    if (crs_options_take(o, &s->o, e) && build(s, e)) return s;
    crease_solver_free(s);
    return NULL;
}
