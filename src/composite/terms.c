/* SPDX-License-Identifier: MIT
 * terms: f and its gradient at a point whose u is known; every product is counted here */
#include "composite/composite.h"

static double weight_at(const crs_term *t, ptrdiff_t j)
{
    return t->each ? t->weight * t->each[j] : t->weight;
}

static double half_square(const crs_term *t, ptrdiff_t from, ptrdiff_t to, const double *u)
{
    double sum = 0;
    for (ptrdiff_t j = from; j < to; j++) {
        const double v = t->rhs ? u[j] - t->rhs[j] : u[j];
        sum += (t->each ? t->each[j] : 1) * v * v;
    }
    return sum / 2 * t->weight;
}

/* Rows from .. to - 1, pairwise. */
static double sum_of(const crs_term *t, ptrdiff_t from, ptrdiff_t to, const double *u)
{
    enum { TILE = 256 };
    double sum = 0;
    if (to - from > TILE) {
        const ptrdiff_t middle = from + (to - from) / 2;
        return sum_of(t, from, middle, u) + sum_of(t, middle, to, u);
    }
    if (t->loss == &crs_least_squares) return half_square(t, from, to, u);
    double par[CREASE_PARS];
    copy(CREASE_PARS, t->par, par);
    for (ptrdiff_t j = from; j < to; j++) {
        const double w = weight_at(t, j);
        const double at = loss_row(t->loss, t->rhs, j, u[j], par);
        if (w != 0) sum += w * t->loss->value(par, at);
    }
    return sum;
}

double crs_term_value(const crs_composite *c, const crs_term *t, const double *x, const double *u)
{
    return t->loss ? sum_of(t, 0, t->rows, u) : t->weight / 2 * crs_dot(c->n, x, u);
}

void crs_term_slope(const crs_term *t, const double *u, double *v)
{
    if (t->loss == &crs_least_squares || !t->loss) {
        const double *rhs = t->loss ? t->rhs : NULL;
        for (ptrdiff_t j = 0; j < t->rows; j++)
            v[j] = weight_at(t, j) * (rhs ? u[j] - rhs[j] : u[j]);
        return;
    }
    const bool labels = t->loss->ops.labels && t->rhs;
    double par[CREASE_PARS];
    copy(CREASE_PARS, t->par, par);
    for (ptrdiff_t j = 0; j < t->rows; j++) {
        const double w = weight_at(t, j);
        const double at = loss_row(t->loss, t->rhs, j, u[j], par);
        const double s = w == 0 ? 0 : w * t->loss->slope(par, at);
        v[j] = labels ? t->rhs[j] * s : s;
    }
}

bool crs_term_curve(const crs_term *t, const double *u, double *h)
{
    if (!t->loss || t->loss == &crs_least_squares) {
        for (ptrdiff_t j = 0; j < t->rows; j++) h[j] = weight_at(t, j);
        return true;
    }
    double par[CREASE_PARS];
    copy(CREASE_PARS, t->par, par);
    if (!t->loss->curve) return false;
    for (ptrdiff_t j = 0; j < t->rows; j++) {
        const double w = weight_at(t, j);
        const double at = loss_row(t->loss, t->rhs, j, u[j], par);
        h[j] = w == 0 ? 0 : w * t->loss->curve(par, at);
    }
    return true;
}

/* Columns of a stored matrix that a product with d does not need. */
static double zero_entries(const crs_matrix *K, const double *d)
{
    double sum = 0;
    if (K->kind != CRS_SPARSE && K->kind != CRS_DENSE) return 0;
    for (ptrdiff_t j = 0; j < K->cols; j++)
        if (d[j] == 0) sum += (double)crs_matrix_column_entries(K, j);
    return sum;
}

void crs_term_products(const crs_composite *c, const crs_term *t, double a, const double *d,
                       double *u)
{
    for (int k = 0; k < t->parts; k++) {
        const crs_term_part *part = &t->part[k];
        const double *v = d + c->at[part->block];
        const double all = crs_matrix_entries(part->matrix), zero = zero_entries(part->matrix, v);
        const bool few = part->matrix->kind == CRS_DENSE && zero >= all / 2;
        c->work->entries += few || part->matrix->kind == CRS_SPARSE ? all - zero : all;
        for (ptrdiff_t j = 0; few && j < part->matrix->cols; j++)
            if (v[j] != 0) crs_matrix_column(part->matrix, a * v[j], j, u + part->row);
        if (!few) crs_matrix_apply(part->matrix, a, v, u + part->row);
    }
}

/* A form is symmetric: Q v by its columns; its u already holds Q x, so nobody needs this there. */
void crs_term_adjoint(const crs_composite *c, const crs_term *t, double a, const double *v,
                      double *g)
{
    for (int k = 0; k < t->parts; k++) {
        const crs_term_part *part = &t->part[k];
        c->work->entries += crs_matrix_entries(part->matrix);
        crs_matrix_adjoint(part->matrix, a, v + part->row, g + c->at[part->block]);
    }
}

void crs_add_products(const crs_composite *c, double a, const double *d, double *u)
{
    for (int t = 0; t < c->terms; t++) crs_term_products(c, &c->term[t], a, d, u + c->term[t].at);
}

void crs_products(const crs_composite *c, const double *x, double *u)
{
    fill(c->rows, 0, u);
    crs_add_products(c, 1, x, u);
}

/* Columns are coordinates of the whole x, ascending. */
static void add_part_columns(const crs_composite *c, const crs_term_part *part, double a,
                             ptrdiff_t count, const ptrdiff_t *column, const double *d, double *u)
{
    const ptrdiff_t from = c->at[part->block], to = c->at[part->block + 1];
    for (ptrdiff_t k = 0; k < count; k++) {
        if (column[k] < from || column[k] >= to || d[k] == 0) continue;
        crs_matrix_column(part->matrix, a * d[k], column[k] - from, u + part->row);
        c->work->entries += (double)crs_matrix_column_entries(part->matrix, column[k] - from);
    }
}

void crs_add_columns(const crs_composite *c, double a, ptrdiff_t count, const ptrdiff_t *column,
                     const double *d, double *u)
{
    for (int t = 0; t < c->terms; t++)
        for (int k = 0; k < c->term[t].parts; k++)
            add_part_columns(c, &c->term[t].part[k], a, count, column, d, u + c->term[t].at);
}

static void point_at(const crs_composite *c, const double *x)
{
    for (int i = 0; i < c->count; i++) c->point[i] = x + c->at[i];
}

static double terms_value(const crs_composite *c, const double *x, const double *u)
{
    double sum = crs_dot(c->n, c->linear, x);
    for (int t = 0; t < c->terms; t++) sum += crs_term_value(c, &c->term[t], x, u + c->term[t].at);
    return sum;
}

static void terms_slope(const crs_composite *c, const double *u, double *g)
{
    copy(c->n, c->linear, g);
    for (int t = 0; t < c->terms; t++) {
        const crs_term *term = &c->term[t];
        if (term->loss) {
            crs_term_slope(term, u + term->at, c->slope);
            crs_term_adjoint(c, term, 1, c->slope, g);
        } else {
            axpy(c->n, term->weight, u + term->at, g);
        }
    }
    c->work->evaluations++;
}

double crs_smooth_part(const crs_composite *c, const double *x, const double *u)
{
    const crease_blocks b = crs_blocks(&c->parts);
    const double sum = terms_value(c, x, u);
    if (!c->rest.ops) return sum;
    point_at(c, x);
    c->work->entries += c->rest_entries;
    return sum + c->rest.ops->value(&c->rest, &b, c->point, c->room);
}

void crs_smooth_slope(const crs_composite *c, const double *x, const double *u, double *g)
{
    const crease_blocks b = crs_blocks(&c->parts);
    terms_slope(c, u, g);
    if (!c->rest.ops) return;
    point_at(c, x);
    c->work->entries += c->rest_entries;
    for (int i = 0; i < c->count; i++)
        if (c->rest.ops->touches(&c->rest, i))
            c->rest.ops->grad(&c->rest, &b, c->point, i, g + c->at[i], c->room);
}

double crs_smooth_at(const crs_composite *c, const double *x, const double *u, double *g)
{
    const crease_smooth *f = &c->rest;
    const crease_blocks b = crs_blocks(&c->parts);
    terms_slope(c, u, g);
    const double sum = terms_value(c, x, u);
    if (!f->ops) return sum;
    point_at(c, x);
    for (int i = 0; i < c->count; i++) c->into[i] = g + c->at[i];
    c->work->entries += 2 * c->rest_entries;
    return sum + (f->ops->both ? f->ops->both : crs_value_and_gradients)(f, &b, c->point, c->into,
                                                                         c->room);
}

double crs_smooth_both(const crs_composite *c, const double *x, double *u, double *g)
{
    crs_products(c, x, u);
    return crs_smooth_at(c, x, u, g);
}
