/* SPDX-License-Identifier: MIT
 * rank_ball: {X : rank X <= k}, a cone that is not convex
 *
 * Projection: the k largest singular triplets (Eckart, Young 1936), a nearest point. The hull is
 * the whole space: its support is 0 at W = 0 and infinite elsewhere. The limiting normals at
 * X = U diag(s) V' of rank r are the Z with U'Z = 0, Z V = 0 and rank <= min(m,n) - k. With
 * P = (I - UU') T (I - VV'), dist(T, N)^2 = |T - P|^2 + the squares of the k - r least of the
 * min(m,n) - r singular values of P that U and V leave. Luke, Prox-regularity of rank constraint
 * sets and implications for algorithms, 2013. */
#include "dense/dense.h"
#include "set/set.h"

static ptrdiff_t allowed(const crease_set *c, const crease_space *s)
{
    return count_within(c->par[0], crs_short_side(s->dim[0], s->dim[1]));
}

static ptrdiff_t scratch(const crease_set *c, const crease_space *s)
{
    const ptrdiff_t m = s->dim[0], n = s->dim[1];
    const ptrdiff_t rank = crs_thin_rank_scratch(m, n), spectrum = crs_thin_scratch(m, n);
    (void)c;
    return 2 * m * n + spectrum + (rank > spectrum ? rank : spectrum);
}

/* The largest singular value that would have to be 0. */
static double excess(const crease_set *c, const crease_space *s, const double *x, double *work)
{
    const ptrdiff_t m = s->dim[0], n = s->dim[1], k = allowed(c, s);
    crs_thin f;
    if (!crs_thin_svd(m, n, x, work, &f)) return NAN;
    if (k == f.k) return 0;
    const ptrdiff_t rank = crs_thin_rank(&f, x, work + crs_thin_scratch(m, n));
    return rank <= k ? 0 : f.s[k];
}

static void project(const crease_set *c, const crease_space *s, const double *v, double *x,
                    double *work)
{
    const ptrdiff_t k = allowed(c, s);
    crs_thin f;
    if (!crs_thin_svd(s->dim[0], s->dim[1], v, work, &f)) {
        fill(crease_size(s), NAN, x);
        return;
    }
    if (k == f.k) {
        copy(crease_size(s), v, x);
        return;
    }
    fill(f.k - k, 0, f.s + k);
    crs_thin_compose(&f, f.s, x);
}

static double support(const crease_set *c, const crease_space *s, const double *w, double *work)
{
    const double norm = crs_norm(crease_size(s), w);
    (void)c, (void)work;
    return norm > 0 ? INFINITY : norm;
}

/* Infinitely far along the steepest direction of the set. */
static void lmo(const crease_set *c, const crease_space *s, const double *g, double *y,
                double *work)
{
    project(c, s, g, y, work);
    for (ptrdiff_t j = 0, n = crease_size(s); j < n; j++) y[j] = y[j] == 0 ? 0 : -y[j] * INFINITY;
}

static double diameter(const crease_set *c, const crease_space *s, double p)
{
    (void)c, (void)s, (void)p;
    return INFINITY;
}

/* p = (I - UU') v (I - VV') for the first r columns; t has m n doubles. */
static void remove_ranges(const crs_thin *f, ptrdiff_t r, const double *v, double *p, double *t)
{
    const ptrdiff_t m = f->m, n = f->n;
    copy(m * n, v, p);
    for (ptrdiff_t j = 0; j < r; j++) {
        for (ptrdiff_t i = 0; i < m; i++) t[i] = f->u[i * f->k + j];
        crs_gemv(true, m, n, 1, p, t, 0, t + m);
        for (ptrdiff_t i = 0; i < m; i++) axpy(n, -t[i], t + m, p + i * n);
        crs_gemv(false, m, n, 1, p, f->vt + j * n, 0, t);
        for (ptrdiff_t i = 0; i < m; i++) axpy(n, -t[i], f->vt + j * n, p + i * n);
    }
}

static double dist_normal(const crease_set *c, const crease_space *s, const double *x,
                          const double *v, double *work)
{
    const ptrdiff_t m = s->dim[0], n = s->dim[1], size = m * n;
    double *p = work, *own = p + size, *rest = own + crs_thin_scratch(m, n), sum = 0;
    crs_thin f;
    if (!crs_thin_svd(m, n, x, own, &f) || !crs_all_finite(size, v)) return NAN;
    const ptrdiff_t found = crs_thin_rank(&f, x, rest), k = allowed(c, s);
    const ptrdiff_t r = found < k ? found : k;
    remove_ranges(&f, r, v, p, rest);
    for (ptrdiff_t j = 0; j < size; j++) sum += square(v[j] - p[j]);
    if (!crs_singular_values(m, n, p, own, rest)) return NAN;
    for (ptrdiff_t j = f.k - k; j < f.k - r; j++) sum += square(own[j]);
    return sqrt(sum);
}

static const crease_param params[] = {
    { "k", 1, INFINITY, CREASE_OPEN_HIGH | CREASE_INTEGER, "the largest rank" }, { 0 }
};

const crease_set_ops crs_rank_ball_ops = {
    .name = "rank-ball",
    .formula = "{X : rank X <= k}, not convex",
    .params = params,
    .matrix = true,
    .symmetric = true,
    .nonconvex = true,
    .check = crs_matrix_whole,
    .scratch = scratch,
    .excess = excess,
    .project = project,
    .lmo = lmo,
    .support = support,
    .diameter = diameter,
    .dist_normal = dist_normal,
};

crease_set crease_rank_ball(double k)
{
    return (crease_set){ .ops = &crs_rank_ball_ops, .par = { k } };
}
