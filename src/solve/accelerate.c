/* SPDX-License-Identifier: MIT
 * accelerate: safeguarded extrapolation
 *
 * The candidate x + theta (x - x^{k-1}), zeros kept, last block and its predecessor shifted alike,
 * lambda recomputed from them, replaces x only if the potential does not rise; a plain step
 * follows. Every bound of the plain method stays true (docs/theory.md, extrapolation). */
#include "solve/solver.h"

/* x_i <- x_i + theta (x_i - before_i), inside X_i; entries that are 0 stay 0 when r_i put them
 * there. */
static void extrapolate(crease_solver *s, int i, double theta)
{
    const crease_set *c = s->p->block[i].set;
    const bool keep_zeros = s->p->block[i].reg.ops && i != s->a->last;
    double *x = s->st.x[i];
    for (ptrdiff_t j = 0, n = crs_size(s, i); j < n; j++)
        if (x[j] != 0 || !keep_zeros) x[j] += theta * (x[j] - s->before[i][j]);
    if (c && c->ops->project) c->ops->project(c, &s->p->space[i], x, x, s->st.work);
}

static void take_back(crease_solver *s)
{
    crs_copy_point(s, s->kept, s->st.x);
    if (s->a->last < 0) return;
    copy(crease_size(&s->p->range), s->kept_lambda, s->st.lambda);
    crs_constraint(s->p, points(s->st.x), s->st.s, s->st.work);
}

void crs_accelerate(crease_solver *s)
{
    const int last = s->a->last;
    const double theta = (double)s->since_restart / (double)(s->since_restart + 3);
    crs_copy_point(s, s->st.x, s->kept);
    if (last >= 0) copy(crease_size(&s->p->range), s->st.lambda, s->kept_lambda);
    for (int i = 0; i < s->p->count; i++) extrapolate(s, i, theta);
    crs_copy_point(s, s->kept, s->before);
    if (last >= 0) {
        for (ptrdiff_t j = 0, n = crs_size(s, last); j < n; j++) /* xbar moves with x_N */
            s->st.was[last][j] += s->st.x[last][j] - s->kept[last][j];
        crs_constraint(s->p, points(s->st.x), s->st.s, s->st.work);
        crs_restore_multiplier(&s->st);
    }
    const double candidate = crs_potential(&s->st);
    if (candidate <= s->potential) {
        s->potential = candidate;
        s->run.report.accelerated++;
        s->since_restart++;
        return;
    }
    take_back(s);
    s->since_restart = 1;
}
