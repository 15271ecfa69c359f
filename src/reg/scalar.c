/* SPDX-License-Identifier: MIT
 * scalar: weight * rho(|x|) on the line: prox, box-restricted prox, distance to the limiting
 * subdifferential. A weight scales the step: prox_{t (w rho)} = prox_{(t w) rho}. */
#include "reg/reg.h"

double crs_scalar_value(const crs_scalar *r, double x)
{
    return r->weight == 0 ? 0 * x : r->weight * r->p->value(r->par, fabs(x));
}

double crs_scalar_prox(const crs_scalar *r, double t, double v)
{
    if (r->weight == 0 || isnan(v)) return v;
    return copysign(r->p->shrink(r->par, t * r->weight, fabs(v)), v);
}

/* The best candidate so far for the minimum of D(x) = w rho(|x|) + x (x - 2v) / (2t). */
typedef struct {
    const crs_scalar *r;
    double t, v, low, high;
    double x, D;
} search;

static void offer(search *s, double x)
{
    if (!(x >= s->low && x <= s->high) || isinf(x)) return;
    const double D = crs_scalar_value(s->r, x) + x * (x - 2 * s->v) / (2 * s->t);
    const bool tie_won = D == s->D && (fabs(x) < fabs(s->x) || (fabs(x) == fabs(s->x) && x > s->x));
    if (isnan(s->x) || D < s->D || tie_won) s->x = x, s->D = D;
}

double crs_scalar_prox_box(const crs_scalar *r, double t, double v, double low, double high)
{
    if (isnan(v)) return v;
    if (isinf(v) || r->weight == 0) return clip(v, low, high);
    search s = { r, t, v, low, high, NAN, INFINITY };
    offer(&s, low);
    offer(&s, high);
    offer(&s, 0);
    for (int sign = 1; sign >= -1; sign -= 2) {
        double y[CREASE_MAX_STATIONARY];
        const int n = r->p->stationary(r->par, t * r->weight, sign * v, y);
        for (int k = 0; k < n; k++) offer(&s, sign * y[k]);
        if (r->p->kink) offer(&s, sign * r->p->kink(r->par));
    }
    return s.x;
}

/* One-sided derivatives of w rho(|x|); at 0 they are -w rho'(0+) and w rho'(0+). */
static double slope_after(const crs_scalar *r, double y) /* rho'(y+), y >= 0 */
{
    return r->weight == 0 ? 0 : r->weight * r->p->slope(r->par, y);
}

static double slope_before(const crs_scalar *r, double y) /* rho'(y-), y > 0 */
{
    if (r->p->kink && r->p->kink(r->par) == y) return r->weight * r->p->kink_slope(r->par);
    return slope_after(r, y);
}

static double left_derivative(const crs_scalar *r, double x)
{
    return x > 0 ? slope_before(r, x) : -slope_after(r, -x);
}

static double right_derivative(const crs_scalar *r, double x)
{
    return x < 0 ? -slope_before(r, -x) : slope_after(r, x);
}

double crs_scalar_dist(const crs_scalar *r, double x, double g)
{
    if (isnan(x) || isnan(g)) return NAN;
    if (x == 0) return pos(fabs(g) - slope_after(r, 0));
    /* one point, or the two points of a concave kink */
    return smaller(fabs(g - left_derivative(r, x)), fabs(g - right_derivative(r, x)));
}

double crs_scalar_dist_box(const crs_scalar *r, double x, double g, double low, double high)
{
    if (isnan(x) || isnan(g)) return NAN;
    if (!(x >= low && x <= high)) return INFINITY;
    if (low == high) return 0;
    if (x == high) return pos(left_derivative(r, x) - g); /* [r'(u-), inf)  */
    if (x == low) return pos(g - right_derivative(r, x)); /* (-inf, r'(l+)] */
    return crs_scalar_dist(r, x, g);
}
