/* SPDX-License-Identifier: MIT
 * ballquad: quadratics over a ball |y| <= R, exactly
 *
 * Diagonal, e of any sign: y_j = c_j / (e_j + nu) with nu >= max(0, -min e): nu = 0 inside the
 * ball, otherwise the root of 1/|y(nu)| = 1/R by Newton's method between safe bounds; in the hard
 * case (c = 0 where e is smallest, the rest of y inside) the smallest entry fills the ball.
 * A symmetric psd G in its eigenbasis Q'diag(w)Q: Y = S diag(1/(w + shift + nu)) Q, S = B Q'. An
 * eigenvalue within rounding of 0 is 0; a direction without any curvature is left at 0 (the
 * pseudo-inverse) unless there is a ball and B pulls that way by more than rounding. Without a
 * ball and well-conditioned: Cholesky. More, Sorensen, Computing a trust region step, 1983. */
#include "dense/dense.h"

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

/* The root between the bounds size/R - (max e - base) and size/R - (min e - base). */
static double multiplier(const secular *q, double min, double max, double radius)
{
    const double most = crease_norm(q->s, q->c) / radius;
    return root(q, pos(most - (max - q->base)), pos(most - (min - q->base)), radius);
}

static void range(const crease_space *s, const double *e, double *min, double *max)
{
    *min = *max = e[0];
    for (ptrdiff_t j = 1, n = crease_size(s); j < n; j++)
        *min = smaller(*min, e[j]), *max = larger(*max, e[j]);
    *min = -crease_max(s, -*min);
    *max = crease_max(s, *max);
}

static double ball_multiplier(const crease_space *s, const double *e, const double *c,
                              double radius)
{
    const secular q = { s, crease_size(s), e, c, 0 };
    double min, max, drop;
    range(s, e, &min, &max);
    return norm_at(&q, 0, &drop) <= radius ? 0 : multiplier(&q, min, max, radius);
}

bool crs_ball_diagonal(const crease_space *s, const double *e, const double *c, double radius,
                       double *y)
{
    const ptrdiff_t n = crease_size(s);
    const double size = crease_norm(s, c);
    double min, max, drop;
    range(s, e, &min, &max);
    if (isnan(size) || isnan(min) || isnan(radius) || radius == 0) {
        fill(n, radius == 0 ? 0 * size : NAN, y);
        return true;
    }
    const secular q = { s, n, e, c, min < 0 ? min : 0 };
    const double norm = norm_at(&q, 0, &drop);
    if (norm <= radius && norm < INFINITY && min >= 0) return finish(&q, 0, radius, y), true;
    if (radius == INFINITY) return false;
    if (norm > radius) {
        finish(&q, multiplier(&q, min, max, radius), radius, y);
        return true;
    }
    if (s->comm) return false; /* the hard case */
    fill_ball(&q, norm, radius, y);
    return true;
}

static const double UNIT = 0x1p-52;

void crs_secular(ptrdiff_t n, const double *s, double *e, double radius)
{
    const double norm = crs_norm(n, s), rounding = 4 * UNIT * (double)n * norm;
    for (ptrdiff_t k = 0; k < n; k++)
        if (radius == 0 || (e[k] == 0 && (radius == INFINITY || fabs(s[k]) <= rounding)))
            e[k] = INFINITY;
    const crease_space vector = crease_vector(n);
    const double nu = radius < INFINITY ? ball_multiplier(&vector, e, s, radius) : 0;
    for (ptrdiff_t k = 0; k < n; k++) e[k] += nu;
}

void crs_clean_spectrum(ptrdiff_t n, double *w)
{
    const double rounding = 4 * UNIT * (double)n * fabs(w[n - 1]);
    for (ptrdiff_t k = 0; k < n; k++)
        if (w[k] <= rounding) w[k] = 0;
}

/* Without a ball, where no direction is nearly flat: Y = B (G + shift I)^{-1} by Cholesky */
static bool by_cholesky(ptrdiff_t rows, ptrdiff_t n, const double *g, double shift, double *y,
                        double *l)
{
    double least = INFINITY, most = 0;
    copy(n * n, g, l);
    for (ptrdiff_t k = 0; k < n; k++) l[k * n + k] += shift;
    if (!crs_cholesky(n, l)) return false;
    for (ptrdiff_t k = 0; k < n; k++) {
        least = smaller(least, l[k * n + k]);
        most = larger(most, l[k * n + k]);
    }
    if (!(least > 1e-4 * most)) return false;
    crs_cholesky_solve_rows(n, l, rows, y);
    return true;
}

ptrdiff_t crs_ballquad_scratch(ptrdiff_t rows, ptrdiff_t n)
{
    return n * n + 2 * n + n * rows + crs_eigh_scratch(n);
}

bool crs_ballquad(ptrdiff_t rows, ptrdiff_t n, const double *g, double shift, double radius,
                  double *y, double *work)
{
    double *q = work, *e = q + n * n, *norm = e + n, *s = norm + n, *rest = s + n * rows;
    if (radius == INFINITY && by_cholesky(rows, n, g, shift, y, q)) return true;
    const bool solved = crs_eigh(n, g, e, q, rest);
    crs_clean_spectrum(n, e);
    crs_gemm(false, true, n, rows, n, 1, q, y, 0, s);
    for (ptrdiff_t k = 0; k < n; k++) {
        e[k] += shift;
        norm[k] = crs_norm(rows, s + k * rows);
    }
    crs_secular(n, norm, e, radius);
    for (ptrdiff_t k = 0; k < n; k++)
        for (ptrdiff_t i = 0; i < rows; i++) s[k * rows + i] /= e[k];
    crs_gemm(true, false, rows, n, n, 1, s, q, 0, y);
    if (radius < INFINITY) crs_into_ball(rows * n, radius, y, y);
    return solved;
}
