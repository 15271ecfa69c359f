/* SPDX-License-Identifier: MIT
 * slopes: the limiting subdifferential of w rho(|x|) + indicator of [low, high] on the line
 *
 *   inside      {sgn(x) w rho'(|x|)}, at a concave kink the two one-sided slopes, at 0 the
 *               interval [-w rho'(0+), w rho'(0+)]
 *   x = high    [derivative from the left, inf)
 *   x = low     (-inf, derivative from the right]
 *   low = high  the whole line */
#include "verify/verify.h"

/* w rho'(y-) and w rho'(y+) */
typedef struct {
    real before, after;
} sides;

static sides sides_at(const crs_known_reg *k, real w, real y, real near)
{
    const real kink = k->rule->kink ? k->rule->kink(k->par) : (real)NAN;
    if (w == 0) return (sides){ 0, 0 };
    if (fabsl(y - kink) <= near * kink) return (sides){ w * k->rule->slope(k->par, 0), 0 };
    const real slope = w * k->rule->slope(k->par, y);
    return (sides){ slope, slope };
}

static real size_of(const crs_known_reg *k, real w, const sides *s)
{
    const real first = w == 0 ? 0 : w * k->rule->slope(k->par, 0);
    return isinf(first) ? (isinf(s->before) ? 0 : s->before) : 2 * bigger(first, s->before);
}

crs_slopes crs_slopes_at(const crs_known_reg *k, ptrdiff_t j, real x, real low, real high,
                         real near)
{
    const real w = k->factor * (k->weight ? k->weight[j] : 1);
    const sides s = sides_at(k, w, fabsl(x), near);
    const real left = x > 0 ? s.before : -s.after, right = x < 0 ? -s.before : s.after;
    crs_slopes out = { left, right, x != 0 && left != right, size_of(k, w, &s) };
    if (!(x >= low && x <= high)) return (crs_slopes){ INFINITY, -INFINITY, false, 0 };
    if (x > low && x < high) return out;
    if (x == low) out.low = -INFINITY;
    if (x == high) out.high = INFINITY;
    out.two = false;
    return out;
}

real crs_nearest_slope(const crs_slopes *s, real t)
{
    if (s->two) return fabsl(t - s->low) < fabsl(t - s->high) ? s->low : s->high;
    return s->low > s->high ? (real)INFINITY : within(t, s->low, s->high);
}
