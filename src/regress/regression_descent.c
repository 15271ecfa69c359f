/* SPDX-License-Identifier: MIT
 * regression_descent: the memory of coordinate descent, and the units at work */
#include "regress/regress.h"

enum { MOST_GRAM = 2000 }; /* columns whose Gram matrix is kept */

void crs_descent_free(crs_descent *t)
{
    if (!t) return;
    double *const doubles[] = { t->b,     t->base, t->e,     t->s,    t->h,    t->m,
                                t->kept,  t->grad, t->curve, t->step, t->seen, t->reach,
                                t->stamp, t->g,    t->q,     t->pack, t->past };
    for (size_t k = 0; k < sizeof doubles / sizeof *doubles; k++) crs_free(doubles[k]);
    crs_free(t->work);
    crs_free(t->at_work);
    crs_free(t->slot);
    crs_free(t->slot_column);
    crs_free(t->order);
    crs_free(t);
}

static bool allocate(crs_descent *t)
{
    const crs_design *d = t->d;
    double **const of_cols[] = { &t->b, &t->base, &t->grad, &t->step };
    double **const of_rows[] = { &t->e, &t->s, &t->h, &t->m, &t->kept, &t->seen };
    double **const of_units[] = { &t->curve, &t->reach, &t->stamp };
    bool fine = true;
    for (int k = 0; k < 4; k++) fine = (*of_cols[k] = crs_doubles(d->cols, "", NULL)) && fine;
    for (int k = 0; k < 6; k++) fine = (*of_rows[k] = crs_doubles(d->n, "", NULL)) && fine;
    for (int k = 0; k < 3; k++) fine = (*of_units[k] = crs_doubles(d->units, "", NULL)) && fine;
    t->g = crs_doubles(t->room * t->room, "", NULL);
    t->pack = crs_doubles(t->room * t->room, "", NULL);
    t->past = crs_doubles((CRS_PAST + 1) * t->room, "", NULL);
    t->q = crs_doubles(t->room, "", NULL);
    t->order = crs_alloc((size_t)t->room, sizeof *t->order);
    t->work = crs_alloc((size_t)d->units, sizeof *t->work);
    t->at_work = crs_alloc((size_t)d->units, 1);
    t->slot = crs_alloc((size_t)d->cols, sizeof *t->slot);
    t->slot_column = crs_alloc((size_t)t->room, sizeof *t->slot_column);
    return fine && t->g && t->pack && t->past && t->q && t->order && t->work && t->at_work &&
           t->slot && t->slot_column;
}

crs_descent *crs_descent_new(const crs_design *d, crease_error *e)
{
    crs_descent *t = crs_alloc(1, sizeof *t);
    if (t) {
        t->d = d;
        t->gram = d->loss->quadratic;
        t->room = t->gram ? (d->cols < MOST_GRAM ? d->cols : MOST_GRAM) : 1;
    }
    if (!t || !allocate(t)) {
        crs_descent_free(t);
        crs_fail(e, CREASE_NO_MEMORY, "out of memory: coordinate descent on %td columns", d->cols);
        return NULL;
    }
    for (ptrdiff_t j = 0; j < d->cols; j++) t->slot[j] = -1;
    return t;
}

void crs_descent_add(crs_descent *t, ptrdiff_t u)
{
    if (t->at_work[u]) return;
    t->at_work[u] = 1;
    t->work[t->working++] = u;
    if (t->gram && !crs_gram_add(t, u)) t->gram = false;
}

/* b_u != 0, or no penalty on it */
static bool stays_at_work(const crs_descent *t, ptrdiff_t u)
{
    bool any = t->d->weight[u] == 0;
    for (ptrdiff_t j = t->d->start[u]; j < t->d->start[u + 1]; j++) any = any || t->b[j] != 0;
    return any;
}

void crs_descent_restart(crs_descent *t)
{
    t->working = 0;
    t->packed = -1;
    for (ptrdiff_t u = 0; u < t->d->units; u++) {
        t->at_work[u] = 0;
        if (stays_at_work(t, u)) crs_descent_add(t, u);
    }
}
