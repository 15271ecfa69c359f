/* SPDX-License-Identifier: MIT
 * ball: min sum_j w_j rho(|x_j|) + |x-v|^2/(2t) over |x|_2 <= R, three exact cases
 *
 * l1 and zero: convex and homogeneous, the prox scaled into the ball. l0: the best number of
 * entries to keep. Any rho with t * weak convexity < 1: strongly convex, so the multiplier mu >= 0
 * of the ball settles it; with c = 1/(1 + t mu) in [R/|v|, 1], x(c) = prox_{c t r}(c v), and
 * |x(c)| grows with c. */
#include "reg/reg.h"

/* G((s^2 + w^2)) - G(s^2), compared with a^2 without squares that cancel. */
static bool worth(double s, double w, double a, double radius)
{
    const double next = hypot(s, w);
    if (next <= radius) return w > a;
    if (s >= radius) return 2 * radius * (w / (s + next)) * w > a * a;
    return (radius - s) * (radius + s) + 2 * radius * (next - radius) > a * a;
}

static void sift_down(double *heap, ptrdiff_t n, ptrdiff_t i)
{
    const double moved = heap[i];
    for (ptrdiff_t child; (child = 2 * i + 1) < n; i = child) {
        child += child + 1 < n && heap[child + 1] > heap[child];
        if (moved >= heap[child]) break;
        heap[i] = heap[child];
    }
    heap[i] = moved;
}

/* l0 with a^2 = 2 t lambda, |prox(v)| > radius, v finite; heap has n doubles. On a given support
 * the best x is v scaled into the ball; it lowers |x-v|^2 by G(s^2), s the norm of v there, G(u) =
 * u up to R^2 and R (2 sqrt(u) - R) after: increasing and concave. So the best support of k entries
 * holds the k largest, the gain of one more falls with k, and the first gain <= 2 t lambda ends the
 * search. */
static void l0_ball_prox(ptrdiff_t n, double a, double radius, const double *v, double *x,
                         double *heap)
{
    double s = 0, least = INFINITY; /* entries below `least` are dropped */
    ptrdiff_t ties = 0;             /* and so many equal to it stay, the first ones */
    for (ptrdiff_t j = 0; j < n; j++) heap[j] = fabs(v[j]);
    for (ptrdiff_t i = n / 2; i-- > 0;) sift_down(heap, n, i);
    for (ptrdiff_t left = n; left > 0 && heap[0] > 0 && worth(s, heap[0], a, radius); left--) {
        ties = heap[0] == least ? ties + 1 : 1;
        least = heap[0];
        s = hypot(s, least);
        heap[0] = heap[left - 1];
        sift_down(heap, left - 1, 0);
    }
    for (ptrdiff_t j = 0; j < n; j++) {
        const double w = fabs(v[j]);
        const bool tied = w == least && ties > 0;
        ties -= tied;
        x[j] = w > least || tied ? v[j] : 0;
    }
    crs_into_ball(n, radius, x, x);
}

enum { STEPS = 200 };

bool crs_homogeneous(const crease_reg *r)
{
    return r->penalty == &crs_l1 || r->penalty == &crs_zero;
}

ptrdiff_t crs_ball_scratch(const crease_reg *r, const crease_space *s)
{
    return r->penalty == &crs_l0 ? crease_size(s) : 0;
}

double crs_ball_step(const crease_reg *r, const crease_space *s)
{
    const double most = crease_max(s, crs_weight_max(r, crease_size(s)));
    if (r->penalty == &crs_l0) return r->weight || s->comm ? 0 : INFINITY;
    return 1 / times(r->penalty->weak_convexity(r->par), most);
}

/* What x(c) is made from. */
typedef struct {
    const crease_reg *r;
    const crease_space *s;
    double t;
    const double *v;
} family;

static double member(const family *f, double c, ptrdiff_t j)
{
    const crs_penalty_value at = scalar_at(f->r, j);
    return crs_scalar_prox(&at, c * f->t, c * f->v[j]);
}

static double norm_of_member(const family *f, double c)
{
    double sum = 0;
    for (ptrdiff_t j = 0, n = crease_size(f->s); j < n; j++) sum += square(member(f, c, j));
    return sqrt(crease_sum(f->s, sum));
}

/* The c with |x(c)| = radius, given |x(1)| = most > radius: false position, the stale end halved
 * (Illinois), and a bisection every fourth step. */
static double meet_radius(const family *f, double radius, double most)
{
    double low = radius / crease_norm(f->s, f->v), high = 1;
    double below = norm_of_member(f, low) - radius, above = most - radius;
    int last = 0; /* the end that moved last */
    if (!(below < 0)) return low;
    for (int k = 1; k <= STEPS; k++) {
        const double secant = low - below * ((high - low) / (above - below));
        const double mid = low + (high - low) / 2;
        const double c = k % 4 && secant > low && secant < high ? secant : mid;
        if (!(c > low && c < high)) break;
        const double gap = norm_of_member(f, c) - radius;
        if (fabs(gap) <= 0x1p-52 * radius) return c;
        if (gap > 0)
            high = c, above = gap, below /= last > 0 ? 2 : 1, last = 1;
        else
            low = c, below = gap, above /= last < 0 ? 2 : 1, last = -1;
    }
    return low;
}

void crs_ball_prox(const crease_reg *r, const crease_space *s, double t, double radius,
                   const double *v, double *x, double *work)
{
    const ptrdiff_t n = crease_size(s);
    const family f = { r, s, t, v };
    const double norm = norm_of_member(&f, 1);
    if (!(norm < INFINITY)) {
        fill(n, NAN, x);
        return;
    }
    const bool active = norm > radius;
    if (active && r->penalty == &crs_l0) {
        l0_ball_prox(n, sqrt(2 * t * r->par[0]), radius, v, x, work);
        return;
    }
    const double c = active && !crs_homogeneous(r) ? meet_radius(&f, radius, norm) : 1;
    for (ptrdiff_t j = 0; j < n; j++) x[j] = member(&f, c, j);
    if (active) crs_scale_into_ball(s, radius, x, x);
}
