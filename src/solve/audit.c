/* SPDX-License-Identifier: MIT
 * audit: the potential must fall by decrease * move^2 every iteration. A rise beyond rounding means
 * that an assumption is false; it is counted and reported, never hidden. */
#include <stdio.h>

#include "solve/solver.h"

void crs_count_rise(crease_report *r, const crease_analysis *a, double rise)
{
    r->audit_violations++;
    r->audit_worst = larger(r->audit_worst, rise);
    snprintf(r->note, sizeof r->note,
             "assumption false: the potential of %s rose by %.3g (relative) beyond what %s allows",
             crease_method_name(a->method), rise, a->theorem);
}

/* Back to where the step began, with twice the constant: the new parameters start a new run. */
static void take_back(crease_solver *s)
{
    crs_copy_point(s, s->st.was, s->st.x);
    copy(crease_size(&s->p->range), s->kept_lambda, s->st.lambda);
    crs_constraint(s->p, points(s->st.x), s->st.s, s->st.work);
    s->a->M *= 2;
    crs_retune(s->p, &s->run.o, s->a);
    if (s->method->prepare) s->method->prepare(&s->st, NULL);
    s->potential = NAN;
    s->since_restart = 0;
    s->run.report.restarts++;
}

bool crs_audit(crease_solver *s, double move)
{
    const double now = crs_potential(&s->st), before = s->potential;
    const double promised = s->a->guarantee ? s->a->decrease * move : 0;
    s->run.progress.potential = now;
    s->run.progress.decrease = before - now;
    s->potential = now;
    if (isnan(before)) return true;
    const double squares =
        s->a->last >= 0 ? s->a->beta * square(crease_norm(&s->p->range, s->st.s)) : 0;
    const double rise = crs_rise(before, now, promised, squares);
    const bool below = s->a->adaptive && now < s->a->lower;
    if (!(rise > 1e-10) && !below) return true;
    if (s->a->adaptive && s->a->M < 1e100) {
        take_back(s);
        return false;
    }
    crs_count_rise(&s->run.report, s->a, rise);
    return true;
}
