/* SPDX-License-Identifier: MIT
 * regression_extrapolate: Anderson extrapolation of the sweeps on the Gram matrix
 *
 * From the points b^0, ..., b^5 after six sweeps, the affine combination of b^1, ..., b^5 whose
 * combined step sum_i c_i (b^i - b^{i-1}) is shortest, sum c = 1. It replaces b^5 where F is lower
 * there: any point may start a sweep as long as F does not rise, and zeros stay zeros.
 * Bertrand and Massias 2021, Anderson acceleration of coordinate descent. */
#include "dense/dense.h"
#include "regress/regress.h"

static ptrdiff_t column_at(const crs_descent *t, ptrdiff_t k)
{
    return t->slot_column[t->order[k]];
}

/* The model's change from the base with gradient q at b: (b - base)'(q + q_0)/2, and the penalty.
 */
static double value_at(crs_descent *t, const double *q)
{
    double sum = crs_units_value(t);
    for (ptrdiff_t k = 0; k < t->packed_columns; k++) {
        const ptrdiff_t j = column_at(t, k);
        sum += (t->b[j] - t->base[j]) * (q[k] + t->grad[j]) / 2;
    }
    return sum;
}

/* c with (U'U) c = 1 scaled to sum 1; the columns of U are the steps. */
static bool coefficients(const crs_descent *t, double c[CRS_PAST])
{
    const ptrdiff_t n = t->packed_columns;
    double gram[CRS_PAST * CRS_PAST], trace = 0, sum = 0;
    for (int a = 0; a < CRS_PAST; a++)
        for (int b = 0; b <= a; b++) {
            const double *x = t->past + a * t->room, *z = t->past + b * t->room;
            double product = 0;
            for (ptrdiff_t k = 0; k < n; k++)
                product += (x[k + t->room] - x[k]) * (z[k + t->room] - z[k]);
            gram[a * CRS_PAST + b] = gram[b * CRS_PAST + a] = product;
            trace += a == b ? product : 0;
        }
    for (int a = 0; a < CRS_PAST; a++) gram[a * CRS_PAST + a] += 1e-10 * trace, c[a] = 1;
    if (!(trace > 0 && trace < INFINITY) || !crs_cholesky(CRS_PAST, gram)) return false;
    crs_cholesky_solve(CRS_PAST, gram, 1, c);
    for (int a = 0; a < CRS_PAST; a++) sum += c[a];
    for (int a = 0; a < CRS_PAST; a++) c[a] /= sum;
    return isfinite(sum) && sum != 0;
}

static void restore(crs_descent *t, const double *from)
{
    for (ptrdiff_t k = 0; k < t->packed_columns; k++) t->b[column_at(t, k)] = from[k];
}

static void extrapolate(crs_descent *t)
{
    const ptrdiff_t n = t->packed_columns;
    double c[CRS_PAST], *point = t->past, *q = t->past + t->room;
    const double *last = t->past + CRS_PAST * t->room;
    if (!coefficients(t, c)) return;
    const double before = value_at(t, t->q);
    for (ptrdiff_t k = 0; k < n; k++) { /* in place: the oldest point is not needed any more */
        double sum = 0;
        for (int a = 0; a < CRS_PAST; a++) sum += c[a] * t->past[(a + 1) * t->room + k];
        point[k] = sum;
    }
    restore(t, point);
    for (ptrdiff_t k = 0; k < n; k++) point[k] -= t->base[column_at(t, k)];
    for (ptrdiff_t k = 0; k < n; k++) q[k] = t->grad[column_at(t, k)];
    for (ptrdiff_t k = 0; k < n; k++) axpy(n, point[k], t->pack + k * n, q);
    if (value_at(t, q) < before)
        copy(n, q, t->q);
    else
        restore(t, last);
}

void crs_gram_remember(crs_descent *t)
{
    for (ptrdiff_t k = 0; k < t->packed_columns; k++)
        t->past[t->points * t->room + k] = t->b[column_at(t, k)];
    if (t->points++ < CRS_PAST) return;
    t->points = 0;
    extrapolate(t);
}
