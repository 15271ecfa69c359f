/* SPDX-License-Identifier: MIT
 * spectral_ball: {X : sigma_1(X) <= R}
 *
 * LMO(C) = -R U V' for C = U S V', support R sum sigma_j(W), the projection clips the singular
 * values at R. */
#include "dense/dense.h"
#include "set/set.h"

static ptrdiff_t scratch(const crease_set *c, const crease_space *s)
{
    (void)c; /* singular values alone need less */
    return crs_thin_scratch(s->dim[0], s->dim[1]);
}

static double excess(const crease_set *c, const crease_space *s, const double *x, double *work)
{
    return pos(crs_spectrum(s, x, work)[0] - c->par[0]);
}

static void project(const crease_set *c, const crease_space *s, const double *v, double *x,
                    double *work)
{
    crs_thin f;
    crs_thin_svd(s->dim[0], s->dim[1], v, work, &f);
    if (f.s[0] <= c->par[0]) {
        copy(f.m * f.n, v, x);
        return;
    }
    for (ptrdiff_t j = 0; j < f.k; j++) f.s[j] = smaller(f.s[j], c->par[0]);
    crs_thin_compose(&f, f.s, x);
}

static void lmo(const crease_set *c, const crease_space *s, const double *g, double *y,
                double *work)
{
    crs_thin f;
    crs_thin_svd(s->dim[0], s->dim[1], g, work, &f);
    fill(f.k, -c->par[0], f.s);
    crs_thin_compose(&f, f.s, y);
}

static double support(const crease_set *c, const crease_space *s, const double *w, double *work)
{
    return c->par[0] * crs_spectrum_sum(s, crs_spectrum(s, w, work));
}

/* p >= 2: a row has |row|_p <= |row|_2 <= 2R, and so has a column; p < 2: by |.|_2. */
static double diameter(const crease_set *c, const crease_space *s, double p)
{
    const double k = (double)crs_short_side(s->dim[0], s->dim[1]);
    return 2 * c->par[0] *
           (p >= 2 ? pow(k, 1 / p) : sqrt(k) * pow((double)crease_size(s), 1 / p - 0.5));
}

static const crease_param params[] = { CREASE_PAR_POSITIVE("radius", "R"), { 0 } };

const crease_set_ops crs_spectral_ball_ops = {
    .name = "spectral-ball",
    .formula = "{X : sigma_1(X) <= R}",
    .params = params,
    .matrix = true,
    .compact = true,
    .symmetric = true,
    .ball = CREASE_BALL_SPECTRAL,
    .range = crs_range_of_ball,
    .check = crs_matrix_whole,
    .scratch = scratch,
    .excess = excess,
    .project = project,
    .lmo = lmo,
    .support = support,
    .diameter = diameter,
};

crease_set crease_spectral_ball(double radius)
{
    return (crease_set){ .ops = &crs_spectral_ball_ops, .par = { radius } };
}
