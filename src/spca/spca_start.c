/* SPDX-License-Identifier: MIT
 * spca_start: points with |x_i| = 1 to start from; x = 0 is stationary for every alpha
 *
 * 0: the leading singular vectors of the unfoldings; 1, 3, ...: the fibres through the largest
 * entries of T, in turn; 2, 4, ...: random vectors. The first kind and the last are improved by
 * sweeps of x_i <- t_i/|t_i|, t_i = T(.., x_j, ..), the power method, which raises T(x). */
#include "core/core.h"
#include "core/streams.h"
#include "spca/spca.h"
#include "tensor/tensor.h"

enum { SWEEPS = 10 };

double crs_spca_slope(crease_spca *m, double *const *x, int n)
{
    const crease_space *s = &m->s.shape;
    fill(s->dim[n], 0, m->t);
    crs_contract_except(s, m->tensor, (const double *const *)x, n, 1, m->t, m->work);
    return crs_norm(s->dim[n], m->t);
}

/* x = v/|v|; x stays where v = 0. */
static void normalize(ptrdiff_t n, const double *v, double *x)
{
    const double norm = crs_norm(n, v);
    for (ptrdiff_t j = 0; norm > 0 && j < n; j++) x[j] = v[j] / norm;
}

static void power_method(crease_spca *m)
{
    for (int k = 0; k < SWEEPS; k++)
        for (int n = 0; n < m->s.shape.order; n++)
            if (crs_spca_slope(m, m->start, n) > 0) normalize(m->s.shape.dim[n], m->t, m->start[n]);
}

static void draw(crease_spca *m, int k, int n)
{
    const ptrdiff_t length = m->s.shape.dim[n];
    const uint64_t stream = (uint64_t)k * CREASE_MAX_ORDER + (uint64_t)n;
    crs_normals(m->s.seed, CRS_STREAM_START + stream, length, m->start[n]);
    normalize(length, m->start[n], m->start[n]);
}

static bool by_spectrum(crease_spca *m, int n, crease_error *e)
{
    const crease_space *s = &m->s.shape;
    const ptrdiff_t length = s->dim[n];
    draw(m, 0, n);
    if (!crs_unfolding_fits(s, n)) return true;
    double *squares =
        crs_doubles(length + length * length + crs_unfolding_scratch(s, n), "a start", e);
    if (!squares) return false;
    double *vectors = squares + length;
    const bool done = crs_unfolding(s, n, m->tensor, squares, vectors, vectors + length * length);
    if (done) normalize(length, vectors, m->start[n]);
    crs_free(squares);
    return done ||
           crs_fail(e, CREASE_NUMERICAL_FAILURE,
                    "the singular vectors of mode %d did not converge; rescale the tensor", n + 1);
}

/* The place of the entry of k-th largest magnitude; equal magnitudes count once. */
static ptrdiff_t large_entry(const crease_spca *m, int k)
{
    const ptrdiff_t size = crease_size(&m->s.shape);
    double below = INFINITY;
    ptrdiff_t at = 0;
    for (int round = 0; round <= k; round++) {
        double most = -1;
        for (ptrdiff_t j = 0; j < size; j++)
            if (fabs(m->tensor[j]) < below && fabs(m->tensor[j]) > most)
                most = fabs(m->tensor[j]), at = j;
        below = most;
    }
    return at;
}

/* With every x_n the fibre, the product of their signs there is sign^d: T(x) > 0 near it needs one
 * more where d is even and the entry negative. */
static void by_fibres(crease_spca *m, int k)
{
    const crease_space *s = &m->s.shape;
    const ptrdiff_t at = large_entry(m, k);
    const bool flip = m->tensor[at] < 0 && s->order % 2 == 0;
    for (int n = 0; n < s->order; n++) {
        const ptrdiff_t right = crs_right(s, n), index = at / right % s->dim[n];
        const double sign = flip && n == 0 ? -1 : 1;
        for (ptrdiff_t j = 0; j < s->dim[n]; j++)
            m->t[j] = sign * m->tensor[at + (j - index) * right];
        normalize(s->dim[n], m->t, m->start[n]);
    }
}

/* A penalty that wants x >= 0 is infinite elsewhere. */
static bool admit(crease_spca *m, crease_error *e)
{
    const crease_reg *r = &m->s.penalty;
    double value;
    for (int n = 0; n < m->s.shape.order; n++) {
        if (!crease_reg_value(r, &m->space[n], m->start[n], &value, e)) return false;
        for (ptrdiff_t j = 0; value == INFINITY && j < m->s.shape.dim[n]; j++)
            m->start[n][j] = fabs(m->start[n][j]);
    }
    return true;
}

bool crease_spca_start(crease_spca *m, int k, crease_error *e)
{
    const int order = m->s.shape.order;
    if (k < 0) return crs_fail(e, CREASE_BAD_ARGUMENT, "start %d; give a number >= 0", k);
    if (m->norm == 0)
        for (int n = 0; n < order; n++) fill(m->s.shape.dim[n], 0, m->start[n]);
    else if (k % 2 == 1)
        by_fibres(m, k / 2);
    else
        for (int n = 0; n < order; n++) {
            if (k > 0)
                draw(m, k, n);
            else if (!by_spectrum(m, n, e))
                return false;
        }
    if (m->norm > 0 && k % 2 == 0) power_method(m);
    if (!admit(m, e)) return false;
    if (k == 0) crs_spca_set_alpha(m);
    crs_spca_slope(m, m->start, 0);
    m->sigma = crs_dot(m->s.shape.dim[0], m->t, m->start[0]);
    return true;
}
