/* SPDX-License-Identifier: MIT
 * regression_path: the lambdas of a path and the solutions along it, each from its neighbour */
#include "regress/regress.h"

double crs_regression_deviance(const crs_design *d, double y, double score)
{
    const double one[CREASE_PARS] = { 1 };
    const double u = d->loss->labels ? (y == 1 ? score : -score) : (score - y) / d->c;
    return 2 * square(d->c) * d->loss->value(one, u);
}

/* As well as arithmetic allows: lambda_max follows from the gradient there. */
static void fit_unpenalized(crs_descent *t)
{
    const double tolerance = t->tolerance * 0x1p-20;
    double last = INFINITY;
    crs_descent_restart(t);
    for (;;) {
        crs_descent_refresh(t);
        const double residual = crs_descent_residual(t);
        if (!(residual > tolerance && residual < last)) return;
        last = residual;
        crs_descent_improve(t, tolerance);
    }
}

/* With every unit that has a weight held at 0: lambda_max, and |gradient at b = 0|. */
static bool null_model(crease_regression *m, crease_error *e)
{
    crs_descent *t = m->descent;
    double sum = 0;
    crs_loss_slopes(&m->d, t->e, t->s);
    for (ptrdiff_t u = 0; u < m->d.units; u++) {
        crs_descent_look(t, u);
        sum += square(t->reach[u]);
    }
    m->first_gradient = sqrt(sum);
    t->tolerance = m->s.eps * m->first_gradient / 2;
    t->max_sweeps = 10000;
    t->penalty = m->s.penalty.penalty;
    crs_penalty_at(&m->s.penalty, 1, t->par);
    fit_unpenalized(t);
    m->lambda_max = crs_descent_lambda_max(t, &m->s.penalty);
    return isfinite(m->lambda_max) ||
           crs_fail(e, CREASE_NUMERICAL_FAILURE, "lambda_max is not finite; rescale the data");
}

bool crs_regression_lambdas(crease_regression *m, crease_error *e)
{
    crease_regression_settings *s = &m->s;
    if (!null_model(m, e)) return false;
    if (s->ratio == 0) s->ratio = m->d.n < m->d.p ? 0.05 : 0.001;
    const double first = m->lambda_max > 0 ? m->lambda_max : 1;
    for (ptrdiff_t k = 0; k < s->path; k++) {
        const double at = s->path > 1 ? (double)k / (double)(s->path - 1) : 0;
        m->lambda[k] = s->lambda ? s->lambda[k] : first * pow(s->ratio, at);
    }
    s->lambda = m->lambda;
    return true;
}

/* b in the problem's order and for X itself. */
static void record(crease_regression *m, ptrdiff_t k)
{
    const crs_design *d = &m->d;
    const crs_descent *t = m->descent;
    crease_regression_solution *out = &m->solution[k];
    double *point = m->point + k * d->cols, *coef = m->coef + k * d->p;
    *out =
        (crease_regression_solution){ .lambda = m->lambda[k], .coef = coef, .sweeps = t->sweeps };
    out->intercept = d->y_center;
    for (ptrdiff_t j = 0; j < d->cols; j++) {
        const ptrdiff_t at = d->column[j];
        point[at] = t->b[j];
        if (at == d->p) {
            out->intercept += t->b[j];
            continue;
        }
        coef[at] = t->b[j] / d->spread[at];
        out->nonzero += t->b[j] != 0;
        out->intercept -= coef[at] * d->center[at];
    }
    const double loss = crs_loss_sum(d, t->e) * square(d->c) / (double)d->n;
    out->deviance = 2 * loss;
    out->objective = loss + crs_units_value(t) * square(d->c);
}

static bool check_finite(const crease_regression *m, ptrdiff_t k, crease_error *e)
{
    if (!crs_all_finite(m->d.cols, crease_regression_point(m, k)))
        return crs_fail(e, CREASE_NUMERICAL_FAILURE,
                        "the coefficients at lambda = %g are not finite; rescale the data",
                        m->lambda[k]);
    const crease_regression_solution *s = &m->solution[k];
    for (ptrdiff_t j = 0; j < m->d.p; j++)
        if (!isfinite(s->coef[j]))
            return crs_fail(e, CREASE_BAD_DATA,
                            "the coefficient of column %td is too large for a number; rescale the "
                            "column",
                            j + 1);
    return isfinite(s->intercept) ||
           crs_fail(e, CREASE_BAD_DATA, "the intercept is too large for a number; rescale X");
}

bool crease_regression_fit(crease_regression *m, crease_error *e)
{
    const ptrdiff_t path = m->s.path;
    crs_descent *t = m->descent;
    t->max_sweeps = m->s.max_sweeps;
    t->deadline = m->deadline;
    if (m->deadline == &m->own) m->own.until = crs_now() + m->s.max_seconds;
    for (ptrdiff_t i = 0; i < path; i++) {
        const ptrdiff_t k = m->s.ascending ? path - 1 - i : i;
        crs_penalty_at(&m->s.penalty, m->lambda[k], t->par);
        const bool converged = crs_descent_solve(t);
        record(m, k);
        m->solution[k].converged = converged;
        if (!check_finite(m, k, e)) return false;
        if ((i + 1 < path || !converged) && crs_deadline_met(m->deadline))
            return crs_regression_cut(m, i + 1), true;
    }
    return true;
}
