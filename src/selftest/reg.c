/* SPDX-License-Identifier: MIT
 * reg: what every regularizer promises, checked against value() alone
 *
 * The prox is compared with a search that knows nothing but r's values: on the line a grid with
 * refinement (reg_line.c), elsewhere 0, v, the ray through the prox, neighbours at every scale
 * and random points. */
#include "selftest/reg_checks.h"

/* r(x) + |x-v|^2/(2t) */
double crs_prox_objective(const crs_prox_case *c, const double *x)
{
    double sum = 0;
    for (ptrdiff_t j = 0; j < c->n; j++) sum += square(x[j] - c->v[j]);
    return c->r->ops->value(c->r, c->s, x, c->work) + sum / (2 * c->t);
}

/* By how much the best point found beats x, relative to the objective there and at 0. */
static double excess(const crs_prox_case *c, draws *d, const double *x)
{
    const double at_x = crs_prox_objective(c, x), size = crs_norm(c->n, c->v);
    double best = at_x, z[CRS_MOST];
    for (int k = 0; k < 80; k++) {
        const double scale = size * pow(10, uniform(d, -9, 0.3)), ray = uniform(d, 0, 2);
        for (ptrdiff_t j = 0; j < c->n; j++)
            z[j] = k == 0   ? 0
                   : k == 1 ? c->v[j]
                   : k < 20 ? ray * x[j]
                   : k < 60 ? x[j] + scale * normal(d) * (k % 2 || x[j] != 0)
                            : c->v[j] * uniform(d, 0, 1.1);
        best = smaller(best, crs_prox_objective(c, z));
    }
    return (at_x - best) / (best + 1e-6 * size * size / (2 * c->t) + 1e-300);
}

static void check_prox(const crs_prox_case *c, draws *d, crs_report *out)
{
    double x[CRS_MOST], y[CRS_MOST], g[CRS_MOST], differ = 0;
    c->r->ops->prox(c->r, c->s, c->t, c->v, x, c->work);
    copy(c->n, c->v, y);
    c->r->ops->prox(c->r, c->s, c->t, y, y, c->work);
    for (ptrdiff_t j = 0; j < c->n; j++) {
        differ = larger(differ, fabs(x[j] - y[j]));
        g[j] = (c->v[j] - x[j]) / c->t;
    }
    crs_report_note(out, "in place = out of place", differ, 0);
    crs_report_note(out, "prox against search", excess(c, d, x), 1e-12);
    const double dist = c->r->ops->dist(c->r, c->s, x, g, c->work);
    crs_report_note(out, "(v-x)/t in dr(x)", dist / ((1 + crs_norm(c->n, c->v)) / c->t + 1e-300),
                    1e-12);
}

/* Convex: |P(u) - P(v)|^2 <= <P(u) - P(v), u - v>. */
static void check_nonexpansive(const crs_prox_case *c, draws *d, crs_report *out)
{
    double u[CRS_MOST], x[CRS_MOST], y[CRS_MOST], gap = 0, size = 1e-300;
    for (ptrdiff_t j = 0; j < c->n; j++) u[j] = c->v[j] + normal(d);
    c->r->ops->prox(c->r, c->s, c->t, c->v, x, c->work);
    c->r->ops->prox(c->r, c->s, c->t, u, y, c->work);
    for (ptrdiff_t j = 0; j < c->n; j++) {
        gap += (y[j] - x[j]) * ((y[j] - x[j]) - (u[j] - c->v[j]));
        size += square(u[j]) + square(c->v[j]);
    }
    crs_report_note(out, "firmly nonexpansive", pos(gap) / size, 1e-13);
}

static void check_traits(const crs_prox_case *c, draws *d, crs_report *out)
{
    double x[CRS_MOST], y[CRS_MOST], mid[CRS_MOST], radius = 0, apart = 0;
    crease_reg_traits traits;
    for (ptrdiff_t j = 0; j < c->n; j++) {
        x[j] = below(d, 4) ? 3 * normal(d) : 0;
        y[j] = below(d, 4) ? x[j] + normal(d) * spread(d, -5, 1) : 0;
        mid[j] = (x[j] + y[j]) / 2;
        radius = larger(radius, larger(fabs(x[j]), fabs(y[j])));
        apart += square(x[j] - y[j]);
    }
    if (c->s->order == 2) radius *= (double)c->n; /* bounds singular values too */
    c->r->ops->traits(c->r, c->s, radius, &traits);
    const double rx = c->r->ops->value(c->r, c->s, x, c->work);
    const double ry = c->r->ops->value(c->r, c->s, y, c->work);
    const double rm = c->r->ops->value(c->r, c->s, mid, c->work);
    crs_report_note(out, "lower bound", pos(traits.lower - rx), 0);
    crs_report_note(out, "convex: modulus 0", traits.convex && traits.weak_convexity != 0, 0);
    if (!isfinite(rx) || !isfinite(ry)) return;
    const double size = 1 + fabs(rx) + fabs(ry);
    if (traits.lipschitz < INFINITY)
        crs_report_note(out, "Lipschitz",
                        pos(fabs(rx - ry) - traits.lipschitz * sqrt(apart)) / size, 1e-13);
    if (traits.weak_convexity < INFINITY)
        crs_report_note(out, "weak convexity",
                        pos(rm - (rx + ry) / 2 - traits.weak_convexity * apart / 8) / size, 1e-13);
}

/* Away from kinks the subdifferential is the gradient: central differences are in it. */
static void check_gradient(const crs_prox_case *c, draws *d, crs_report *out)
{
    double x[CRS_MOST], g[CRS_MOST];
    for (ptrdiff_t j = 0; j < c->n; j++) x[j] = spread(d, -1, 1.5);
    if (c->s->order == 2 && c->n > 1) return; /* singular values need not be simple */
    for (ptrdiff_t j = 0; j < c->n; j++) {
        const double at = x[j], h = 1e-6 * at;
        x[j] = at + h;
        const double up = c->r->ops->value(c->r, c->s, x, c->work);
        x[j] = at - h;
        const double down = c->r->ops->value(c->r, c->s, x, c->work);
        x[j] = at;
        g[j] = (up - down) / (2 * h);
    }
    if (!crs_all_finite(c->n, g)) return;
    const double size = 1 + crs_norm(c->n, g);
    crs_report_note(out, "central differences in dr(x)",
                    c->r->ops->dist(c->r, c->s, x, g, c->work) / size, 1e-4);
}

static void check_nan(const crs_prox_case *c, crs_report *out)
{
    double v[CRS_MOST], x[CRS_MOST], zero[CRS_MOST] = { 0 };
    for (ptrdiff_t j = 0; j < c->n; j++) {
        copy(c->n, c->v, v);
        v[j] = NAN;
        c->r->ops->prox(c->r, c->s, c->t, v, x, c->work);
        const bool caught = isnan(x[j]) && isnan(c->r->ops->dist(c->r, c->s, zero, v, c->work)) &&
                            isnan(c->r->ops->value(c->r, c->s, v, c->work));
        crs_report_note(out, "NaN in, NaN out", !caught, 0);
    }
}

bool crs_selftest_reg(int entry, long trials, uint64_t seed, crs_report *out, crease_error *e)
{
    draws d = { { seed, (uint64_t)entry }, 0 };
    *out = (crs_report){ .kind = "regularizer", .name = crease_reg_at(entry)->name };
    for (long k = 0; k < trials; k++) {
        crs_reg_sample a;
        double v[CRS_MOST];
        if (!crs_sample_reg(&d, entry, &a, e)) return false;
        const ptrdiff_t n = crease_size(&a.space);
        double *work = crs_doubles(crease_reg_scratch(&a.r, &a.space), "the self-test", e);
        if (!work) return false;
        normals(&d, n, spread(&d, -1, 2), v);
        const crs_prox_case c = { &a.r, &a.space, n, spread(&d, -3, 3), v, work };
        check_prox(&c, &d, out);
        if (crease_reg_at(entry)->ops->convex || (a.r.penalty && a.r.penalty->convex))
            check_nonexpansive(&c, &d, out);
        check_traits(&c, &d, out);
        check_gradient(&c, &d, out);
        check_nan(&c, out);
        crs_check_line(&c, &d, out);
        crs_check_ball(&c, &d, out);
        crs_free(work);
    }
    return true;
}
