/* SPDX-License-Identifier: MIT
 * envelope_solve: one step of the trust-region Levenberg-Marquardt method on the factors */
#include "model/envelope_solver_state.h"

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

/* The first look at a point: where the path's threshold is above the one guessed, a second. */
static void first_look(crs_envelope_solver *s)
{
    crs_envelope_face face = crs_envelope_path_next(s);
    look(s, &s->at, &face, &face);
    arrive(s);
    if (s->out.passes > 1) return;
    crs_envelope_typical(s);
    if (s->out.stage != CRS_STAGE_PATH) return;
    s->out.threshold = INFINITY;
    face = crs_envelope_path_next(s);
    s->known =
        crs_envelope_threshold(&face, s->noise) == crs_envelope_threshold(&s->at.face, s->noise);
}

crs_envelope_status crs_envelope_solver_step(crs_envelope_solver *s)
{
    if (s->out.status != CRS_ENVELOPE_RUNNING) return s->out.status;
    if (!s->known) {
        first_look(s);
        if (s->known) crs_envelope_path_advance(s, false);
        return s->out.status;
    }
    const bool moved = crs_envelope_trust_direction(s); /* (2c eta J'WJ + (mu+nu) I) d = -g */
    if (!moved) return crs_envelope_path_advance(s, true), s->out.status;
    const crs_envelope_face next = crs_envelope_path_next(s); /* t = max(t*, min(t, kap med)) */
    look(s, &s->trial, &s->at.face, &next);                   /* F and the gradient at x + d */
    if (!crs_envelope_trust_judge(s)) return s->out.status;   /* rho = gain/predicted */
    const crs_envelope_point old = s->at;
    s->at = s->trial;
    s->trial = old;
    s->out.steps++;
    arrive(s);
    crs_envelope_path_advance(s, false);
    return s->out.status;
}
