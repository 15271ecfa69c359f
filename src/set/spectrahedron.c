/* SPDX-License-Identifier: MIT
 * spectrahedron: {X : X = X' >= 0, trace X = R}
 *
 * With C, W, V replaced by their symmetric parts: LMO(C) = R q q' for the lowest eigenvector,
 * support R lambda_max(W), proved high; the projection puts the eigenvalues on the simplex. */
#include "dense/dense.h"
#include "set/set.h"

static ptrdiff_t scratch(const crease_set *c, const crease_space *s)
{
    const ptrdiff_t n = s->dim[0], spectrum = n * n + 2 * n + crs_eigh_scratch(n);
    const ptrdiff_t proof = crs_proved_scratch(n, n); /* more than the lowest eigenpair */
    (void)c;
    return n * n + (spectrum > proof ? spectrum : proof);
}

static double excess(const crease_set *c, const crease_space *s, const double *x, double *work)
{
    const ptrdiff_t n = s->dim[0];
    double *h = work, *w = h + n * n, asymmetry = 0, trace = 0;
    for (ptrdiff_t i = 0; i < n; i++) {
        trace += x[i * n + i];
        for (ptrdiff_t j = 0; j < i; j++)
            asymmetry = larger(asymmetry, fabs(x[i * n + j] - x[j * n + i]));
    }
    crs_symmetrize(n, x, h);
    crs_eigh(n, h, w, NULL, w + n);
    return asymmetry + pos(-w[0]) + fabs(trace - c->par[0]);
}

static void project(const crease_set *c, const crease_space *s, const double *v, double *x,
                    double *work)
{
    const ptrdiff_t n = s->dim[0];
    double *h = work, *q = h + n * n, *w = q + n * n, *rest = w + n;
    crs_symmetrize(n, v, h);
    crs_eigh(n, h, w, q, rest + n);
    crs_hypersimplex_project(n, 1, c->par[0], w, w, rest);
    crs_psd_compose(n, w, q, x);
}

static void lmo(const crease_set *c, const crease_space *s, const double *g, double *y,
                double *work)
{
    const ptrdiff_t n = s->dim[0];
    double lambda, residual, *h = work, *q = h + n * n;
    crs_symmetrize(n, g, h);
    crs_bottom_eigen(n, h, q, &lambda, &residual, q + n);
    for (ptrdiff_t i = 0; i < n; i++)
        for (ptrdiff_t j = 0; j < n; j++) y[i * n + j] = c->par[0] * (q[i] * q[j]);
}

static double support(const crease_set *c, const crease_space *s, const double *w, double *work)
{
    const ptrdiff_t n = s->dim[0];
    crs_symmetrize(n, w, work);
    return c->par[0] * crs_proved_eigen(n, work, work + n * n);
}

/* sqrt(2) R is the distance of two rank-one extreme points; p < 2: by |.|_2. */
static double diameter(const crease_set *c, const crease_space *s, double p)
{
    const double n = (double)s->dim[0];
    return n == 1 ? 0 : c->par[0] * sqrt(2) * pow(n, pos(2 / p - 1));
}

static const crease_param params[] = { CREASE_PAR_POSITIVE("trace", "R"), { 0 } };

const crease_set_ops crs_spectrahedron_ops = {
    .name = "spectrahedron",
    .formula = "{X : X = X' >= 0, trace X = R}",
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

crease_set crease_spectrahedron(double trace)
{
    return (crease_set){ .ops = &crs_spectrahedron_ops, .par = { trace } };
}
