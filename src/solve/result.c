/* SPDX-License-Identifier: MIT
 * result: what a solver found */
#include "solve/solver.h"

const double *crease_solution(const crease_solver *s, int block) { return s->best[block]; }

const double *crease_multiplier(const crease_solver *s)
{
    return s->given->range.order > 0 ? s->best_lambda : NULL;
}

const crease_certificate *crease_solver_certificate(const crease_solver *s) { return &s->found; }
const crease_analysis *crease_solver_analysis(const crease_solver *s) { return s->a; }
crease_report crease_solver_report(const crease_solver *s) { return s->report; }
crease_progress crease_solver_progress(const crease_solver *s) { return s->progress; }
