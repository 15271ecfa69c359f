/* SPDX-License-Identifier: MIT
 * envelope_solve: one step of the trust-region Levenberg-Marquardt method on the factors */
#include "rpca/envelope/state.h"

static void look(crs_envelope_solver *s, crs_envelope_point *p, const crs_envelope_face *judge,
                 const crs_envelope_face *next)
{
    const crs_envelope_model *m = &s->model;
    const double *factor[CREASE_MAX_ORDER];
    for (ptrdiff_t n = 0, row = 0; n < m->shape.order; row += m->shape.dim[n], n++) {
        factor[n] = p->x + row * m->rank;
        p->sums->gradient[n] = p->sm + row * m->rank;
        p->sums->marginal[n] = p->marginal + row;
    }
    crs_envelope_evaluate(s->pass, m->rank, factor, judge, next, p->sums);
    p->face = *next;
    p->data = p->sums->value_next;
    s->out.passes++;
}

static void arrive(crs_envelope_solver *s)
{
    s->known = true;
    s->built = false;
    crs_envelope_balance(s);
    crs_envelope_measure(s);
}

/* A look without a step; at the start a second, where the path begins above its goal. */
static void first_look(crs_envelope_solver *s)
{
    const crs_envelope_face face = s->out.passes == 0 && s->out.stage != CRS_STAGE_WANTED
                                       ? s->goal
                                       : crs_envelope_path_next(s);
    look(s, &s->at, &face, &face);
    crs_envelope_secant_forget(s);
    arrive(s);
    if (s->out.passes > 1) return;
    crs_envelope_typical(s);
    s->known = s->out.stage != CRS_STAGE_PATH || crs_envelope_path_ends(s);
}

crs_envelope_status crs_envelope_solver_step(crs_envelope_solver *s)
{
    if (s->out.status != CRS_ENVELOPE_RUNNING) return s->out.status;
    if (!s->known) {
        first_look(s);
        if (s->known) crs_envelope_advance(s, false);
        return s->out.status;
    }
    const bool moved = crs_envelope_trust_direction(s); /* (2c eta J'WJ + (mu+nu) I) d = -g */
    if (!moved) return crs_envelope_advance(s, true), s->out.status;
    const crs_envelope_face next = crs_envelope_path_next(s); /* t = max(t*, min(t, kap med)) */
    look(s, &s->trial, &s->at.face, &next);                   /* F and the gradient at x + d */
    if (!crs_envelope_trust_judge(s)) return s->out.status;   /* rho = gain/predicted */
    crs_envelope_secant_learn(s);
    const crs_envelope_point old = s->at;
    s->at = s->trial;
    s->trial = old;
    s->out.steps++;
    arrive(s);
    crs_envelope_advance(s, false);
    return s->out.status;
}
