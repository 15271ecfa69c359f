/* SPDX-License-Identifier: MIT
 * envelope_solver_start: the first point, another penalty from here, and what a caller reads */
#include "rpca/envelope/state.h"

/* A penalty whose prox is never 0 has no l1 to come from. */
static crs_envelope_stage first_stage(const crs_envelope_solver *s, double t)
{
    if (s->c.learn == 0 && t == 0) return CRS_STAGE_WANTED;
    return s->c.path ? CRS_STAGE_PATH : CRS_STAGE_RIDGE;
}

bool crs_envelope_solver_start(crs_envelope_solver *s, ptrdiff_t rank, const double *const *factor,
                               crease_error *e)
{
    if (rank < 1 || rank > s->c.rank)
        return crs_fail(e, CREASE_BAD_ARGUMENT, "a start of rank %td for a solver of rank %td",
                        rank, s->c.rank);
    s->model.rank = rank;
    for (int n = 0; n < s->c.shape.order; n++) {
        double *x = s->at.x + crs_envelope_model_first(&s->model, n);
        const ptrdiff_t size = s->c.shape.dim[n] * rank;
        for (ptrdiff_t j = 0; j < size; j++) {
            if (!isfinite(factor[n][j]))
                return crs_fail(e, CREASE_BAD_DATA,
                                "entry %td of start factor %d is %g; give finite numbers", j + 1,
                                n + 1, factor[n][j]);
            x[j] = s->c.nonneg ? fabs(factor[n][j]) : factor[n][j];
        }
    }
    const double t = s->c.learn > 0 ? 0 : crs_envelope_threshold(&s->c.face, s->noise);
    s->goal = crs_envelope_l1(t, s->noise);
    s->out = (crs_envelope_progress){ .rank = rank, .stage = first_stage(s, t) };
    s->known = s->built = s->learned = false;
    s->attempt = CRS_ATTEMPT_NONE;
    s->refills = s->rounds = 0;
    s->kept = 0;
    s->kap = s->c.kap;
    s->since = 0;
    s->first_rank = rank;
    s->before = s->ceiling = INFINITY;
    s->nu = s->c.nu;
    crs_envelope_trust_reset(s);
    return true;
}

void crs_envelope_solver_follow(crs_envelope_solver *s, double kap) { s->c.kap = kap; }

bool crs_envelope_solver_switch(crs_envelope_solver *s, const crs_envelope_face *face,
                                crease_error *e)
{
    if (!face->penalty || !(face->alpha >= 0 && face->alpha < INFINITY))
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "a penalty with alpha %g; give a penalty and a number >= 0", face->alpha);
    if (s->out.passes == 0)
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "another penalty before the first step; set it at the start");
    s->c.face = *face;
    s->c.learn = 0;
    s->nu = s->c.nu;
    s->out.status = CRS_ENVELOPE_RUNNING;
    crs_envelope_wanted(s);
    return true;
}

const crs_envelope_progress *crs_envelope_solver_progress(const crs_envelope_solver *s)
{
    return &s->out;
}
const crs_envelope_face *crs_envelope_solver_face(const crs_envelope_solver *s)
{
    return &s->at.face;
}
const double *crs_envelope_solver_factor(const crs_envelope_solver *s, int n)
{
    return s->at.x + crs_envelope_model_first(&s->model, n);
}
crs_envelope *crs_envelope_solver_pass(crs_envelope_solver *s) { return s->pass; }
