/* SPDX-License-Identifier: MIT
 * start: the first iterate, inside its sets, with the multiplier that belongs to it */
#include "solve/solver.h"

/* One prox leads into the domain of r_i, inside X_i. */
static void enter_domain(crease_solver *s, int i)
{
    const crease_block *b = &s->p->block[i];
    const crease_reg *r = crs_reg_of(s->p, i);
    const crease_space *space = &s->p->space[i];
    double *x = s->st.x[i], step = INFINITY;
    if (r->ops->value(r, space, x, s->st.work) < INFINITY) return;
    if (!b->set)
        r->ops->prox(r, space, 1, x, x, s->st.work);
    else if (s->a->method != CREASE_METHOD_GCG && /* whose memory has no room for a joint prox */
             crease_joint_check(r, b->set, space, &step, NULL))
        crease_joint_prox(r, b->set, space, smaller(1, step / 2), x, x, s->st.work);
    else
        return;
    if (b->start) s->report.moved_starts++;
}

static void start_block(crease_solver *s, int i)
{
    const crease_block *b = &s->p->block[i];
    const crease_set *c = b->set;
    const ptrdiff_t n = crs_size(s, i);
    double *x = s->st.x[i];
    for (ptrdiff_t j = 0; j < n; j++) x[j] = b->start ? b->start[j] : 0;
    if (!c) return;
    const double out = c->ops->excess(c, &s->p->space[i], x, s->st.work);
    if (!(out > 1e-15 * (1 + crs_norm(n, x)))) return;
    if (c->ops->project)
        c->ops->project(c, &s->p->space[i], x, x, s->st.work);
    else
        c->ops->lmo(c, &s->p->space[i], x, x, s->st.work);
    if (b->start) s->report.moved_starts++;
}

/* A_N'lambda = grad_N f(x^0): a start that is stationary is known for one at once. Only where the
 * parameters are not a theorem's, which counts from lambda^0 = 0. */
static void start_multiplier(crease_solver *s)
{
    const int N = s->a->last;
    const double scale = s->a->map_scale;
    if (s->a->mode != CREASE_MODE_PRACTICAL || isnan(scale) || !s->p->block[N].start) return;
    crs_grad(s->p, points(s->st.x), N, s->st.g, s->st.work);
    for (ptrdiff_t j = 0, n = crs_size(s, N); j < n; j++) s->st.lambda[j] = s->st.g[j] / scale;
}

void crs_solver_start(crease_solver *s)
{
    for (int i = 0; i < s->p->count; i++) {
        start_block(s, i);
        enter_domain(s, i);
    }
    if (s->extension) {
        crs_restart_extension(s);
    } else if (s->a->last >= 0) {
        crs_constraint(s->p, points(s->st.x), s->st.s, s->st.work);
        start_multiplier(s);
    }
    for (int i = 0; i < s->p->count; i++) s->st.guess[i] = 1e-2;
    /* doubling from below rho ends below 2 rho, which the bound counts on */
    const double rho = s->a->rho;
    s->st.rho_guess = !s->a->backtrack_rho && rho < INFINITY ? rho
                      : rho > 0                              ? smaller(1e-3, rho)
                                                             : 1e-3;
    crs_copy_point(s, s->st.x, s->before);
    crs_copy_point(s, s->st.x, s->st.was);
    crs_copy_point(s, s->st.x, s->best);
    s->potential = NAN;
}
