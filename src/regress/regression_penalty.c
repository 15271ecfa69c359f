/* SPDX-License-Identifier: MIT
 * regression_penalty: one unit (a column or a group) of sum_u w_u rho(|b_u|): its step, its
 * distance from stationarity, its value */
#include "regress/regression.h"

void crs_penalty_at(const crease_reg *one, double lambda, double par[CREASE_PARS])
{
    for (int k = 0; k < CREASE_PARS; k++) par[k] = one->par[k];
    par[0] *= lambda;
    if (one->penalty == &crs_elastic_net) par[1] *= lambda;
}

static crs_penalty_value scalar_of(const crs_descent *t, ptrdiff_t u)
{
    crs_penalty_value r = { .rho = t->penalty, .weight = t->d->weight[u] };
    memcpy(r.par, t->par, sizeof r.par);
    return r;
}

/* Zero columns: nothing but the penalty is left. */
static double flat(const crs_penalty_value *r, double b) { return r->weight > 0 ? zero_at(b) : b; }

void crs_unit_step(const crs_descent *t, ptrdiff_t u, double curve, const double *b,
                   const double *g, double *out)
{
    const crs_penalty_value r = scalar_of(t, u);
    const ptrdiff_t k = unit_size(t->d, u);
    if (k == 1) {
        *out = curve > 0 ? crs_scalar_prox(&r, 1 / curve, *b - *g / curve) : flat(&r, *b);
        return;
    }
    for (ptrdiff_t j = 0; j < k; j++) out[j] = curve > 0 ? b[j] - g[j] / curve : flat(&r, b[j]);
    const double norm = crs_norm(k, out);
    if (!(curve > 0) || norm == 0) return;
    const double factor = crs_scalar_prox(&r, 1 / curve, norm) / norm;
    for (ptrdiff_t j = 0; j < k; j++) out[j] = factor == 0 ? 0 : factor * out[j];
}

double crs_unit_dist(const crs_descent *t, ptrdiff_t u, const double *b, const double *g)
{
    const crs_penalty_value r = scalar_of(t, u);
    const ptrdiff_t k = unit_size(t->d, u);
    if (k == 1) return square(crs_scalar_dist(&r, *b, -*g));
    const double y = crs_norm(k, b);
    if (y == 0) return square(crs_scalar_dist(&r, 0, crs_norm(k, g)));
    double radial = 0, sum = 0;
    for (ptrdiff_t j = 0; j < k; j++) radial -= g[j] * (b[j] / y);
    const double slope = crs_scalar_nearest(&r, y, radial);
    for (ptrdiff_t j = 0; j < k; j++) sum += square(g[j] + slope * (b[j] / y));
    return sum;
}

double crs_units_value(const crs_descent *t)
{
    double sum = 0;
    for (ptrdiff_t i = 0; i < t->working; i++) {
        const ptrdiff_t u = t->work[i];
        const crs_penalty_value r = scalar_of(t, u);
        sum += crs_scalar_value(&r, crs_norm(unit_size(t->d, u), t->b + t->d->start[u]));
    }
    return sum;
}

bool crs_unit_stays(const crs_descent *t, ptrdiff_t u, double length)
{
    const crs_penalty_value r = scalar_of(t, u);
    const double curve = t->d->length[u] * t->d->loss->high;
    return !(curve > 0) || crs_scalar_prox(&r, 1 / curve, length / curve) == 0;
}
