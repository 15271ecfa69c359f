/* SPDX-License-Identifier: MIT
 * regression_gram: sweeps of coordinate descent for the squared loss on the Gram matrix
 *
 * With G = x'x/n among the columns at work and q = x's/n, a change d of b_j moves q by d G_j:
 * looking at a coordinate costs nothing, moving it one row of G, whatever n is.
 * Friedman, Hastie, Tibshirani 2010, section 2.2 ("covariance updates"). */
#include "regress/regress.h"

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

void crs_gram_pack(crs_descent *t)
{
    const crs_design *d = t->d;
    if (t->packed == t->working) return;
    ptrdiff_t k = 0;
    for (ptrdiff_t i = 0; i < t->working; i++)
        for (ptrdiff_t u = t->work[i], j = d->start[u]; j < d->start[u + 1]; j++)
            t->order[k++] = t->slot[j];
    for (ptrdiff_t i = 0; i < k; i++) {
        const double *row = t->g + t->order[i] * t->room;
        for (ptrdiff_t j = 0; j < k; j++) t->pack[i * k + j] = row[t->order[j]];
    }
    t->packed = t->working;
    t->packed_columns = k;
}

double crs_sweep_gram(crs_descent *t)
{
    const crs_design *d = t->d;
    const ptrdiff_t k = t->packed_columns;
    double moved = 0;
    for (ptrdiff_t i = 0, at = 0; i < t->working; at += unit_size(d, t->work[i++])) {
        const ptrdiff_t u = t->work[i];
        double *b = t->b + d->start[u];
        crs_unit_step(t, u, d->length[u], b, t->q + at, t->step);
        for (ptrdiff_t j = 0; j < unit_size(d, u); j++) {
            const double change = t->step[j] - b[j];
            if (change == 0) continue;
            b[j] = t->step[j];
            axpy(k, change, t->pack + (at + j) * k, t->q);
            moved += square(d->length[u] * change);
        }
    }
    return sqrt(moved);
}
