/* SPDX-License-Identifier: MIT
 * regression_design: the columns of X, centred and scaled, one after the other, groups together
 *
 * With an intercept the columns are centred. The squared loss then needs no column of ones: the
 * best b_0 is the mean of y - Z b, which is that of y. */
#include "dense/dense.h"
#include "regress/regress.h"

bool crs_regression_centred(const crease_regression_settings *s)
{
    return s->intercept && s->loss == CREASE_REGRESSION_SQUARED;
}

void crs_design_free(crs_design *d)
{
    crs_free(d->x);
    crs_free(d->y);
    crs_free(d->start);
    crs_free(d->column);
    crs_free(d->weight);
    crs_free(d->size);
    crs_free(d->length);
    crs_free(d->center);
    crs_free(d->spread);
    crs_free(d->row);
}

static bool allocate(crs_design *d, crease_error *e)
{
    d->x = crs_doubles(d->n * d->cols, "the columns of X", e);
    d->y = crs_doubles(d->n, "y", e);
    d->weight = crs_doubles(d->units, "the weights", e);
    d->size = crs_doubles(d->cols, "the columns' lengths", e);
    d->length = crs_doubles(d->units, "the groups' norms", e);
    d->center = crs_doubles(d->p, "the means", e);
    d->spread = crs_doubles(d->p, "the scales", e);
    d->start = crs_alloc((size_t)d->units + 1, sizeof *d->start);
    d->column = crs_alloc((size_t)d->cols, sizeof *d->column);
    return (d->x && d->y && d->weight && d->size && d->length && d->center && d->spread &&
            d->start && d->column) ||
           crs_fail(e, CREASE_NO_MEMORY, "out of memory: a regression with %td columns", d->cols);
}

static void set_units(crs_design *d, const crease_reg *r)
{
    const crease_groups *a = r->ops == &crs_group_ops ? r->groups : NULL;
    for (ptrdiff_t j = 0; j < d->p; j++) d->column[j] = a && a->index ? a->index[j] : j;
    const ptrdiff_t count = a ? a->count : d->p;
    for (ptrdiff_t u = 0; u < count; u++) {
        d->start[u + 1] = a ? a->start[u + 1] : u + 1;
        const double own = a ? sqrt((double)unit_size(d, u)) : 1;
        d->weight[u] = (r->weight ? r->weight[u] : own) / square(d->c);
    }
    if (d->cols == d->p) return;
    d->column[d->p] = d->p; /* b_0, without a penalty */
    d->start[count + 1] = d->p + 1;
}

static bool set_row_weights(crs_design *d, const double *v, crease_error *e)
{
    double most = 0, sum = 0;
    if (!v) return true;
    d->row = crs_doubles(d->n, "the weights of the rows", e);
    if (!d->row) return false;
    for (ptrdiff_t i = 0; i < d->n; i++) most = larger(most, v[i]);
    for (ptrdiff_t i = 0; i < d->n; i++) sum += v[i] / most;
    for (ptrdiff_t i = 0; i < d->n; i++) d->row[i] = v[i] / most / sum * (double)d->n;
    return true;
}

/* From the first on: the mean of equal numbers is that number. */
static double mean_of(const crs_design *d, const double *t)
{
    double sum = 0;
    for (ptrdiff_t i = 0; i < d->n; i++) sum += (t[i] - t[0]) * (d->row ? d->row[i] : 1);
    return t[0] + sum / (double)d->n;
}

static void weigh_rows(const crs_design *d, double *t)
{
    for (ptrdiff_t i = 0; d->row && i < d->n; i++) t[i] *= sqrt(d->row[i]);
}

/* A few rows at a time, so that neighbours in memory are read and written together. */
static void transpose(crs_design *d, const double *X)
{
    enum { ROWS = 32 };
    for (ptrdiff_t low = 0; low < d->n; low += ROWS) {
        const ptrdiff_t high = low + ROWS < d->n ? low + ROWS : d->n;
        for (ptrdiff_t j = 0; j < d->p; j++)
            for (ptrdiff_t i = low; i < high; i++) d->x[j * d->n + i] = X[i * d->p + d->column[j]];
    }
}

/* Centre, scale, divide by c. */
static void set_column(crs_design *d, const crease_regression_settings *s, ptrdiff_t j)
{
    const ptrdiff_t n = d->n, from = d->column[j];
    double *x = d->x + j * n;
    const double center = s->intercept ? mean_of(d, x) : 0;
    for (ptrdiff_t i = 0; i < n; i++) x[i] -= center;
    weigh_rows(d, x);
    const double size = crs_norm(n, x) / sqrt((double)n);
    const double spread = s->standardize && size > 0 ? size : 1;
    for (ptrdiff_t i = 0; i < n; i++) x[i] = x[i] / spread / d->c;
    d->center[from] = center;
    d->spread[from] = spread;
}

static void set_rows(crs_design *d, const crease_regression_settings *s, const double *y)
{
    d->y_center = crs_regression_centred(s) ? mean_of(d, y) : 0;
    for (ptrdiff_t i = 0; i < d->n; i++) {
        if (d->cols > d->p) d->x[d->p * d->n + i] = 1 / d->c;
        d->y[i] = d->loss->labels ? (y[i] == 1 ? 1 : -1) : (y[i] - d->y_center) / d->c;
    }
    weigh_rows(d, d->y);
}

/* |x_u|_2^2/n of a group: its columns are the rows of a matrix here. */
static bool set_lengths(crs_design *d, crease_error *e)
{
    for (ptrdiff_t u = 0; u < d->units; u++) {
        const ptrdiff_t first = d->start[u], k = unit_size(d, u);
        double norm = 0;
        for (ptrdiff_t j = first; j < first + k; j++)
            d->size[j] = crs_dot(d->n, column_of(d, j), column_of(d, j)) / (double)d->n;
        if (k > 1 && !crs_norm_bound(k, d->n, column_of(d, first), &norm, e)) return false;
        d->length[u] = k > 1 ? square(norm) / (double)d->n : d->size[first];
    }
    return true;
}

bool crs_design_new(crs_design *d, const crease_regression_settings *s, ptrdiff_t n, ptrdiff_t p,
                    const double *X, const double *y, crease_error *e)
{
    const bool ones = s->intercept && !crs_regression_centred(s);
    const bool groups = s->penalty.ops == &crs_group_ops;
    *d = (crs_design){ .n = n, .p = p, .cols = p + ones, .loss = crs_regression_loss(s->loss) };
    d->units = (groups ? s->penalty.groups->count : p) + ones;
    if (!crs_loss_scale(s, n, y, &d->c, e) || !allocate(d, e) ||
        !set_row_weights(d, s->row_weight, e))
        return false;
    set_units(d, &s->penalty);
    transpose(d, X);
    for (ptrdiff_t j = 0; j < p; j++) set_column(d, s, j);
    set_rows(d, s, y);
    return set_lengths(d, e);
}
