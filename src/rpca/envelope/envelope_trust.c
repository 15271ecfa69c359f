/* SPDX-License-Identifier: MIT
 * envelope_trust: the step (2c eta J'WJ + (mu + nu) I) d = -g, and what its gain says
 *
 * More, The Levenberg-Marquardt algorithm, 1978; the weights are those of iteratively reweighted
 * least squares, s/r, as a product of their averages over the slices. */
#include "rpca/envelope/state.h"

enum { MOST_CG = 150, MOST_TRIES = 60 };

void crs_envelope_trust_reset(crs_envelope_solver *s)
{
    s->out.mu = 0;
    s->out.radius = INFINITY;
    s->eta = 1;
}

/* D_n = max(average of w in the slice, wbar/50) / wbar^{1-1/d}: W ~ prod D_n */
static void weigh(crs_envelope_solver *s)
{
    const crease_space *shape = &s->model.shape;
    const double size = (double)crease_size(shape), mean = s->at.sums->weights / size;
    for (ptrdiff_t n = 0, row = 0; n < shape->order; row += shape->dim[n], n++)
        for (ptrdiff_t i = row; i < row + shape->dim[n]; i++) {
            const double w = larger(s->at.marginal[i] * (double)shape->dim[n] / size, mean / 50);
            s->model.root[i] = mean > 0 ? sqrt(w / pow(mean, 1 - 1 / (double)shape->order)) : 1;
        }
}

/* 0.1 times the largest curvature of a single factor */
static double first_damping(const crs_envelope_model *m)
{
    double largest = 0;
    for (int n = 0; n < m->shape.order; n++)
        for (ptrdiff_t r = 0; r < m->rank; r++)
            largest = larger(largest, m->except[n * m->rank * m->rank + r * (m->rank + 1)]);
    return 0.1 * m->curvature * larger(largest, 0x1p-500);
}

/* Entries of X >= 0 that are 0 and pushed down are held. */
static void build(crs_envelope_solver *s)
{
    crs_envelope_model *m = &s->model;
    weigh(s);
    crs_envelope_model_build(m, s->at.x);
    for (ptrdiff_t j = 0; m->held && j < crs_envelope_model_unknowns(m); j++)
        m->held[j] = s->at.x[j] <= 0 && s->gradient[j] > 0;
    s->built = true;
}

/* rhs = D^{-1/2} (-g), after the first loop over the pairs */
static void prepare(crs_envelope_solver *s)
{
    crs_envelope_model *m = &s->model;
    for (ptrdiff_t j = 0; j < crs_envelope_model_unknowns(m); j++)
        s->step[j] = m->held && m->held[j] == 1 ? 0 : -s->gradient[j];
    crs_envelope_secant_before(s, s->step);
    crs_envelope_model_scale(m, true, s->step, s->rhs);
}

/* trial = x + step, cut where it leaves X >= 0 */
static void move(crs_envelope_solver *s)
{
    const ptrdiff_t size = crs_envelope_model_unknowns(&s->model);
    for (ptrdiff_t j = 0; j < size; j++) {
        const double x = s->at.x[j] + s->step[j];
        s->trial.x[j] = s->c.nonneg && x < 0 ? 0 : x;
        s->step[j] = s->trial.x[j] - s->at.x[j];
    }
    s->length = crs_norm(size, s->step);
}

/* step = D^{-1/2} e; predicted = -q(step) */
static void model_step(crs_envelope_solver *s)
{
    const crs_envelope_model *m = &s->model;
    const ptrdiff_t size = crs_envelope_model_unknowns(m);
    crs_envelope_model_scale(m, true, s->scaled, s->step);
    move(s);
    crs_envelope_model_scale(m, false, s->step, s->scaled);
    crs_envelope_model_apply(m, 0, s->scaled, s->cg);
    s->predicted = -crs_dot(size, s->gradient, s->step) - crs_dot(size, s->scaled, s->cg) / 2;
}

/* The same with the pairs, shortened to the radius: for a step a d, B d = -g,
 * predicted = -a (1 - a/2) g'd */
static void secant_step(crs_envelope_solver *s)
{
    const ptrdiff_t size = crs_envelope_model_unknowns(&s->model);
    crs_envelope_model_scale(&s->model, true, s->scaled, s->step);
    crs_envelope_secant_after(s, s->step);
    const double length = crs_norm(size, s->step);
    const double a = length > s->out.radius ? s->out.radius / length : 1;
    for (ptrdiff_t j = 0; j < size; j++) s->step[j] *= a;
    move(s);
    s->predicted = -(1 - a / 2) * crs_dot(size, s->gradient, s->step);
}

static void solve(crs_envelope_solver *s)
{
    const double tolerance = smaller(0.03, 0.3 * sqrt(s->out.worst));
    prepare(s);
    crs_envelope_model_prepare(&s->model, s->out.mu);
    s->out.cg +=
        crs_envelope_cg(&s->model, s->out.mu, s->rhs, tolerance, MOST_CG, s->scaled, s->cg);
}

bool crs_envelope_trust_direction(crs_envelope_solver *s)
{
    crs_envelope_model *m = &s->model;
    const ptrdiff_t size = crs_envelope_model_unknowns(m);
    m->nu = s->nu;
    m->curvature = s->out.curvature = 2 * s->noise * s->eta;
    if (!s->built) build(s);
    if (s->out.mu == 0) s->out.mu = first_damping(m);
    if (s->pair_count > 0) {
        solve(s);
        secant_step(s);
        if (!(s->predicted > 0)) crs_envelope_secant_forget(s);
    }
    for (int k = 0; s->pair_count == 0 && k < MOST_TRIES; k++, s->out.mu *= 4) {
        solve(s);
        model_step(s);
        if (s->predicted > 0 && s->length <= 1.2 * s->out.radius) break;
    }
    return s->predicted > 0 && s->length > 0x1p-50 * crs_norm(size, s->at.x);
}

/* The fraction of the step at which the parabola through F, its slope and the trial is least */
static double interpolated(const crs_envelope_solver *s, double change)
{
    const double slope = crs_dot(crs_envelope_model_unknowns(&s->model), s->gradient, s->step);
    const double t = -slope / (2 * (change - slope));
    return isfinite(t) ? clip(t, 0.05, 0.5) : 0.05;
}

/* The change of F between rounding errors: there the trial is taken, the residual decides later */
static bool felt(const crs_envelope_solver *s)
{
    return s->predicted > 0x1p-44 * fabs(s->out.value);
}

bool crs_envelope_trust_judge(crs_envelope_solver *s)
{
    const double change = s->trial.sums->value + crs_envelope_ridge(s, s->trial.x) - s->out.value;
    const double rho = s->out.rho = -change / s->predicted;
    if (!(rho > 1e-3) && !(isfinite(change) && !felt(s))) {
        s->out.radius = interpolated(s, change) * s->length;
        s->eta = smaller(1, 2 * s->eta);
        crs_envelope_secant_forget(s);
        return false;
    }
    if (rho > 0.75) {
        s->out.mu *= 0.2;
        s->out.radius = larger(s->out.radius, 2.5 * s->length);
    }
    if (rho < 0.25) s->out.radius = 0.5 * s->length;
    if (s->pair_count > 0) return true;
    if (rho > 1.6) s->eta = larger(0.4 * s->eta, 0.05);
    if (rho < 1) s->eta = smaller(1, 1.6 * s->eta);
    return true;
}
