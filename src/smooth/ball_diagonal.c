/* SPDX-License-Identifier: MIT
 * ball_diagonal: argmin over |y| <= R of sum_j e_j y_j^2/2 - c_j y_j, exact for e of any sign
 *
 * y_j = c_j / (e_j + nu) with nu >= max(0, -min e): nu = 0 inside the ball, otherwise the root of
 * 1/|y(nu)| = 1/R by Newton's method between safe bounds. In the hard case (c = 0 where e is
 * smallest, and the rest of y inside) the smallest entry fills the ball.
 * More and Sorensen, Computing a trust region step, 1983. */
#include "smooth/smooth.h"

/* nu = mu - base, base = min(min e, 0): the differences e_j - base >= 0 are what matters. */
typedef struct {
    const crease_space *s;
    ptrdiff_t n;
    const double *e, *c;
    double base;
} secular;

static double entry(const secular *q, double mu, ptrdiff_t j)
{
    return q->c[j] == 0 ? 0 : q->c[j] / ((q->e[j] - q->base) + mu);
}

/* |y|, and in drop sum_j y_j^2 / (e_j + nu) = -|y| d|y|/d nu */
static double norm_at(const secular *q, double mu, double *drop)
{
    double sum = 0, slope = 0;
    for (ptrdiff_t j = 0; j < q->n; j++) {
        const double y = entry(q, mu, j);
        sum += y * y;
        slope += y == 0 ? 0 : y * y / ((q->e[j] - q->base) + mu);
    }
    *drop = crease_sum(q->s, slope);
    return sqrt(crease_sum(q->s, sum));
}

static double root(const secular *q, double low, double high, double radius)
{
    double mu = low;
    for (int k = 0; k < 200 && low < high; k++) {
        double drop;
        const double norm = norm_at(q, mu, &drop);
        if (fabs(norm - radius) <= 0x1p-51 * radius) break;
        if (norm > radius)
            low = mu;
        else
            high = mu;
        mu += norm * norm / drop * ((norm - radius) / radius);
        if (!(mu > low && mu < high)) mu = low + (high - low) / 2;
        if (!(mu > low && mu < high)) break;
    }
    return mu;
}

static void finish(const secular *q, double mu, double radius, double *y)
{
    double drop;
    const double norm = norm_at(q, mu, &drop), factor = norm > radius ? radius / norm : 1;
    for (ptrdiff_t j = 0; j < q->n; j++) y[j] = factor * entry(q, mu, j);
}

/* Every point y + t z of the sphere, z along a smallest entry, is a minimizer: take one. */
static void fill_ball(const secular *q, double norm, double radius, double *y)
{
    ptrdiff_t least = 0;
    for (ptrdiff_t j = 0; j < q->n; j++)
        if (q->e[j] < q->e[least]) least = j;
    finish(q, 0, radius, y);
    y[least] += sqrt(pos((radius - norm) * (radius + norm)));
}

bool crs_ball_diagonal(const crease_space *s, const double *e, const double *c, double radius,
                       double *y)
{
    const ptrdiff_t n = crease_size(s);
    double min = e[0], max = e[0], drop;
    for (ptrdiff_t j = 1; j < n; j++) min = smaller(min, e[j]), max = larger(max, e[j]);
    min = -crease_max(s, -min);
    max = crease_max(s, max);
    const double size = crease_norm(s, c);
    if (isnan(size) || isnan(min) || isnan(radius) || radius == 0) {
        fill(n, radius == 0 ? 0 * size : NAN, y);
        return true;
    }
    const secular q = { s, n, e, c, min < 0 ? min : 0 };
    const double norm = norm_at(&q, 0, &drop);
    if (norm <= radius && norm < INFINITY && min >= 0) return finish(&q, 0, radius, y), true;
    if (radius == INFINITY) return false;
    if (norm <= radius) { /* the hard case */
        if (s->comm) return false;
        fill_ball(&q, norm, radius, y);
        return true;
    }
    const double low = size / radius - (max - q.base), high = size / radius - (min - q.base);
    finish(&q, root(&q, pos(low), pos(high), radius), radius, y);
    return true;
}
