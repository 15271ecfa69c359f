/* SPDX-License-Identifier: MIT
 * envelope_merge: two components whose sum is, to the noise, a single one
 *
 * The best rank-one tensor near C_r + C_s by alternating least squares, from the larger of the
 * two; what is left of |C_r + C_s|^2 needs inner products of columns alone. */
#include "rpca/envelope/state.h"

enum { SWEEPS = 20 };
static const double alike = 0.15;

static double inner(ptrdiff_t rows, ptrdiff_t stride, const double *a, const double *b)
{
    double sum = 0;
    for (ptrdiff_t i = 0; i < rows; i++) sum += a[i * stride] * b[i * stride];
    return sum;
}

/* In the plane of the two columns of every mode: g[n] = their 2 x 2 Gram matrix, and
 * u_n = p[n][0] x_r + p[n][1] x_s. Returns |C_r + C_s - the best|^2. */
typedef struct {
    int order;
    double g[CREASE_MAX_ORDER][3];
    double p[CREASE_MAX_ORDER][2];
    double total, left;
} pair;

static double with(const double *g, const double *p, int q)
{
    return q == 0 ? p[0] * g[0] + p[1] * g[1] : p[0] * g[1] + p[1] * g[2];
}

static double normalize(const double *g, double *p)
{
    const double norm = sqrt(p[0] * with(g, p, 0) + p[1] * with(g, p, 1));
    p[0] /= norm;
    p[1] /= norm;
    return norm;
}

static void fit(pair *a)
{
    double rr = 1, rs = 1, ss = 1, size = 0;
    for (int n = 0; n < a->order; n++) rr *= a->g[n][0], rs *= a->g[n][1], ss *= a->g[n][2];
    for (int n = 0; n < a->order; n++) {
        a->p[n][0] = rr >= ss;
        a->p[n][1] = rr < ss;
        normalize(a->g[n], a->p[n]);
    }
    for (int k = 0; k < SWEEPS * a->order; k++) {
        const int n = k % a->order;
        a->p[n][0] = a->p[n][1] = 1;
        for (int m = 0; m < a->order; m++)
            for (int q = 0; m != n && q < 2; q++) a->p[n][q] *= with(a->g[m], a->p[m], q);
        size = normalize(a->g[n], a->p[n]);
        if (k == SWEEPS * a->order - 1)
            for (int q = 0; q < 2; q++) a->p[n][q] *= size;
    }
    a->total = rr + 2 * rs + ss;
    a->left = a->total - size * size;
}

static void describe(const crs_envelope_model *m, const double *x, ptrdiff_t r, ptrdiff_t s,
                     pair *a)
{
    a->order = m->shape.order;
    for (int n = 0; n < a->order; n++) {
        const double *b = x + crs_envelope_model_first(m, n);
        a->g[n][0] = inner(m->shape.dim[n], m->rank, b + r, b + r);
        a->g[n][1] = inner(m->shape.dim[n], m->rank, b + r, b + s);
        a->g[n][2] = inner(m->shape.dim[n], m->rank, b + s, b + s);
    }
}

/* C_r becomes the best rank-one tensor near C_r + C_s, and C_s becomes 0. */
static void replace(crs_envelope_solver *v, ptrdiff_t r, ptrdiff_t s, const pair *a)
{
    const crs_envelope_model *m = &v->model;
    for (int n = 0; n < a->order; n++) {
        double *x = v->at.x + crs_envelope_model_first(m, n);
        for (ptrdiff_t i = 0; i < m->shape.dim[n]; i++, x += m->rank) {
            x[r] = a->p[n][0] * x[r] + a->p[n][1] * x[s];
            x[s] = 0;
        }
    }
}

ptrdiff_t crs_envelope_merge(crs_envelope_solver *v)
{
    const crs_envelope_model *m = &v->model;
    ptrdiff_t merged = 0;
    for (ptrdiff_t r = 0; r < m->rank; r++)
        for (ptrdiff_t s = r + 1; s < m->rank; s++) {
            pair a;
            describe(m, v->at.x, r, s, &a);
            fit(&a);
            if (!(a.left <= square(alike) * a.total)) continue;
            replace(v, r, s, &a);
            merged++;
        }
    return merged;
}
