/* SPDX-License-Identifier: MIT
 * envelope_path: the threshold that falls with the median of |r|, and the ridge in its units */
#include "rpca/envelope/state.h"

crs_envelope_face crs_envelope_l1(double t, double c)
{
    return (crs_envelope_face){ .penalty = &crs_l1, .par = { 1 }, .alpha = 2 * c * t };
}

double crs_envelope_threshold(const crs_envelope_face *f, double c)
{
    const crs_scalar r = { f->penalty, f->par, f->alpha };
    if (f->penalty == &crs_l1) return f->alpha * f->par[0] / (2 * c);
    const double t = crs_dead_zone(&r, 1 / (2 * c));
    return t < 0x1p-500 ? 0 : t; /* less is underflow, not a zone */
}

/* alpha V^{1-2/d} makes the ridge a price per component in the units of the data; a component
 * that may have been lost to it is tried again with less of it. */
double crs_envelope_path_ridge(const crs_envelope_solver *s, double t)
{
    const double most = smaller(t, s->c.kap * s->typical); /* beyond it nothing is an outlier */
    const double price = 2 * s->noise * most * pow(s->typical, 1 - 2.0 / s->model.shape.order);
    return s->c.prune ? larger(s->c.nu, s->c.ridge * pow(0.1, s->refills) * price) : s->c.nu;
}

double crs_envelope_path_goal(const crs_envelope_solver *s)
{
    return crs_envelope_threshold(&s->goal, s->noise);
}

/* t = max(t*, min(t, kap median|r|)), and lower where the point is nearly stationary for t */
static double following(const crs_envelope_solver *s)
{
    const double least = crs_envelope_path_goal(s);
    double t = smaller(s->ceiling, s->kap * s->out.median);
    const bool above = least > 0 && s->out.threshold > least;
    if (s->known && above && s->out.worst < 1e-2) t = smaller(t, 0.4 * s->out.threshold);
    return larger(t, least);
}

bool crs_envelope_path_ends(const crs_envelope_solver *s)
{
    const double least = crs_envelope_path_goal(s);
    return s->out.threshold == least && following(s) == least;
}

crs_envelope_face crs_envelope_path_next(crs_envelope_solver *s)
{
    if (s->out.stage == CRS_STAGE_WANTED) return s->c.face;
    if (s->out.stage != CRS_STAGE_PATH) return s->goal;
    s->ceiling = following(s);
    return s->ceiling > crs_envelope_path_goal(s) ? crs_envelope_l1(s->ceiling, s->noise) : s->goal;
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
    if (s->out.stage <= CRS_STAGE_RIDGE) s->nu = crs_envelope_path_ridge(s, s->out.threshold);
}
