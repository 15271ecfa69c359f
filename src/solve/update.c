/* SPDX-License-Identifier: MIT
 * update: what a solver is told besides its problem: a multiplier to begin with, and that numbers
 * of the problem have changed while its matrices have not */
#include "certify/certify.h"
#include "solve/solver.h"

bool crease_solver_begin_at(crease_solver *s, const double *lambda, crease_error *e)
{
    const ptrdiff_t m = s->given->range.order > 0 ? crease_size(&s->given->range) : 0;
    if (m == 0)
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "a multiplier is given, but the problem has no constraint; leave it out");
    if (s->run.started)
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "a multiplier is given after the first step; give it before");
    if (!crs_all_finite(m, lambda))
        return crs_fail(e, CREASE_BAD_DATA, "the multiplier has an entry that is not finite");
    if (!s->portfolio)
        return crs_fail(e, CREASE_UNSUPPORTED,
                        "%s begins with the multiplier 0 of its theorem; use multipliers or auto",
                        crease_method_name(s->a->method));
    copy(m, lambda, s->st.lambda);
    s->begins_at = true;
    crs_portfolio_multiplier(s->portfolio, lambda);
    return true;
}

/* Nothing that was doubted or proved of the old numbers is true of the new ones. */
static void forget(crease_solver *s)
{
    crs_forget_ray(s);
    crs_free(s->separator);
    s->separator = NULL;
    s->doubted = 0;
    s->trials = 0;
    s->stalls = s->grows = s->claimed = false;
    s->settled = s->doubted_off = s->doubted_size = s->core_size = 0;
}

bool crease_solver_update(crease_solver *s, crease_error *e)
{
    crease_reference *reference = NULL;
    if (s->points)
        return crs_fail(e, CREASE_UNSUPPORTED,
                        "a run from several starts, or with continuation, cannot go on with new "
                        "numbers; make a new solver");
    if (!s->portfolio)
        return crs_fail(e, CREASE_UNSUPPORTED,
                        "a run by %s cannot go on with new numbers; make a new solver",
                        crease_method_name(s->a->method));
    if (!crease_problem_check(s->given, e)) return false;
    if (s->reference && !(reference = crs_reference_new(s->given, &s->run.watch, e))) return false;
    crs_copy_point(s, s->best, s->st.x);
    if (s->given->range.order > 0)
        copy(crease_size(&s->given->range), s->best_lambda, s->st.lambda);
    if (reference) {
        crease_reference_free(s->reference);
        s->reference = reference;
    }
    if (!crs_portfolio_update(s->portfolio, s->given, points(s->st.x), e)) return false;
    crs_driver_again(&s->run);
    forget(s);
    return true;
}
