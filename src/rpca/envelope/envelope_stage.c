/* SPDX-License-Identifier: MIT
 * envelope_stage: when the path ends, the ridge goes, another penalty comes, and all is done */
#include "rpca/envelope/state.h"

static const double ridge_stop = 1e-4, ridge_angle = 2e-2, switch_stop = 1e-4, share_stop = 1e-3;
enum { patience = 25 };

/* The ridge stage has come to an end, or takes long; what is to be verified may take longer. */
static bool ridge_ends(const crs_envelope_solver *s)
{
    const bool verify = s->attempt == CRS_ATTEMPT_LESS || s->attempt == CRS_ATTEMPT_REFILL;
    const bool there =
        s->out.worst <= ridge_stop && s->out.angle <= (verify ? ridge_angle / 2 : ridge_angle);
    const bool long_ago = s->out.steps - s->since >= (verify ? 3 * patience : patience);
    return s->out.threshold == crs_envelope_path_goal(s) && (there || long_ago);
}

static void enter(crs_envelope_solver *s, crs_envelope_stage stage)
{
    s->out.stage = stage;
    s->since = s->out.steps;
    s->nu =
        stage <= CRS_STAGE_RIDGE ? crs_envelope_path_ridge(s, crs_envelope_path_goal(s)) : s->c.nu;
    s->built = false;
    crs_envelope_secant_forget(s);
    if (s->known) crs_envelope_measure(s);
}

static void path(crs_envelope_solver *s, bool stuck)
{
    const bool learning = s->c.learn > 0 && !s->learned;
    if (learning) crs_envelope_learn(s);
    if (stuck) s->known = false;
    if (stuck || (!learning && crs_envelope_path_ends(s))) {
        enter(s, CRS_STAGE_RIDGE);
    } else {
        s->nu = crs_envelope_path_ridge(s, s->out.threshold);
        crs_envelope_measure(s);
    }
}

static void back_to_path(crs_envelope_solver *s)
{
    if (s->c.path) s->out.stage = CRS_STAGE_PATH;
    s->ceiling = INFINITY;
}

/* The last stage begins again where outliers ask for a lower threshold. */
static bool lowered(crs_envelope_solver *s)
{
    if (s->out.stage != CRS_STAGE_LAST || s->c.learn == 0) return false;
    if (!(s->out.worst <= share_stop) || !crs_envelope_learn_share(s)) return false;
    s->known = false;
    crs_envelope_trust_reset(s);
    return true;
}

/* A better fit, or another rank: once more along the path; else the model's own nu */
static void ridge(crs_envelope_solver *s, bool stuck)
{
    if (s->c.learn > 0 && !stuck && crs_envelope_learn_lower(s)) {
        if (s->c.path) crs_envelope_unlearn(s);
        back_to_path(s);
        return;
    }
    s->known = !(s->c.prune && crs_envelope_rank(s));
    if (s->known)
        enter(s, CRS_STAGE_LAST);
    else
        back_to_path(s);
    if (s->c.prune) crs_envelope_trust_reset(s);
    lowered(s);
}

/* A component that drifts towards an outlier makes the last stage long. */
static bool again(const crs_envelope_solver *s)
{
    return s->rounds < 2 && s->out.worst > s->c.eps && s->out.steps - s->since >= 2 * patience;
}

void crs_envelope_wanted(crs_envelope_solver *s)
{
    s->out.stage = CRS_STAGE_WANTED;
    s->known = false;
    crs_envelope_trust_reset(s);
}

/* At the penalty asked for, or l1 in its place for one that is learned. */
static void conclude(crs_envelope_solver *s, bool wanted, bool stuck)
{
    const bool final = s->at.face.penalty == s->c.face.penalty || !wanted;
    if (final && s->out.worst <= s->c.eps)
        s->out.status = CRS_ENVELOPE_STATIONARY;
    else if (stuck)
        s->out.status = CRS_ENVELOPE_STALLED;
}

void crs_envelope_advance(crs_envelope_solver *s, bool stuck)
{
    const bool wanted = s->c.learn == 0 && s->c.face.penalty != &crs_l1;
    const crs_envelope_stage before = s->out.stage;
    if (s->out.stage == CRS_STAGE_PATH) path(s, stuck);
    if (s->out.stage == CRS_STAGE_RIDGE && (!s->c.prune || stuck || ridge_ends(s))) {
        ridge(s, stuck);
    } else if (s->out.stage == CRS_STAGE_LAST && wanted && (stuck || s->out.worst <= switch_stop)) {
        crs_envelope_wanted(s);
    } else if (lowered(s)) {
        return;
    } else if (s->out.stage == CRS_STAGE_LAST && s->c.prune && again(s)) {
        s->attempt = CRS_ATTEMPT_NONE;
        s->rounds++;
        enter(s, CRS_STAGE_RIDGE);
    }
    if (s->out.stage >= CRS_STAGE_LAST && s->known)
        conclude(s, wanted, stuck && before >= CRS_STAGE_LAST);
}
