/* SPDX-License-Identifier: MIT
 * regression_columns: sweeps of coordinate descent on the columns themselves
 *
 * The model (1/n) sum_i s_i z_i + h_i z_i^2/2, z = x (b - base), has the gradient x'm/n with
 * m = s + h o z, which every step keeps up to date. */
#include "regress/regress.h"

/* m += a h o x */
static void move(ptrdiff_t n, double a, const double *h, const double *x, double *m)
{
    for (ptrdiff_t i = 0; i < n; i++) m[i] += a * (h[i] * x[i]);
}

static void gradient(const crs_descent *t, ptrdiff_t u, double *g)
{
    const crs_design *d = t->d;
    for (ptrdiff_t j = d->start[u], k = 0; j < d->start[u + 1]; j++, k++)
        g[k] = crs_dot(d->n, column_of(d, j), t->m) / (double)d->n;
}

double crs_sweep_columns(crs_descent *t)
{
    const crs_design *d = t->d;
    double moved = 0;
    for (ptrdiff_t i = 0; i < t->working; i++) {
        const ptrdiff_t u = t->work[i], first = d->start[u];
        double *b = t->b + first;
        gradient(t, u, t->grad + first);
        crs_unit_step(t, u, t->curve[u], b, t->grad + first, t->step);
        for (ptrdiff_t j = 0; j < unit_size(d, u); j++) {
            const double change = t->step[j] - b[j];
            if (change == 0) continue;
            b[j] = t->step[j];
            move(d->n, change, t->h, column_of(d, first + j), t->m);
            moved += square(t->curve[u] * change);
        }
    }
    return sqrt(moved);
}
