/* SPDX-License-Identifier: MIT
 * envelope_learn: the threshold from a robust scale of the residual */
#include "rpca/envelope/envelope_solver_state.h"
#include "rpca/rpca.h"

/* The fraction of |r| <= a */
static double fraction_below(const crs_envelope_sums *a, double bound)
{
    double low = 0, high = 1;
    for (int k = 0; k < 14; k++) {
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
    double scale = crs_envelope_quantile(a, 0.5) / 0.6745, before = INFINITY;
    for (int k = 0; k < 30 && fabs(scale - before) > 1e-3 * scale; k++) {
        before = scale;
        scale = crs_envelope_quantile(a, fraction_below(a, 2.5 * scale) / 2) / 0.6645;
    }
    const double count = (double)a->observed;
    return count > 2 * parameters ? scale * sqrt(count / (count - parameters)) : scale;
}

static double parameters(const crs_envelope_model *m)
{
    return (double)(m->rank * (crs_envelope_model_rows(&m->shape) - m->shape.order + 1));
}

double crs_envelope_solver_deviation(const crs_envelope_solver *s)
{
    return s->learned ? s->out.scale : crs_envelope_scale(s->at.sums, parameters(&s->model));
}

double crs_envelope_solver_share(const crs_envelope_solver *s)
{
    const double normal = 0.0027, scale = crs_envelope_solver_deviation(s); /* P(|z| > 3) */
    if (!(scale > 0)) return 0;
    return pos(1 - fraction_below(s->at.sums, 3 * scale) - normal) / (1 - normal);
}

/* The threshold from the noise's scale; false when it is not much below the one before. */
bool crs_envelope_learn_lower(crs_envelope_solver *s)
{
    const double before = larger(s->kept, crs_envelope_path_goal(s));
    s->out.scale = crs_envelope_scale(s->at.sums, parameters(&s->model));
    const double t = s->c.learn * s->out.scale;
    const bool much = before == 0 || t < 0.8 * before;
    if (much) s->attempt = CRS_ATTEMPT_NONE;
    s->goal = crs_envelope_l1(much ? t : before, s->noise);
    s->learned = true;
    s->kept = 0;
    return much;
}

/* Clipped outliers and P parameters of n entries add k^2 t^2 P/n, k^2 = p/(1-p)^2 for a share p, to
 * the variance of the residual. Where that is near what they were clipped at, the scale is theirs
 * and not the noise's, and only a lower threshold shows that. */
bool crs_envelope_learn_share(crs_envelope_solver *s)
{
    if (!s->learned) return false;
    s->out.scale = crs_envelope_scale(s->at.sums, parameters(&s->model));
    const double k = crs_cp_threshold(crs_envelope_solver_share(s), s->c.learn);
    const double t = k * s->out.scale;
    if (!(t < 0.8 * crs_envelope_path_goal(s))) return false;
    s->goal = crs_envelope_l1(t, s->noise);
    return true;
}

/* After a change that may let the path go on; where it does not, the threshold is kept. */
void crs_envelope_unlearn(crs_envelope_solver *s)
{
    if (s->c.learn == 0) return;
    s->kept = crs_envelope_path_goal(s);
    s->goal = crs_envelope_l1(0, s->noise);
    s->learned = false;
    s->before = INFINITY;
    s->kap = s->c.kap;
}

/* The path ends when the median does, also for thresholds of half the size: while outliers bias
 * the fit, the median is a multiple of the threshold. */
void crs_envelope_learn(crs_envelope_solver *s)
{
    const bool near = s->out.worst < 1e-3, settled = near && s->out.median > 0.9 * s->before;
    s->before = near ? s->out.median : INFINITY;
    if (!settled) return;
    if (s->kap == s->c.kap)
        s->kap /= 2;
    else
        crs_envelope_learn_lower(s);
}
