/* SPDX-License-Identifier: MIT
 * audit: the potential must fall by decrease * move^2 every iteration. A rise beyond rounding means
 * that an assumption is false; it is counted and reported, never hidden. */
#include <stdio.h>

#include "solve/solver.h"

void crs_audit(crease_solver *s, double move)
{
    const double now = crs_potential(&s->st), before = s->potential;
    const double promised = s->a->guarantee ? s->a->decrease * move : 0;
    s->progress.potential = now;
    s->progress.decrease = before - now;
    s->potential = now;
    if (isnan(before)) return;
    const double scale =
        1 + fabs(before) + fabs(now) +
        (s->a->last >= 0 ? s->a->beta * square(crease_norm(&s->p->range, s->st.s)) : 0);
    const double rise = (now - before + promised) / scale;
    if (!(rise > 1e-10)) return;
    s->report.audit_violations++;
    s->report.audit_worst = larger(s->report.audit_worst, rise);
    snprintf(s->report.note, sizeof s->report.note,
             "assumption false: the potential of %s rose by %.3g (relative) beyond what %s allows",
             s->method->name, rise, s->a->theorem);
}
