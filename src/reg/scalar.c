/* SPDX-License-Identifier: MIT
 * scalar: weight * rho(|x|) on the line: prox, box-restricted prox, dead zone, distance to the
 * limiting subdifferential. A weight scales the step: prox_{t (w rho)} = prox_{(t w) rho}. */
#include <float.h>

#include "reg/reg.h"

void crs_visit_penalty(crs_visitor *v, crs_penalty_value *x)
{
    static const crease_penalty *const known[] = {
#define PENALTY(symbol, name) &crs_##symbol,
#define ALIAS(name, kind, symbol)
#define REG(symbol, name)
#include "reg/list.def"
#undef PENALTY
#undef ALIAS
#undef REG
        NULL
    };
    enum { COUNT = sizeof known / sizeof *known };
    int which = 0;
    while (which < COUNT && x->rho != known[which]) which++;
    if (crs_visit_writes(v) && which == COUNT) crs_visit_refuses(v);
    crs_visit(v, which);
    crs_visit(v, x->par);
    crs_visit(v, x->weight);
    if (crs_visit_reads(v)) x->rho = which >= 0 && which < COUNT ? known[which] : NULL;
}

double crs_scalar_value(const crs_penalty_value *r, double x)
{
    return r->weight == 0 ? zero_at(x) : r->weight * r->rho->value(r->par, fabs(x));
}

double crs_scalar_prox(const crs_penalty_value *r, double t, double v)
{
    if (r->weight == 0 || isnan(v)) return v;
    const double y = r->rho->shrink(r->par, t * r->weight, fabs(v));
    return v < 0 && y != 0 ? -y : y;
}

double crs_scalar_slope_after(const crs_penalty_value *r, double y)
{
    return r->weight == 0 ? zero_at(y) : r->weight * r->rho->slope(r->par, y);
}

double crs_scalar_slope_before(const crs_penalty_value *r, double y)
{
    if (r->rho->kink && r->rho->kink(r->par) == y) return r->weight * r->rho->kink_slope(r->par);
    return crs_scalar_slope_after(r, y);
}

/* One-sided derivatives of w rho(|x|); at 0 they are -w rho'(0+) and w rho'(0+). */
static double left_derivative(const crs_penalty_value *r, double x)
{
    return x > 0 ? crs_scalar_slope_before(r, x) : -crs_scalar_slope_after(r, fabs(x));
}

static double right_derivative(const crs_penalty_value *r, double x)
{
    return x < 0 ? -crs_scalar_slope_before(r, -x) : crs_scalar_slope_after(r, fabs(x));
}

double crs_scalar_nearest(const crs_penalty_value *r, double x, double g)
{
    const double left = left_derivative(r, x), right = right_derivative(r, x);
    if (isnan(x) || isnan(g)) return NAN;
    if (x == 0) return clip(g, left, right);
    return fabs(g - left) < fabs(g - right) ? left : right; /* two points at a concave kink */
}

double crs_scalar_dist(const crs_penalty_value *r, double x, double g)
{
    return isinf(x) && !isnan(g) ? INFINITY : fabs(g - crs_scalar_nearest(r, x, g));
}

double crs_scalar_nearest_box(const crs_penalty_value *r, double x, double g, double low,
                              double high)
{
    if (low == high) return g;
    if (x == high) return larger(g, left_derivative(r, x));  /* [r'(u-), inf)  */
    if (x == low) return smaller(g, right_derivative(r, x)); /* (-inf, r'(l+)] */
    return crs_scalar_nearest(r, x, g);
}

double crs_scalar_dist_box(const crs_penalty_value *r, double x, double g, double low, double high)
{
    if (isnan(x) || isnan(g) || isnan(low) || isnan(high)) return NAN;
    if (!(x >= low && x <= high) || isinf(x)) return INFINITY;
    const double nearest = crs_scalar_nearest_box(r, x, g, low, high);
    return g == nearest ? 0 : fabs(g - nearest);
}

/* The best candidate so far for the minimum of w rho(|x|) + (x-v)^2/(2t) over [low, high]. */
typedef struct {
    const crs_penalty_value *r;
    double t, v, low, high;
    double x; /* NaN: none yet */
} search;

/* The two objectives are subtracted term by term: (x-v)^2 - (b-v)^2 = (x-b)((x-v) + (b-v)), so
 * that neither a far v nor a near tie loses the difference. */
static void offer(search *s, double x)
{
    if (!(x >= s->low && x <= s->high) || isinf(x)) return;
    const double b = s->x, rho = crs_scalar_value(s->r, x) - crs_scalar_value(s->r, b);
    const double change = rho + (x - b) * ((x - s->v) + (b - s->v)) / (2 * s->t);
    const bool shorter = fabs(x) < fabs(b) || (fabs(x) == fabs(b) && x > b);
    if (isnan(b) || change < 0 || (change == 0 && shorter)) s->x = x;
}

/* Values cannot tell a minimizer from an end or a 0 that is 1e-8 away, the subdifferential can:
 * such a point counts only where it is stationary up to rounding. */
static void offer_if_stationary(search *s, double x)
{
    const double off = crs_scalar_dist_box(s->r, x, (s->v - x) / s->t, s->low, s->high);
    if (off * s->t <= 0x1p-50 * (fabs(s->v) + fabs(x))) offer(s, x);
}

/* The candidates; a concave kink inside the interval never is a minimizer. */
double crs_scalar_prox_box(const crs_penalty_value *r, double t, double v, double low, double high)
{
    if (isnan(v) || !(low <= high)) return NAN;
    if (isinf(v) || r->weight == 0) return clip(v, low, high);
    if (r->rho->convex) return clip(crs_scalar_prox(r, t, v), low, high);
    search s = { r, t, v, low, high, NAN };
    offer_if_stationary(&s, 0);
    offer_if_stationary(&s, low);
    offer_if_stationary(&s, high);
    for (int sign = 1; sign >= -1; sign -= 2) {
        double y[CREASE_MAX_STATIONARY];
        const int n = r->rho->stationary(r->par, t * r->weight, sign * v, y);
        for (int k = 0; k < n; k++) offer(&s, sign * y[k]);
    }
    return s.x;
}

double crs_dead_zone(const crs_penalty_value *r, double t)
{
    union {
        uint64_t bits;
        double number;
    } low = { 0 }, high = { .number = DBL_MAX }, middle;
    if (crs_scalar_prox(r, t, DBL_MAX) == 0) return INFINITY;
    while (high.bits - low.bits > 1) {
        middle.bits = low.bits + (high.bits - low.bits) / 2;
        *(crs_scalar_prox(r, t, middle.number) == 0 ? &low : &high) = middle;
    }
    return low.number;
}
