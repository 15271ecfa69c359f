/* SPDX-License-Identifier: MIT
 * matrix_sets: the nuclear and spectral balls, the spectrahedron and the Birkhoff polytope
 *
 *   nuclear-ball   sum sigma(X) <= R                support R sigma_1(W)
 *   spectral-ball  sigma_1(X) <= R                  support R sum sigma(W)
 *   spectrahedron  X = X' >= 0, trace X = R         support R lambda_1((W+W')/2)
 *   birkhoff       X >= 0, all rows and columns     support: the best assignment
 *                  sum to 1 */
#include "verify/verify.h"

/* The sum of the singular values and the largest; false: refused or out of memory. */
static bool singular_values(crs_verifier *v, const crease_space *s, const real *x, real *sum,
                            real *most)
{
    crs_svd_real f;
    if (!crs_jacobi(v, s->dim[0], s->dim[1], x, &f)) return false;
    *sum = 0;
    for (ptrdiff_t j = f.k; j-- > 0;) *sum += f.s[j];
    *most = f.s[0];
    return true;
}

/* What recomposing a matrix in double precision may do to its singular values. */
static real matrix_roundings(const crease_space *s)
{
    return 8 * ((real)s->dim[0] + (real)s->dim[1]) * DBL_EPSILON;
}

static bool is_nuclear(const crease_set *c) { return strcmp(c->ops->name, "nuclear-ball") == 0; }

static void ball_membership(crs_verifier *v, const crease_set *c, const crease_space *s,
                            const real *x, real slack, crs_membership *m)
{
    real sum, most;
    if (!singular_values(v, s, x, &sum, &most)) return;
    const real norm = is_nuclear(c) ? sum : most;
    demand(m, norm - c->par[0],
           matrix_roundings(s) * (norm + c->par[0]) + (real)crease_size(s) * slack);
}

static real ball_support(crs_verifier *v, const crease_set *c, const crease_space *s, const real *w)
{
    real sum, most;
    if (!singular_values(v, s, w, &sum, &most)) return NAN;
    return c->par[0] * (is_nuclear(c) ? most : sum);
}

static real ball_diameter(crs_verifier *v, const crease_set *c, const crease_space *s)
{
    const ptrdiff_t k = s->dim[0] < s->dim[1] ? s->dim[0] : s->dim[1];
    (void)v;
    return 2 * c->par[0] * (is_nuclear(c) ? 1 : sqrtl((real)k));
}

/* lambda_min(X) = -lambda_max(-X) */
static void spectrahedron_membership(crs_verifier *v, const crease_set *c, const crease_space *s,
                                     const real *x, real slack, crs_membership *m)
{
    const ptrdiff_t n = s->dim[0];
    real *minus = crs_reals(v, n * n), trace = 0, lowest;
    if (!minus) return;
    for (ptrdiff_t j = 0; j < n * n; j++) minus[j] = -x[j];
    if (!crs_top_eigenvalue(v, n, minus, &lowest)) return;
    const real size = crs_length(n * n, x) + c->par[0];
    const real allowance = matrix_roundings(s) * size + (real)(n * n) * slack;
    for (ptrdiff_t i = 0; i < n; i++) {
        trace += x[i * n + i];
        for (ptrdiff_t j = 0; j < i; j++) demand(m, fabsl(x[i * n + j] - x[j * n + i]), allowance);
    }
    demand(m, lowest, allowance);
    demand(m, fabsl(trace - c->par[0]), allowance);
}

static real spectrahedron_support(crs_verifier *v, const crease_set *c, const crease_space *s,
                                  const real *w)
{
    real top;
    return crs_top_eigenvalue(v, s->dim[0], w, &top) ? c->par[0] * top : (real)NAN;
}

static real spectrahedron_diameter(crs_verifier *v, const crease_set *c, const crease_space *s)
{
    (void)v;
    return s->dim[0] == 1 ? 0 : c->par[0] * sqrtl(2);
}

static void birkhoff_membership(crs_verifier *v, const crease_set *c, const crease_space *s,
                                const real *x, real slack, crs_membership *m)
{
    const ptrdiff_t n = s->dim[0];
    (void)v, (void)c;
    for (ptrdiff_t i = 0; i < n; i++) {
        real row = 0, column = 0;
        for (ptrdiff_t j = 0; j < n; j++) {
            demand(m, -x[i * n + j], slack);
            row += x[i * n + j];
            column += x[j * n + i];
        }
        demand(m, fabsl(row - 1), 2 * roundings(n) + (real)n * slack);
        demand(m, fabsl(column - 1), 2 * roundings(n) + (real)n * slack);
    }
}

static real birkhoff_support(crs_verifier *v, const crease_set *c, const crease_space *s,
                             const real *w)
{
    real value;
    (void)c;
    return crs_best_assignment(v, s->dim[0], w, &value) ? value : (real)NAN;
}

static real birkhoff_diameter(crs_verifier *v, const crease_set *c, const crease_space *s)
{
    (void)v, (void)c;
    return s->dim[0] == 1 ? 0 : sqrtl(2 * (real)s->dim[0]);
}

const crs_set_rule crs_matrix_rules[] = {
    { "nuclear-ball", ball_membership, ball_support, ball_diameter, false, false },
    { "spectral-ball", ball_membership, ball_support, ball_diameter, false, false },
    { "spectrahedron", spectrahedron_membership, spectrahedron_support, spectrahedron_diameter,
      false, false },
    { "birkhoff", birkhoff_membership, birkhoff_support, birkhoff_diameter, false, true },
    { 0 },
};
