/* SPDX-License-Identifier: MIT
 * envelope_model: J'J through R x R matrices, and the block-Jacobi preconditioner
 *
 * Tomasi, Bro, A comparison of algorithms for fitting the PARAFAC model, 2006; Phan, Tichavsky,
 * Cichocki, Low complexity damped Gauss-Newton algorithms for CANDECOMP/PARAFAC, 2013. */
#include "rpca/envelope/envelope_model.h"

ptrdiff_t crs_envelope_model_rows(const crease_space *shape)
{
    ptrdiff_t rows = 0;
    for (int n = 0; n < shape->order; n++) rows += shape->dim[n];
    return rows;
}

ptrdiff_t crs_envelope_model_first(const crs_envelope_model *m, int n)
{
    ptrdiff_t rows = 0;
    for (int k = 0; k < n; k++) rows += m->shape.dim[k];
    return rows * m->rank;
}

ptrdiff_t crs_envelope_model_unknowns(const crs_envelope_model *m)
{
    return crs_envelope_model_first(m, m->shape.order);
}

int crs_envelope_model_pair(const crs_envelope_model *m, int n, int k)
{
    const int low = n < k ? n : k, high = n < k ? k : n;
    return low * (2 * m->shape.order - low - 1) / 2 + high - low - 1;
}

ptrdiff_t crs_envelope_model_size(const crease_space *shape, ptrdiff_t rank)
{
    const ptrdiff_t rows = crs_envelope_model_rows(shape), d = shape->order;
    return rows + rows * rank + rank * rank * (4 * d + d * (d - 1) / 2 + 2);
}

void crs_envelope_model_place(crs_envelope_model *m, double *memory)
{
    const ptrdiff_t rows = crs_envelope_model_rows(&m->shape), d = m->shape.order;
    const ptrdiff_t area = m->rank * m->rank;
    m->root = memory;
    m->y = m->root + rows;
    m->gram = m->y + rows * m->rank;
    m->pair = m->gram + d * area;
    m->except = m->pair + d * (d - 1) / 2 * area;
    m->inverse = m->except + d * area;
    m->cross = m->inverse + d * area;
    m->small = m->cross + d * area;
}

void crs_envelope_model_scale(const crs_envelope_model *m, bool inverse, const double *in,
                              double *out)
{
    for (ptrdiff_t i = 0; i < crs_envelope_model_rows(&m->shape); i++) {
        const double scale = inverse ? 1 / m->root[i] : m->root[i];
        for (ptrdiff_t r = 0; r < m->rank; r++) out[i * m->rank + r] = scale * in[i * m->rank + r];
    }
}

/* The Hadamard product of the Grams but those of modes n and k */
static void product_except(const crs_envelope_model *m, int n, int k, double *out)
{
    const ptrdiff_t area = m->rank * m->rank;
    fill(area, 1, out);
    for (int j = 0; j < m->shape.order; j++)
        for (ptrdiff_t q = 0; j != n && j != k && q < area; q++) out[q] *= m->gram[j * area + q];
}

void crs_envelope_model_build(crs_envelope_model *m, const double *x)
{
    const ptrdiff_t area = m->rank * m->rank;
    const int d = m->shape.order;
    crs_envelope_model_scale(m, false, x, m->y);
    for (int n = 0; n < d; n++)
        crs_gram(m->shape.dim[n], m->rank, m->y + crs_envelope_model_first(m, n),
                 m->gram + n * area);
    for (int n = 0; n < d; n++) {
        product_except(m, n, n, m->except + n * area);
        for (int k = n + 1; k < d; k++)
            product_except(m, n, k, m->pair + crs_envelope_model_pair(m, n, k) * area);
    }
}

static void hold(const crs_envelope_model *m, double *x)
{
    for (ptrdiff_t j = 0; m->held && j < crs_envelope_model_unknowns(m); j++)
        if (m->held[j] == 1) x[j] = 0;
}

/* sum_{k != n} (e_k'Y_k) o G_nk */
static void couple(const crs_envelope_model *m, int n, double *out)
{
    const ptrdiff_t area = m->rank * m->rank;
    fill(area, 0, out);
    for (int k = 0; k < m->shape.order; k++) {
        if (k == n) continue;
        const double *cross = m->cross + k * area;
        const double *pair = m->pair + crs_envelope_model_pair(m, n, k) * area;
        for (ptrdiff_t q = 0; q < area; q++) out[q] += cross[q] * pair[q];
    }
}

void crs_envelope_model_apply(const crs_envelope_model *m, double damping, const double *e,
                              double *out)
{
    const ptrdiff_t rank = m->rank, area = rank * rank;
    for (int n = 0; n < m->shape.order; n++) {
        const ptrdiff_t at = crs_envelope_model_first(m, n);
        crs_gemm(true, false, rank, rank, m->shape.dim[n], 1, e + at, m->y + at, 0,
                 m->cross + n * area);
    }
    for (int n = 0; n < m->shape.order; n++) {
        const ptrdiff_t at = crs_envelope_model_first(m, n), rows = m->shape.dim[n];
        couple(m, n, m->small);
        crs_gemm(false, false, rows, rank, rank, m->curvature, e + at, m->except + n * area, 0,
                 out + at);
        crs_gemm(false, false, rows, rank, rank, m->curvature, m->y + at, m->small, 1, out + at);
    }
    for (ptrdiff_t i = 0; i < crs_envelope_model_rows(&m->shape); i++)
        axpy(rank, damping + m->nu / square(m->root[i]), e + i * rank, out + i * rank);
    hold(m, out);
}

/* inverse = (a + shift I)^{-1}; where a is too close to singular, with a larger shift */
static void invert(ptrdiff_t n, const double *a, double shift, double *inverse, double *work)
{
    double largest = shift;
    for (ptrdiff_t i = 0; i < n; i++) largest = larger(largest, a[i * n + i]);
    for (double more = 0; more <= largest; more = larger(100 * more, 1e-12 * largest)) {
        copy(n * n, a, work);
        fill(n * n, 0, inverse);
        for (ptrdiff_t i = 0; i < n; i++) work[i * n + i] += shift + more, inverse[i * n + i] = 1;
        if (largest > 0 && crs_cholesky(n, work)) {
            crs_cholesky_solve(n, work, n, inverse);
            return;
        }
        if (!(largest > 0)) return;
    }
}

void crs_envelope_model_prepare(crs_envelope_model *m, double damping)
{
    const ptrdiff_t area = m->rank * m->rank;
    for (ptrdiff_t n = 0, row = 0; n < m->shape.order; row += m->shape.dim[n], n++) {
        double weight = 0; /* the average of 1/D_n */
        for (ptrdiff_t i = 0; i < m->shape.dim[n]; i++)
            weight += 1 / square(m->root[row + i]) / (double)m->shape.dim[n];
        for (ptrdiff_t q = 0; q < area; q++)
            m->small[area + q] = m->curvature * m->except[n * area + q];
        invert(m->rank, m->small + area, damping + m->nu * weight, m->inverse + n * area, m->small);
    }
}

void crs_envelope_model_precondition(const crs_envelope_model *m, const double *r, double *z)
{
    for (int n = 0; n < m->shape.order; n++) {
        const ptrdiff_t at = crs_envelope_model_first(m, n);
        crs_gemm(false, false, m->shape.dim[n], m->rank, m->rank, 1, r + at,
                 m->inverse + n * m->rank * m->rank, 0, z + at);
    }
    hold(m, z);
}
