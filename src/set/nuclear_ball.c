/* SPDX-License-Identifier: MIT
 * nuclear_ball: {X : sum sigma_j(X) <= R}
 *
 * LMO(C) = -R u v' for the largest singular triplet of C (0 when C = 0); support R |W|_2, proved
 * high; the projection puts the singular values on the simplex. */
#include "dense/dense.h"
#include "set/set.h"

static ptrdiff_t scratch(const crease_set *c, const crease_space *s)
{
    const ptrdiff_t m = s->dim[0], n = s->dim[1];
    const ptrdiff_t factors = crs_thin_scratch(m, n), proof = crs_proved_scratch(m, n);
    (void)c; /* the linear oracle needs less than the proof */
    return factors > proof ? factors : proof;
}

static double excess(const crease_set *c, const crease_space *s, const double *x, double *work)
{
    return pos(crs_spectrum_sum(s, crs_spectrum(s, x, work)) - c->par[0]);
}

static void project(const crease_set *c, const crease_space *s, const double *v, double *x,
                    double *work)
{
    crs_thin f;
    crs_thin_svd(s->dim[0], s->dim[1], v, work, &f);
    if (crs_spectrum_sum(s, f.s) <= c->par[0]) {
        copy(f.m * f.n, v, x);
        return;
    }
    crs_hypersimplex_project(f.k, 1, c->par[0], f.s, f.s, f.work);
    crs_thin_compose(&f, f.s, x);
}

static void lmo(const crease_set *c, const crease_space *s, const double *g, double *y,
                double *work)
{
    const ptrdiff_t m = s->dim[0], n = s->dim[1];
    double sigma, residual, *u = work, *v = u + m;
    crs_top_singular(m, n, g, u, v, &sigma, &residual, v + n);
    for (ptrdiff_t i = 0; i < m; i++) {
        const double factor = sigma == 0 ? 0 : -c->par[0] * u[i];
        for (ptrdiff_t j = 0; j < n; j++) y[i * n + j] = factor * v[j];
    }
}

static double support(const crease_set *c, const crease_space *s, const double *w, double *work)
{
    return c->par[0] * crs_proved_norm(s->dim[0], s->dim[1], w, work);
}

static double diameter(const crease_set *c, const crease_space *s, double p)
{
    return 2 * c->par[0] * pow((double)crease_size(s), pos(1 / p - 0.5));
}

static const crease_param params[] = { CREASE_PAR_POSITIVE("radius", "R"), { 0 } };

const crease_set_ops crs_nuclear_ball_ops = {
    .name = "nuclear-ball",
    .formula = "{X : sum sigma_j(X) <= R}",
    .params = params,
    .matrix = true,
    .compact = true,
    .symmetric = true,
    .ball = CREASE_BALL_NUCLEAR,
    .range = crs_range_of_ball,
    .check = crs_matrix_whole,
    .scratch = scratch,
    .excess = excess,
    .project = project,
    .lmo = lmo,
    .support = support,
    .diameter = diameter,
};

crease_set crease_nuclear_ball(double radius)
{
    return (crease_set){ .ops = &crs_nuclear_ball_ops, .par = { radius } };
}
