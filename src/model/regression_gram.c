/* SPDX-License-Identifier: MIT
 * regression_gram: sweeps of coordinate descent for the squared loss on the Gram matrix
 *
 * With G = x'x/n among the columns met so far and q = x's/n, a change d of b_j moves q by d G_j:
 * looking at a coordinate costs nothing, moving it one row of G, whatever n is.
 * Friedman, Hastie, Tibshirani 2010, section 2.2 ("covariance updates"). */
#include "model/regression.h"

bool crs_gram_add(crs_descent *t, ptrdiff_t u)
{
    const crs_design *d = t->d;
    if (t->slot[d->start[u]] >= 0) return true;
    if (t->filled + unit_size(d, u) > t->room) return false;
    for (ptrdiff_t j = d->start[u]; j < d->start[u + 1]; j++) {
        const ptrdiff_t at = t->filled++;
        t->slot[j] = at;
        t->slot_column[at] = j;
        for (ptrdiff_t k = 0; k <= at; k++) {
            const double *other = column_of(d, t->slot_column[k]);
            const double product = crs_dot(d->n, column_of(d, j), other) / (double)d->n;
            t->g[at * t->room + k] = t->g[k * t->room + at] = product;
        }
    }
    return true;
}

double crs_sweep_gram(crs_descent *t)
{
    const crs_design *d = t->d;
    double moved = 0;
    for (ptrdiff_t i = 0; i < t->working; i++) {
        const ptrdiff_t u = t->work[i], first = d->start[u], at = t->slot[first];
        double *b = t->b + first;
        crs_unit_step(t, u, d->length[u], b, t->q + at, t->step);
        for (ptrdiff_t j = 0; j < unit_size(d, u); j++) {
            const double change = t->step[j] - b[j];
            if (change == 0) continue;
            b[j] = t->step[j];
            axpy(t->filled, change, t->g + (at + j) * t->room, t->q);
            moved += square(d->length[u] * change);
        }
    }
    return sqrt(moved);
}
