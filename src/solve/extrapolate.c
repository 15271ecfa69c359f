/* SPDX-License-Identifier: MIT
 * extrapolate: safeguarded extrapolation of a run by blocks
 *
 * The candidate x + theta (x - x^{k-1}), zeros kept, last block and its predecessor shifted alike,
 * lambda recomputed from them, replaces x only if the potential does not rise; a plain step
 * follows. Every bound of the plain method stays true (docs/theory.md, extrapolation). s and the
 * images u of the candidate are the same combination of those of x and x^{k-1}. */
#include "solve/solver.h"

static ptrdiff_t rows_of(const crease_solver *s)
{
    return s->a->last >= 0 ? crease_size(&s->p->range) : 0;
}

void crs_forget_before(crease_solver *s)
{
    crs_copy_point(s, s->st.x, s->before);
    copy(crs_images_size(s->p), s->st.u, s->u_before);
    copy(rows_of(s), s->st.s, s->s_before);
    copy(s->p->count, s->st.r, s->r_before);
}

void crs_refresh_both(crease_solver *s)
{
    crs_refresh(&s->st);
    crs_images(s->p, points(s->before), s->u_before, s->st.work);
    if (s->a->last >= 0) crs_constraint(s->p, points(s->before), s->s_before, s->st.work);
}

/* x_i <- x_i + theta (x_i - before_i), inside X_i; entries that are 0 stay 0 when r_i put them
 * there. g: by how much that is not the linear combination; false: nowhere. */
static bool extrapolate(crease_solver *s, int i, double theta, double *g)
{
    const crease_set *c = s->p->block[i].set;
    const bool keep_zeros = s->p->block[i].reg.ops && i != s->a->last;
    double *x = s->st.x[i];
    bool bent = false;
    for (ptrdiff_t j = 0, n = crs_size(s, i); j < n; j++) {
        g[j] = x[j] + theta * (x[j] - s->before[i][j]);
        if (x[j] != 0 || !keep_zeros) x[j] = g[j];
    }
    if (c && c->ops->project) c->ops->project(c, &s->p->space[i], x, x, s->st.work);
    for (ptrdiff_t j = 0, n = crs_size(s, i); j < n; j++) {
        g[j] = x[j] - g[j];
        bent = bent || g[j] != 0;
    }
    return bent;
}

/* now becomes now + theta (now - before), and before what now was. */
static void combine(ptrdiff_t n, double theta, double *now, double *before)
{
    for (ptrdiff_t j = 0; j < n; j++) {
        const double t = now[j];
        now[j] = t + theta * (t - before[j]);
        before[j] = t;
    }
}

static void take_back(crease_solver *s)
{
    crs_copy_point(s, s->kept, s->st.x);
    copy(crs_images_size(s->p), s->u_before, s->st.u);
    copy(rows_of(s), s->kept_lambda, s->st.lambda);
    copy(rows_of(s), s->s_before, s->st.s);
    copy(s->p->count, s->r_before, s->st.r);
}

/* x, s and u move along; a product is due only where x bends. */
static void extrapolate_all(crease_solver *s, double theta)
{
    combine(crs_images_size(s->p), theta, s->st.u, s->u_before);
    combine(rows_of(s), theta, s->st.s, s->s_before);
    copy(s->p->count, s->st.r, s->r_before);
    fill(s->p->count, NAN, s->st.r);
    for (int i = 0; i < s->p->count; i++) {
        if (!extrapolate(s, i, theta, s->st.g)) continue;
        crs_images_move(s->p, i, s->st.g, s->st.u, s->st.work);
        if (s->a->last >= 0) crs_apply(s->p, i, 1, s->st.g, s->st.s, s->st.work);
    }
    crs_copy_point(s, s->kept, s->before);
}

void crs_extrapolate(crease_solver *s)
{
    const int last = s->a->last;
    const double theta = (double)s->since_restart / (double)(s->since_restart + 3);
    crs_copy_point(s, s->st.x, s->kept);
    copy(rows_of(s), s->st.lambda, s->kept_lambda);
    extrapolate_all(s, theta);
    if (last >= 0) {
        for (ptrdiff_t j = 0, n = crs_size(s, last); j < n; j++) /* xbar moves with x_N */
            s->st.was[last][j] += s->st.x[last][j] - s->kept[last][j];
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

bool crs_extrapolates(const crease_solver *s)
{
    return s->run.o.accelerate && s->a->mode == CREASE_MODE_PRACTICAL && s->method->accelerate &&
           (s->a->last < 0 || !isnan(s->a->map_scale));
}
