/* SPDX-License-Identifier: MIT
 * quadratic_argmin: argmin over |y| <= R of (1/2) y'(Q_ii + h I) y - c'y,
 *     c = h v - q_i - sum_{j != i} Q_ij x_j
 *
 * By Cholesky when that is definite and the answer lies inside the ball; otherwise in the
 * eigenbasis of Q_ii, where it is a diagonal problem, exact for indefinite Q_ii too. */
#include "dense/dense.h"
#include "smooth/quadratic.h"

enum { AFFORDABLE = 512 }; /* the largest block that is factored */

static bool has_curvature(const crease_quadratic_data *q, int i)
{
    for (int k = 0; k < q->count; k++)
        if (q->row[k] == i && q->col[k] == i) return true;
    return false;
}

ptrdiff_t crs_quadratic_argmin_scratch(const crease_smooth *f, const crease_blocks *b)
{
    const crease_quadratic_data *q = f->data;
    ptrdiff_t most = 0;
    for (int i = 0; i < b->count; i++) {
        const ptrdiff_t n = crease_size(&b->space[i]);
        const bool factored = has_curvature(q, i) && n <= AFFORDABLE;
        const ptrdiff_t need = 3 * n + (factored ? 2 * n * n + crs_eigh_scratch(n) : 0);
        if (need > most) most = need;
    }
    return most;
}

/* The factor of Q_ii + h I in l; false unless it is safely positive definite. */
static bool factor(ptrdiff_t n, const double *a, double h, double *l)
{
    copy(n * n, a, l);
    for (ptrdiff_t j = 0; j < n; j++) l[j * n + j] += h;
    return crs_cholesky(n, l);
}

static bool in_eigenbasis(ptrdiff_t n, const double *a, const crs_step *t, const double *c,
                          double *work)
{
    const crease_space s = crease_vector(n);
    double *e = work, *d = e + n, *vectors = d + n;
    if (!crs_eigh(n, a, e, vectors, vectors + n * n)) return fill(n, NAN, t->y), true;
    for (ptrdiff_t j = 0; j < n; j++) e[j] += t->h;
    crs_gemv(false, n, n, 1, vectors, c, 0, d);
    if (!crs_ball_diagonal(&s, e, d, t->radius, d)) return false;
    crs_gemv(true, n, n, 1, vectors, d, 0, t->y);
    return true;
}

static bool solve(ptrdiff_t n, const double *a, const crs_step *t, double *c, double *work)
{
    double *y = work, *l = y + n;
    const bool definite = factor(n, a, t->h, l);
    if (!t->y) return definite || t->radius < INFINITY;
    if (definite) {
        copy(n, c, y);
        crs_cholesky_solve(n, l, 1, y);
        if (crs_norm(n, y) <= t->radius) return copy(n, y, t->y), true;
    }
    if (!(t->radius < INFINITY) && !definite) return false;
    return in_eigenbasis(n, a, t, c, work);
}

bool crs_quadratic_argmin(const crease_smooth *f, const crease_blocks *b, const double *const *x,
                          int i, double h, const double *v, double radius, double *y, double *work)
{
    const crease_space *s = &b->space[i];
    const ptrdiff_t n = crease_size(s);
    const crs_step t = { h, v, radius, y };
    const bool linear = !has_curvature(f->data, i);
    double *c = work, *a = c + n;
    if (!crs_quadratic_touches(f, i) || (!linear && n > AFFORDABLE)) return false;
    if (linear && !y) return h > 0 || radius < INFINITY;
    for (ptrdiff_t j = 0; y && j < n; j++) c[j] = h * v[j];
    if (y) crs_quadratic_cross(f, b, x, i, -1, c);
    if (linear) {
        fill(n, h, a);
        return crs_ball_diagonal(s, a, c, radius, y);
    }
    fill(n * n, 0, a);
    crs_quadratic_rows(f, b, i, i, n, a);
    return solve(n, a, &t, c, a + n * n);
}
