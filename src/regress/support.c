/* SPDX-License-Identifier: MIT
 * support: the Hessian of a regression on chosen columns, and Newton's step on them
 *
 *     x'diag(h)x/n + sum_u w_u ((rho'(t)/t)(I - y y') + rho''(t) y y'),  t = |b_u|, y = b_u/t
 *
 * Where no chosen unit is 0, F is smooth in them. Coordinate descent finds out which they are in a
 * few sweeps, but where their Hessian is ill-conditioned takes thousands to settle them; Newton's
 * step takes n k^2/2 products, those of k/4 sweeps. Of more than CRS_MOST_SUPPORT columns the
 * Hessian is not made: conjugate gradients, scaled by its diagonal, multiply by it, each for about
 * what a sweep takes, and come near the step, or stop where it is not convex. Nocedal and Wright
 * 2006, section 7.1. */
#include "regress/regress.h"

/* Column by column */
static void add_columns(const crs_support *a, double *out)
{
    const crs_design *d = a->d;
    const ptrdiff_t k = a->count;
    for (ptrdiff_t i = 0; i < k; i++) {
        column_fill(d, a->chosen[i], a->row);
        for (ptrdiff_t r = 0; r < d->n; r++) a->row[r] *= a->h[r];
        const double lift = lifted(d, a->row);
        for (ptrdiff_t j = 0; j <= i; j++)
            out[i * k + j] = out[j * k + i] =
                column_dot(d, a->chosen[j], a->row, lift) / (double)d->n;
    }
}

enum { FEWEST_ROWS = 16, MOST_ROWS = 256 }; /* of a product of matrices */

/* So many rows of the chosen columns at a time have room in a->row, as they are and times h. */
static ptrdiff_t rows_at_once(const crs_support *a)
{
    const ptrdiff_t rows = a->d->sparse ? 0 : a->d->n / (2 * a->count + 1);
    return rows < MOST_ROWS ? rows : MOST_ROWS;
}

static void add_rows(const crs_support *a, ptrdiff_t most, double *out)
{
    const crs_design *d = a->d;
    const ptrdiff_t k = a->count;
    double *plain = a->row, *weighted = plain + k * most;
    fill(k * k, 0, out);
    for (ptrdiff_t at = 0; at < d->n; at += most) {
        const ptrdiff_t rows = d->n - at < most ? d->n - at : most;
        for (ptrdiff_t j = 0; j < k; j++) {
            const double *x = column_of(d, a->chosen[j]) + at;
            copy(rows, x, plain + j * rows);
            for (ptrdiff_t i = 0; i < rows; i++) weighted[j * rows + i] = a->h[at + i] * x[i];
        }
        crs_gemm(false, true, k, k, rows, 1 / (double)d->n, plain, weighted, 1, out);
    }
    crs_mirror(k, out);
}

static void add_loss(const crs_support *a, double *out)
{
    const ptrdiff_t rows = rows_at_once(a);
    if (rows < FEWEST_ROWS || a->count < FEWEST_ROWS)
        add_columns(a, out);
    else
        add_rows(a, rows, out);
}

/* rho'' over a step that a slope in pieces of lines does not feel */
static double bend_at(const crs_penalty_value *v, double t)
{
    const double h = 0x1p-20 * t;
    return (v->rho->slope(v->par, t + h) - v->rho->slope(v->par, t - h)) / (2 * h);
}

/* Of the unit u, whose columns are the chosen ones from `first` on */
static void add_unit(const crs_support *a, ptrdiff_t u, ptrdiff_t first, double *out)
{
    const ptrdiff_t size = unit_size(a->d, u), k = a->count;
    const double *b = a->b + a->d->start[u], w = a->d->weight[u], t = crs_norm(size, b);
    if (w == 0 || !(t > 0)) return;
    const double bend = bend_at(a->value, t), ring = a->value->rho->slope(a->value->par, t) / t;
    for (ptrdiff_t i = 0; i < size; i++)
        for (ptrdiff_t j = 0; j < size; j++) {
            const double along = (b[i] / t) * (b[j] / t);
            const double across = size > 1 ? (i == j ? ring : 0) - ring * along : 0;
            out[(first + i) * k + first + j] += w * (across + bend * along);
        }
}

/* -(rho'(t) b_u/t) w_u from the gradient of the loss */
static void add_slope(const crs_support *a, ptrdiff_t u, ptrdiff_t first, double *step)
{
    const ptrdiff_t size = unit_size(a->d, u);
    const double *b = a->b + a->d->start[u], w = a->d->weight[u], t = crs_norm(size, b);
    if (w == 0 || !(t > 0)) return;
    const double slope = a->value->rho->slope(a->value->par, t);
    for (ptrdiff_t i = 0; i < size; i++) step[first + i] += w * slope * (b[i] / t);
}

/* grad F, of which g is the loss's part */
static void support_gradient(const crs_support *a, const double *g, double *out)
{
    const crs_design *d = a->d;
    for (ptrdiff_t i = 0; i < a->count; i++) out[i] = g[a->chosen[i]];
    for (ptrdiff_t i = 0, u = 0; i < a->count; i += unit_size(d, u)) {
        while (d->start[u + 1] <= a->chosen[i]) u++;
        add_slope(a, u, i, out);
    }
}

static void fill_hessian(const crs_support *a, double *out)
{
    add_loss(a, out);
    for (ptrdiff_t i = 0, u = 0; a->value && i < a->count; i += unit_size(a->d, u)) {
        while (a->d->start[u + 1] <= a->chosen[i]) u++;
        add_unit(a, u, i, out);
    }
}

/* out = H v on the chosen columns */
static void multiply_units(const crs_support *a, const double *v, double *out)
{
    const crs_design *d = a->d;
    for (ptrdiff_t i = 0, u = 0; i < a->count; i += unit_size(d, u)) {
        while (d->start[u + 1] <= a->chosen[i]) u++;
        const ptrdiff_t size = unit_size(d, u);
        const double *b = a->b + d->start[u], w = d->weight[u], t = crs_norm(size, b);
        if (w == 0 || !(t > 0)) continue;
        const double bend = bend_at(a->value, t), ring = a->value->rho->slope(a->value->par, t) / t;
        double along = 0;
        for (ptrdiff_t k = 0; k < size; k++) along += v[i + k] * (b[k] / t);
        for (ptrdiff_t k = 0; k < size; k++) {
            const double across = size > 1 ? ring * (v[i + k] - along * (b[k] / t)) : 0;
            out[i + k] += w * (across + bend * along * (b[k] / t));
        }
    }
}

static void multiply(const crs_support *a, const double *v, double *out)
{
    const crs_design *d = a->d;
    double lift = 0;
    fill(d->n, 0, a->row);
    for (ptrdiff_t i = 0; i < a->count; i++) column_add(d, v[i], a->chosen[i], a->row, &lift);
    lift_by(d, lift, a->row);
    for (ptrdiff_t i = 0; i < d->n; i++) a->row[i] *= a->h[i];
    lift = lifted(d, a->row);
    for (ptrdiff_t i = 0; i < a->count; i++)
        out[i] = column_dot(d, a->chosen[i], a->row, lift) / (double)d->n;
    multiply_units(a, v, out);
}

/* The size of the diagonal of the loss's part, nowhere nearly 0 beside its largest number */
static void diagonal(const crs_support *a, double *out)
{
    const crs_design *d = a->d;
    double all = 0, most = 0;
    for (ptrdiff_t i = 0; d->sparse && i < d->n; i++) all += a->h[i] * square(d->r[i]);
    for (ptrdiff_t i = 0; i < a->count; i++) {
        const ptrdiff_t j = a->chosen[i];
        out[i] = fabs(column_curve(d, j, a->h, all)) / (double)d->n;
        most = larger(most, out[i]);
    }
    for (ptrdiff_t i = 0; i < a->count; i++) out[i] = larger(out[i], 0x1p-40 * most);
}

/* z = r over the diagonal; r'z */
static double rescaled(ptrdiff_t k, const double *r, const double *scale, double *z)
{
    for (ptrdiff_t i = 0; i < k; i++) z[i] = r[i] / scale[i];
    return crs_dot(k, r, z);
}

/* Near the step; where F is not convex along the first direction that is it, where it is not along
 * a later one they end. */
static bool step_near(const crs_support *a, const double *g, double *room, double *step)
{
    enum { MOST = 100 };
    const ptrdiff_t k = a->count;
    double *r = room, *p = room + k, *q = p + k, *scale = q + k, *z = scale + k;
    support_gradient(a, g, r);
    diagonal(a, scale);
    double size = rescaled(k, r, scale, p);
    const double enough = square(0.1) * size;
    fill(k, 0, step);
    for (int i = 0; i < MOST && size > enough; i++) {
        multiply(a, p, q);
        const double curve = crs_dot(k, p, q), last = size;
        if (!(curve > 0)) {
            if (i == 0) copy(k, p, step);
            break;
        }
        axpy(k, size / curve, p, step);
        axpy(k, -size / curve, q, r);
        size = rescaled(k, r, scale, z);
        for (ptrdiff_t j = 0; j < k; j++) p[j] = z[j] + size / last * p[j];
    }
    return crs_all_finite(k, step);
}

ptrdiff_t crs_support_room(ptrdiff_t count)
{
    const ptrdiff_t most = count < CRS_MOST_SUPPORT ? count : CRS_MOST_SUPPORT;
    return most * most > 5 * count ? most * most : 5 * count;
}

bool crs_support_step(const crs_support *a, const double *g, double *room, double *step)
{
    const ptrdiff_t k = a->count;
    if (!g) return fill_hessian(a, room), true;
    if (k == 0) return false;
    if (k > CRS_MOST_SUPPORT || k > a->d->n) return step_near(a, g, room, step);
    support_gradient(a, g, step);
    fill_hessian(a, room);
    if (!crs_cholesky(k, room)) return step_near(a, g, room, step);
    crs_cholesky_solve(k, room, 1, step);
    return crs_all_finite(k, step);
}
