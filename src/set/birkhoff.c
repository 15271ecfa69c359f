/* SPDX-License-Identifier: MIT
 * birkhoff: {X : X >= 0, every row and every column of X sums to 1}
 *
 * The extreme points are the permutation matrices (Birkhoff 1946), so the LMO is an assignment
 * problem. The support is its dual value, an upper bound by weak duality. No exact projection. */
#include "dense/dense.h"
#include "set/set.h"

static ptrdiff_t scratch(const crease_set *c, const crease_space *s)
{
    const ptrdiff_t n = s->dim[0];
    (void)c;
    return n * n + 3 * n + crs_assignment_scratch(n);
}

typedef struct {
    double *cost, *u, *v;
    ptrdiff_t *perm;
} assignment;

/* perm minimizes sum factor g[i][perm[i]]; false when g is not finite. */
static bool assign(ptrdiff_t n, double factor, const double *g, double *work, assignment *a)
{
    *a = (assignment){ .cost = work, .u = work + n * n, .v = work + n * n + n };
    a->perm = (ptrdiff_t *)(void *)(a->v + n);
    for (ptrdiff_t j = 0; j < n * n; j++) a->cost[j] = factor * g[j];
    return crs_assignment(n, a->cost, a->perm, a->u, a->v, a->v + 2 * n);
}

static double excess(const crease_set *c, const crease_space *s, const double *x, double *work)
{
    const ptrdiff_t n = s->dim[0];
    double most = 0;
    (void)c, (void)work;
    for (ptrdiff_t i = 0; i < n; i++) {
        double row = 0, column = 0;
        for (ptrdiff_t j = 0; j < n; j++) {
            row += x[i * n + j];
            column += x[j * n + i];
            most = larger(most, -x[i * n + j]);
        }
        most = larger(most, larger(fabs(row - 1), fabs(column - 1)));
    }
    return most;
}

static void lmo(const crease_set *c, const crease_space *s, const double *g, double *y,
                double *work)
{
    const ptrdiff_t n = s->dim[0];
    assignment a;
    const bool solved = assign(n, 1, g, work, &a);
    (void)c;
    fill(n * n, solved ? 0 : NAN, y);
    for (ptrdiff_t i = 0; i < n && solved; i++) y[i * n + a.perm[i]] = 1;
}

static double support(const crease_set *c, const crease_space *s, const double *w, double *work)
{
    const ptrdiff_t n = s->dim[0];
    double dual = 0, attained = 0;
    assignment a;
    (void)c;
    if (!assign(n, -1, w, work, &a)) return NAN;
    for (ptrdiff_t i = 0; i < n; i++) {
        dual -= a.u[i] + a.v[i];
        attained += w[i * n + a.perm[i]];
    }
    return larger(dual, attained);
}

/* Two permutation matrices without a common entry differ by 1 in 2n places. */
static double diameter(const crease_set *c, const crease_space *s, double p)
{
    const double n = (double)s->dim[0];
    (void)c;
    return n == 1 ? 0 : pow(2 * n, 1 / p);
}

const crease_set_ops crs_birkhoff_ops = {
    .name = "birkhoff",
    .formula = "{X : X >= 0, rows and columns of X sum to 1}",
    .polyhedral = true,
    .matrix = true,
    .compact = true,
    .fixed_sum = true,
    .range = crs_range_unit,
    .check = crs_matrix_square,
    .scratch = scratch,
    .excess = excess,
    .lmo = lmo,
    .support = support,
    .diameter = diameter,
};

crease_set crease_birkhoff(void) { return (crease_set){ .ops = &crs_birkhoff_ops }; }
