/* SPDX-License-Identifier: MIT
 * spectral_dist: the distance to the limiting subdifferential of sum_j rho(sigma_j(X))
 *
 * With X = U0 diag(s) V0', s > 0, and U1, V1 the orthogonal complements,
 *   dist^2 = |U0'G V0 - diag(rho'(s))|^2 + |U0'G V1|^2 + |U1'G V0|^2
 *            + sum_j max(sigma_j(U1'G V1) - rho'(0+), 0)^2.
 * The complements are never formed: U1 U1' = I - U0 U0'. Lewis and Sendov, Nonsmooth analysis
 * of singular values, 2005. */
#include <float.h>

#include "dense/dense.h"
#include "reg/spectral.h"

static double squared_norm(ptrdiff_t n, const double *x) { return square(crs_norm(n, x)); }

/* The distance of c to d rho(s). A recomputed singular value never meets a kink exactly: within
 * its rounding the nearer of the two slopes there counts. */
static double slope_dist(const crease_reg *r, double s, double rounding, double c)
{
    const crs_scalar at = { r->penalty, r->par, 1 };
    const double kink = r->penalty->kink ? r->penalty->kink(r->par) : INFINITY;
    return crs_scalar_dist(&at, fabs(s - kink) <= rounding ? kink : s, c);
}

/* |C - diag(rho'(s))|^2, C = U0'G V0 of order `rank` */
static double inside(const crease_reg *r, const crs_thin *f, ptrdiff_t rank, const double *C)
{
    const double larger_side = (double)(f->m > f->n ? f->m : f->n);
    const double rounding = 8 * larger_side * DBL_EPSILON * f->s[0];
    double sum = 0;
    for (ptrdiff_t i = 0; i < rank; i++)
        for (ptrdiff_t j = 0; j < rank; j++)
            sum += square(i == j ? slope_dist(r, f->s[j], rounding, C[i * rank + i])
                                 : C[i * rank + j]);
    return sum;
}

/* sum_j max(sigma_j(P) - rho'(0+), 0)^2, P = U1 U1'G V1 V1' */
static double outside(double slope, const crs_thin *f, const double *P, double *sigma)
{
    if (!crs_singular_values(f->m, f->n, P, sigma, f->work)) return NAN;
    double sum = 0;
    for (ptrdiff_t j = 0; j < f->k; j++) sum += square(pos(sigma[j] - slope));
    return sum;
}

double crs_spectral_dist(const crease_reg *r, const crease_space *s, const double *x,
                         const double *g, double *work)
{
    const ptrdiff_t m = s->dim[0], n = s->dim[1];
    const double slope = r->penalty->slope(r->par, 0);
    crs_thin f;
    if (!crs_all_finite(m * n, g) || !crs_thin_svd(m, n, x, work, &f)) return NAN;
    const ptrdiff_t rank = crs_thin_rank(&f);
    double *A = work + crs_thin_scratch(m, n), *B = A + rank * n, *C = B + m * rank,
           *P = C + rank * rank, sum = 0;
    crs_thin_truncate(&f, rank);

    crs_gemm(true, false, rank, n, m, 1, f.u, g, 0, A);      /* A = U0'G */
    crs_gemm(false, true, rank, rank, n, 1, A, f.vt, 0, C);  /* C = A V0 */
    crs_gemm(false, true, m, rank, n, 1, g, f.vt, 0, B);     /* B = G V0 */
    crs_gemm(false, false, m, rank, rank, -1, f.u, C, 1, B); /*   - U0 C = U1 U1'G V0 */
    if (rank < f.k && slope < INFINITY) {                    /* P = G - U0 A - B V0' */
        copy(m * n, g, P);
        crs_gemm(false, false, m, n, rank, -1, f.u, A, 1, P);
        crs_gemm(false, false, m, n, rank, -1, B, f.vt, 1, P);
        sum = outside(slope, &f, P, P + m * n);
    }
    crs_gemm(false, false, rank, n, rank, -1, C, f.vt, 1, A); /* A - C V0' = U0'G V1 V1' */
    sum += inside(r, &f, rank, C) + squared_norm(rank * n, A) + squared_norm(m * rank, B);
    return sqrt(sum);
}
