/* SPDX-License-Identifier: MIT
 * psd: {X : X = X' >= 0}; capped_psd: the same with trace X <= R
 *
 * With V, W, C replaced by their symmetric parts. Projection: the eigenvalues become max(e, 0), or
 * go onto {e >= 0, sum e <= R}. Support: 0 where lambda_max(W) <= 0 to rounding and infinite
 * elsewhere; with the cap R max(lambda_max(W), 0), proved high. LMO(C): R q q' for the lowest
 * eigenvector where its eigenvalue is negative, else 0.
 * Normals at X = Q0 diag(e) Q0', e > 0, Q1 the rest: Q1 Z Q1', Z <= 0, and every skew matrix. So
 * dist(V, N)^2 = |V|^2 - |Q1'VQ1|^2 + sum_j max(lambda_j(Q1'VQ1), 0)^2. */
#include "dense/dense.h"
#include "set/set.h"

static bool is_capped(const crease_set *c) { return c->ops == &crs_capped_psd_ops; }

/* The eigenvalues ascending in w, the eigenvectors in the rows of q. */
typedef struct {
    double *h, *q, *w, *rest;
} room;

static room carve(ptrdiff_t n, double *work)
{
    double *h = work, *q = h + n * n, *w = q + n * n;
    return (room){ h, q, w, w + n };
}

static ptrdiff_t scratch(const crease_set *c, const crease_space *s)
{
    const ptrdiff_t n = s->dim[0], spectrum = n * n + 3 * n + crs_eigh_scratch(n);
    const ptrdiff_t proof = crs_proved_scratch(n, n); /* more than the lowest eigenpair */
    (void)c;
    return n * n + (spectrum > proof ? spectrum : proof);
}

static double excess(const crease_set *c, const crease_space *s, const double *x, double *work)
{
    const ptrdiff_t n = s->dim[0];
    const room r = carve(n, work);
    double asymmetry = 0, trace = 0;
    for (ptrdiff_t i = 0; i < n; i++) {
        trace += x[i * n + i];
        for (ptrdiff_t j = 0; j < i; j++)
            asymmetry = larger(asymmetry, fabs(x[i * n + j] - x[j * n + i]));
    }
    crs_symmetrize(n, x, r.h);
    crs_eigh(n, r.h, r.w, NULL, r.rest);
    return asymmetry + pos(-r.w[0]) + (is_capped(c) ? pos(trace - c->par[0]) : 0);
}

static void project(const crease_set *c, const crease_space *s, const double *v, double *x,
                    double *work)
{
    const ptrdiff_t n = s->dim[0];
    const room r = carve(n, work);
    double sum = 0;
    crs_symmetrize(n, v, r.h);
    if (!crs_eigh(n, r.h, r.w, r.q, r.rest)) {
        fill(n * n, NAN, x);
        return;
    }
    for (ptrdiff_t k = 0; k < n; k++) sum += r.w[k] = pos(r.w[k]);
    if (is_capped(c) && sum > c->par[0])
        crs_hypersimplex_project(n, 1, c->par[0], r.w, r.w, r.rest);
    crs_psd_compose(n, r.w, r.q, x);
}

/* The rounding of eigenvalues of a matrix of this size */
static double noise(ptrdiff_t n, const double *h)
{
    return (double)(n + 8) * 0x1p-52 * crs_norm(n * n, h);
}

static double support(const crease_set *c, const crease_space *s, const double *w, double *work)
{
    const ptrdiff_t n = s->dim[0];
    crs_symmetrize(n, w, work);
    if (is_capped(c)) return c->par[0] * pos(crs_proved_eigen(n, work, work + n * n));
    const room r = carve(n, work);
    if (!crs_eigh(n, r.h, r.w, NULL, r.rest)) return NAN;
    return r.w[n - 1] <= noise(n, r.h) ? 0 : INFINITY;
}

static void lmo(const crease_set *c, const crease_space *s, const double *g, double *y,
                double *work)
{
    const ptrdiff_t n = s->dim[0];
    double lambda, residual, *h = work, *q = h + n * n;
    crs_symmetrize(n, g, h);
    const bool done = crs_bottom_eigen(n, h, q, &lambda, &residual, q + n);
    const double least = is_capped(c) ? 0 : -noise(n, h);
    const double far = lambda >= least ? 0 : is_capped(c) ? c->par[0] : INFINITY;
    for (ptrdiff_t i = 0; i < n; i++)
        for (ptrdiff_t j = 0; j < n; j++) {
            const double entry = q[i] * q[j];
            y[i * n + j] = !done ? NAN : entry == 0 || far == 0 ? 0 : far * entry;
        }
}

/* Of the cap: sqrt(2) R, as of two rank-one points; p < 2: by |.|_2; of one entry [0, R]. */
static double diameter(const crease_set *c, const crease_space *s, double p)
{
    const double n = (double)s->dim[0];
    if (!is_capped(c)) return INFINITY;
    return n == 1 ? c->par[0] : c->par[0] * sqrt(2) * pow(n, pos(2 / p - 1));
}

/* t = Q V Q', eigenvectors in the rows of q. */
static void rotate(ptrdiff_t n, const double *q, const double *v, double *half, double *t)
{
    crs_gemm(false, false, n, n, n, 1, q, v, 0, half);
    crs_gemm(false, true, n, n, n, 1, half, q, 0, t);
}

/* In the basis of X, its zero eigenvalues first: the block of zeros is Q1'VQ1. */
static double dist_normal(const crease_set *c, const crease_space *s, const double *x,
                          const double *v, double *work)
{
    const ptrdiff_t n = s->dim[0];
    double *h = work, *q = h + n * n, *w = q + n * n, *half = w + n, *rest = half + n * n;
    double sum = 0;
    ptrdiff_t zeros = 0;
    (void)c;
    crs_symmetrize(n, x, h);
    if (!crs_eigh(n, h, w, q, half)) return NAN;
    while (zeros < n && w[zeros] <= noise(n, h)) zeros++;
    crs_symmetrize(n, v, h);
    if (!crs_all_finite(n * n, h)) return NAN;
    rotate(n, q, h, half, h);
    for (ptrdiff_t i = 0; i < n; i++)
        for (ptrdiff_t j = 0; j < n; j++) {
            if (i < zeros && j < zeros)
                q[i * zeros + j] = 0.5 * h[i * n + j] + 0.5 * h[j * n + i];
            else
                sum += square(h[i * n + j]);
        }
    if (zeros > 0 && !crs_eigh(zeros, q, w, NULL, rest)) return NAN;
    for (ptrdiff_t k = 0; k < zeros; k++) sum += square(pos(w[k]));
    return sqrt(sum);
}

static ptrdiff_t cone_scratch(const crease_set *c, const crease_space *s)
{
    const ptrdiff_t n = s->dim[0], most = scratch(c, s);
    const ptrdiff_t normal = 3 * n * n + n + crs_eigh_scratch(n);
    return most > normal ? most : normal;
}

const crease_set_ops crs_psd_ops = {
    .name = "psd",
    .formula = "{X : X = X' >= 0}",
    .matrix = true,
    .check = crs_matrix_square,
    .scratch = cone_scratch,
    .excess = excess,
    .project = project,
    .lmo = lmo,
    .support = support,
    .diameter = diameter,
    .dist_normal = dist_normal,
};

static const crease_param params[] = { CREASE_PAR_POSITIVE("trace", "the largest trace R"), { 0 } };

const crease_set_ops crs_capped_psd_ops = {
    .name = "capped-psd",
    .formula = "{X : X = X' >= 0, trace X <= R}",
    .params = params,
    .matrix = true,
    .compact = true,
    .range = crs_range_of_ball,
    .check = crs_matrix_square,
    .scratch = scratch,
    .excess = excess,
    .project = project,
    .lmo = lmo,
    .support = support,
    .diameter = diameter,
};

crease_set crease_psd(void) { return (crease_set){ .ops = &crs_psd_ops }; }

crease_set crease_capped_psd(double trace)
{
    return (crease_set){ .ops = &crs_capped_psd_ops, .par = { trace } };
}
