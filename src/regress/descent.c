/* SPDX-License-Identifier: MIT
 * regression_steps: minimize on the units at work, one quadratic model of the loss after another
 *
 * The squared loss is its own model. Otherwise Newton's curvatures are tried first; a model that
 * raises the objective is taken back and made again with the majorant's, under which the objective
 * cannot rise: block majorization-minimization, Razaviyayn, Hong, Luo 2013. */
#include "regress/regress.h"

enum { SWEEPS = 200 }; /* of one model */

/* s and the gradients of the columns at work, afresh from the scores. */
void crs_descent_refresh(crs_descent *t)
{
    const crs_design *d = t->d;
    crs_loss_slopes(d, t->e, t->s);
    for (ptrdiff_t i = 0; i < t->working; i++) {
        const ptrdiff_t u = t->work[i];
        for (ptrdiff_t j = d->start[u]; j < d->start[u + 1]; j++)
            t->grad[j] = crs_dot(d->n, column_of(d, j), t->s) / (double)d->n;
    }
}

double crs_descent_residual(const crs_descent *t)
{
    double sum = 0;
    for (ptrdiff_t i = 0; i < t->working; i++) {
        const ptrdiff_t u = t->work[i], first = t->d->start[u];
        sum += crs_unit_dist(t, u, t->b + first, t->grad + first);
    }
    return sqrt(sum);
}

/* e = kept + x (b - base) */
static void rescore(crs_descent *t)
{
    const crs_design *d = t->d;
    copy(d->n, t->kept, t->e);
    for (ptrdiff_t i = 0; i < t->working; i++)
        for (ptrdiff_t u = t->work[i], j = d->start[u]; j < d->start[u + 1]; j++)
            if (t->b[j] != t->base[j]) axpy(d->n, t->b[j] - t->base[j], column_of(d, j), t->e);
}

static double objective(const crs_descent *t)
{
    return crs_loss_sum(t->d, t->e) / (double)t->d->n + crs_units_value(t);
}

/* Of a single column exactly (1/n) sum_i h_i x_ij^2; of a group no more than max h times its
 * norm, nor than the sum over its columns. */
static void model_curves(crs_descent *t)
{
    const crs_design *d = t->d;
    double most = 0;
    for (ptrdiff_t i = 0; i < d->n; i++) most = larger(most, t->h[i]);
    for (ptrdiff_t i = 0; i < t->working; i++) {
        const ptrdiff_t u = t->work[i];
        double sum = 0;
        for (ptrdiff_t j = d->start[u]; j < d->start[u + 1]; j++) {
            const double *x = column_of(d, j);
            for (ptrdiff_t k = 0; k < d->n; k++) sum += t->h[k] * (x[k] * x[k]);
        }
        sum /= (double)d->n;
        t->curve[u] = unit_size(d, u) == 1 ? sum : smaller(sum, most * d->length[u]);
    }
}

static void save(crs_descent *t)
{
    copy(t->d->cols, t->b, t->base);
    copy(t->d->n, t->e, t->kept);
}

/* Sweeps until one moves the gradient by no more than the tolerance. */
static void sweep(crs_descent *t, double (*once)(crs_descent *), double tolerance)
{
    for (int k = 0; k < SWEEPS && t->sweeps < t->max_sweeps && !crs_deadline_met(t->deadline);
         k++) {
        t->sweeps++;
        if (!(once(t) > tolerance)) break;
        if (t->gram) crs_gram_remember(t);
    }
    rescore(t);
}

static void improve_model(crs_descent *t, double tolerance, bool safe)
{
    crs_loss_curves(t->d, t->e, safe, t->h);
    model_curves(t);
    copy(t->d->n, t->s, t->m);
    sweep(t, crs_sweep_columns, tolerance);
}

void crs_descent_improve(crs_descent *t, double tolerance)
{
    save(t);
    if (t->gram) {
        crs_gram_pack(t);
        t->points = 0;
        for (ptrdiff_t k = 0; k < t->packed_columns; k++)
            t->q[k] = t->grad[t->slot_column[t->order[k]]];
        sweep(t, crs_sweep_gram, tolerance);
        return;
    }
    if (t->d->loss->quadratic) {
        improve_model(t, tolerance, true);
        return;
    }
    const double before = objective(t);
    improve_model(t, tolerance, false);
    if (objective(t) <= before + 0x1p-48 * fabs(before)) return;
    copy(t->d->cols, t->base, t->b);
    copy(t->d->n, t->kept, t->e);
    improve_model(t, tolerance, true);
}
