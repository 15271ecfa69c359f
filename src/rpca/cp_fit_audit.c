/* SPDX-License-Identifier: MIT
 * cp_fit_audit: the potential of the fused iteration in the progress and the report of a fit
 *
 * As in solve/audit.c: a plain step lowers it by `decrease` times the squared moves, and what
 * precedes the step does not raise it. */
#include "rpca/fit.h"
#include "solve/audit.h"

/* A tile adds up at most 192 numbers to a lane before sums are double. */
static double rounding(const crease_cp_fit *f) { return f->s.single ? 192 * 0x1p-24 : 1e-10; }

static void check(crease_cp_fit *f, double rise)
{
    if (rise > rounding(f))
        crs_count_rise(&f->report, crease_method_name(f->a->method), f->a->theorem, rise);
}

void crs_cp_fit_audit(crease_cp_fit *f, const crs_cp_statistics *now, double beta, double decrease)
{
    const double promised = f->a->guarantee ? decrease * now->moves : 0;
    const double squares = beta * square(now->feasibility), before = f->progress.potential;
    check(f, crs_rise(before, now->from, 0, 0));
    check(f, crs_rise(now->from, now->potential, promised, squares));
    f->progress.potential = now->potential;
    f->progress.decrease = now->from - now->potential;
    f->report.accelerated = now->accelerated;
}
