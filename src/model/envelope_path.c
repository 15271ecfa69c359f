/* SPDX-License-Identifier: MIT
 * envelope_path: the threshold that falls with the median of |r|, and the stages after it */
#include "model/envelope_solver_state.h"

static const double ridge_stop = 1e-4, switch_stop = 1e-4, path_stop = 1e-2;

crs_envelope_face crs_envelope_l1(double t, double c)
{
    return (crs_envelope_face){ .penalty = &crs_l1, .par = { 1 }, .alpha = 2 * c * t };
}

/* By bisection: the prox is nondecreasing. */
double crs_envelope_threshold(const crs_envelope_face *f, double c)
{
    if (f->penalty == &crs_l1) return f->alpha * f->par[0] / (2 * c);
    const crs_scalar r = { f->penalty, f->par, f->alpha };
    double low = 0, high = 1;
    if (f->alpha == 0) return 0;
    while (high < 0x1p500 && crs_scalar_prox(&r, 1 / (2 * c), high) == 0) low = high, high *= 2;
    if (high >= 0x1p500) return INFINITY;
    if (low == 0) {
        while (high > 0x1p-500 && crs_scalar_prox(&r, 1 / (2 * c), high) != 0) high /= 2;
        low = high;
        high *= 2;
    }
    for (int k = 0; k < 52; k++) {
        const double middle = low + (high - low) / 2;
        if (crs_scalar_prox(&r, 1 / (2 * c), middle) == 0)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* The fraction of |r| <= a */
static double fraction_below(const crs_envelope_sums *a, double bound)
{
    double low = 0, high = 1;
    for (int k = 0; k < 24; k++) {
        const double middle = (low + high) / 2;
        if (crs_envelope_quantile(a, middle) <= bound)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* P(|z| <= 2.5) = 0.98758 and the median of |z| there is 0.6645 for a standard normal z */
double crs_envelope_scale(const crs_envelope_sums *a, double parameters)
{
    double scale = crs_envelope_quantile(a, 0.5) / 0.6745;
    for (int k = 0; k < 30; k++) {
        const double last = scale;
        scale = crs_envelope_quantile(a, fraction_below(a, 2.5 * scale) / 2) / 0.6645;
        if (scale == last) break;
    }
    const double count = (double)a->observed;
    return count > 2 * parameters ? scale * sqrt(count / (count - parameters)) : scale;
}

/* alpha V^{1-2/d} makes the ridge a price per component in the units of the data */
static double own_ridge(const crs_envelope_solver *s, double t)
{
    const double price = 2 * s->noise * t * pow(s->typical, 1 - 2.0 / s->model.shape.order);
    return s->c.prune ? larger(s->c.nu, s->c.ridge * price) : s->c.nu;
}

static double goal_threshold(const crs_envelope_solver *s)
{
    return crs_envelope_threshold(&s->goal, s->noise);
}

crs_envelope_face crs_envelope_path_next(crs_envelope_solver *s)
{
    if (s->out.stage == CRS_STAGE_WANTED) return s->c.face;
    if (s->out.stage != CRS_STAGE_PATH) return s->goal;
    const double least = goal_threshold(s), now = s->out.threshold;
    double t = smaller(now, s->c.kap * s->out.median);
    if (s->known && s->out.worst < path_stop && least > 0) t = smaller(t, 0.4 * now);
    return t > least ? crs_envelope_l1(t, s->noise) : s->goal;
}

static double parameters(const crs_envelope_model *m)
{
    return (double)(m->rank * (crs_envelope_model_rows(&m->shape) - m->shape.order + 1));
}

/* The threshold from the noise's scale; false when it is not much below the one now. */
static bool lower(crs_envelope_solver *s)
{
    s->out.scale = crs_envelope_scale(s->at.sums, parameters(&s->model));
    const double t = s->c.learn * s->out.scale;
    if (s->learned && !(t < 0.8 * goal_threshold(s))) return false;
    s->goal = crs_envelope_l1(t, s->noise);
    s->attempt = CRS_ATTEMPT_NONE;
    return s->learned = true;
}

/* The path ends when the median does. */
static void learn(crs_envelope_solver *s)
{
    const bool near = s->out.worst < 1e-3, settled = near && s->out.median > 0.9 * s->before;
    s->before = near ? s->out.median : INFINITY;
    if (settled) lower(s);
}

static void enter(crs_envelope_solver *s, crs_envelope_stage stage)
{
    s->out.stage = stage;
    s->nu = stage <= CRS_STAGE_RIDGE ? own_ridge(s, goal_threshold(s)) : s->c.nu;
    s->built = false;
    if (s->known) crs_envelope_measure(s);
}

/* V: the median of |r| at the start, or the root mean square of the start if that is larger */
void crs_envelope_typical(crs_envelope_solver *s)
{
    const crs_envelope_model *m = &s->model;
    const ptrdiff_t area = m->rank * m->rank;
    double squares = 0;
    fill(area, 1, m->small);
    for (int n = 0; n < m->shape.order; n++) {
        crs_gram(m->shape.dim[n], m->rank, s->at.x + crs_envelope_model_first(m, n), m->cross);
        for (ptrdiff_t q = 0; q < area; q++) m->small[q] *= m->cross[q];
    }
    for (ptrdiff_t q = 0; q < area; q++) squares += m->small[q];
    s->typical = larger(s->out.median, sqrt(pos(squares) / (double)crease_size(&m->shape)));
    s->nu = own_ridge(s, s->out.threshold);
}

void crs_envelope_path_advance(crs_envelope_solver *s, bool stuck)
{
    const bool wanted = s->c.learn == 0 && s->c.face.penalty != &crs_l1;
    if (s->out.stage == CRS_STAGE_PATH) {
        if (s->c.learn > 0 && !s->learned) learn(s);
        const double t = s->out.threshold;
        if (stuck) s->known = false;
        if (stuck || (t <= goal_threshold(s) && (s->learned || s->c.learn == 0)))
            enter(s, CRS_STAGE_RIDGE);
        else if (s->c.prune)
            s->nu = own_ridge(s, t), crs_envelope_measure(s);
        if (s->out.stage == CRS_STAGE_PATH) return;
    }
    if (s->out.stage == CRS_STAGE_RIDGE && (!s->c.prune || stuck || s->out.worst <= ridge_stop)) {
        if (s->c.learn > 0 && !stuck && lower(s)) {
            enter(s, CRS_STAGE_RIDGE);
            return;
        }
        s->known = !(s->c.prune && crs_envelope_rank(s));
        if (!s->known) {
            crs_envelope_trust_reset(s);
            if (s->attempt == CRS_ATTEMPT_REFILL && s->c.path && s->c.learn == 0)
                s->out.stage = CRS_STAGE_PATH, s->out.threshold = INFINITY;
            return;
        }
        enter(s, CRS_STAGE_LAST);
        if (s->c.prune) crs_envelope_trust_reset(s);
        return;
    }
    if (s->out.stage == CRS_STAGE_LAST && wanted && (stuck || s->out.worst <= switch_stop)) {
        s->out.stage = CRS_STAGE_WANTED;
        return;
    }
    if (s->out.stage < CRS_STAGE_LAST) return;
    const bool final = s->at.face.penalty == s->c.face.penalty || !wanted;
    if (final && s->out.worst <= s->c.eps)
        s->out.status = CRS_ENVELOPE_STATIONARY;
    else if (stuck)
        s->out.status = CRS_ENVELOPE_STALLED;
}
