/* SPDX-License-Identifier: MIT
 * reduced: Newton's method on factors while the rows of one mode are eliminated
 *
 * Conjugate gradients end at negative curvature; in the first step the preconditioned gradient is
 * taken then (Steihaug, SIAM J. Numer. Anal. 20, 1983). For F and its derivatives with the rows
 * eliminated see Golub, Pereyra, SIAM J. Numer. Anal. 10 (1973). */
#include "rpca/reduced/reduced.h"
#include "dense/dense.h"

static const double armijo = 1e-4, felt = 1e-12, least_weight = 1e-3;

/* d with H d = -g nearly; returns -g'd. norm: g'P^-1 g */
static double direction(const crs_reduced *s, const crs_reduced_at *at, double norm)
{
    const ptrdiff_t n = s->size;
    const double forcing = clip(sqrt(sqrt(norm / at->squares)), s->forcing_least, s->forcing_most);
    double rz = norm;
    fill(n, 0, s->d);
    for (ptrdiff_t j = 0; j < n; j++) s->r[j] = -at->g[j];
    s->precondition(s->self, s->r, s->z);
    copy(n, s->z, s->p);
    for (int k = 0; k < s->most_cg && rz > square(forcing) * norm; k++) {
        s->multiply(s->self, s->p, s->hp);
        const double curvature = crs_dot(n, s->p, s->hp);
        if (!(curvature > 0)) {
            if (k == 0) copy(n, s->p, s->d);
            break;
        }
        axpy(n, rz / curvature, s->p, s->d);
        axpy(n, -rz / curvature, s->hp, s->r);
        if (s->over(s->self)) break;
        const double next = s->precondition(s->self, s->r, s->z);
        for (ptrdiff_t j = 0; j < n; j++) s->p[j] = s->z[j] + next / rz * s->p[j];
        rz = next;
    }
    return -crs_dot(n, at->g, s->d);
}

/* Along d; where F does not feel the step any more, the gradient has to. */
static bool search(const crs_reduced *s, crs_reduced_at *at, double slope, double norm)
{
    double t = 1;
    for (int k = 0; k < s->most_halvings; k++, t /= 2) {
        const crs_reduced_at there = s->solve(s->self, t);
        const bool known = there.g && (slope <= felt * at->value
                                           ? s->precondition(s->self, there.g, s->z) < 0.5 * norm
                                           : there.value <= at->value - armijo * t * slope);
        if (known) {
            *at = there;
            return true;
        }
        if ((there.g && slope <= felt * at->value) || s->over(s->self)) return false;
    }
    return false;
}

bool crs_reduced_step(const crs_reduced *s, crs_reduced_at *at, double norm)
{
    const double slope = direction(s, at, norm);
    if (!(slope > 0) || !search(s, at, slope, norm)) return false;
    s->accept(s->self);
    return true;
}

bool crs_reduced_descend(const crs_reduced *s, crs_reduced_at at, int steps, double fall)
{
    bool moved = false;
    double first = 0;
    for (int k = 0; k < steps && isfinite(at.value) && s->prepare(s->self); k++) {
        const double norm = s->precondition(s->self, at.g, s->z);
        if (k == 0) first = norm;
        if (!(norm > square(fall) * first) || (k > 0 && s->over(s->self))) break;
        if (!crs_reduced_step(s, &at, norm)) break;
        moved = true;
    }
    return moved;
}

void crs_reduced_mean(ptrdiff_t rank, ptrdiff_t stride, ptrdiff_t rows, const double *x,
                      const double *h, double *out)
{
    double all = 0;
    fill(rank * rank, 0, out);
    for (ptrdiff_t i = 0; i < rows; i++) {
        const double *row = x + i * stride;
        all += h[i];
        for (ptrdiff_t q = 0; h[i] > 0 && q < rank; q++)
            axpy(rank, h[i] * row[q], row, out + q * rank);
    }
    for (ptrdiff_t k = 0; all > 0 && k < rank * rank; k++) out[k] /= all;
}

bool crs_reduced_modes_prepare(const crs_reduced_modes *s)
{
    const ptrdiff_t R = s->rank, area = R * R;
    for (int m = 0; m < s->count; m++)
        crs_reduced_mean(R, s->stride, s->rows[m], s->y + s->before[m] * s->stride,
                         s->weight + s->before[m], s->mean + m * area);
    for (int m = 0; m < s->count; m++) {
        double *g = s->small;
        copy(area, s->lead, g);
        for (int k = 0; k < s->count; k++)
            for (ptrdiff_t q = 0; k != m && q < area; q++) g[q] *= s->mean[k * area + q];
        if (!crs_eigh(R, g, s->value + m * R, s->basis + m * area, g + area)) return false;
    }
    return true;
}

/* z = P^-1 r of one mode; z is 0 before. */
static void precondition_mode(const crs_reduced_modes *s, int m, const double *r, double *z)
{
    const ptrdiff_t R = s->rank, rows = s->rows[m];
    const double *h = s->weight + s->before[m], *value = s->value + m * R;
    double mean = 0, top = 0;
    for (ptrdiff_t j = 0; j < rows; j++) mean += h[j] / (double)rows;
    for (ptrdiff_t l = 0; l < R; l++) top = larger(top, value[l]);
    for (ptrdiff_t j = 0; j < rows; j++) {
        const ptrdiff_t at = (s->before[m] + j) * s->stride;
        const double weight = larger(h[j], least_weight * mean);
        for (ptrdiff_t l = 0; l < R; l++) {
            const double *q = s->basis + (m * R + l) * R;
            const double p = weight * larger(value[l], 1e-10 * top) + s->ridge;
            if (p > 0) axpy(R, crs_dot(R, q, r + at) / p, q, z + at);
        }
    }
}

double crs_reduced_modes_precondition(const crs_reduced_modes *s, const double *r, double *z)
{
    ptrdiff_t size = 0;
    for (int m = 0; m < s->count; m++) size += s->rows[m] * s->stride;
    fill(size, 0, z);
    for (int m = 0; m < s->count; m++) precondition_mode(s, m, r, z);
    return crs_dot(size, r, z);
}
