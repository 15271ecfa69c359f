/* SPDX-License-Identifier: MIT
 * spectral: r(X) = sum_j rho(sigma_j(X)) on matrices
 *
 * prox = U diag(P(sigma)) V' with P the scalar prox, for every rho: P is monotone and
 * <X, V> <= sum sigma_j(X) sigma_j(V) (von Neumann). For the same reason the Frobenius ball acts
 * on the vector of singular values and the spectral ball on each one. A singular value of x that
 * the rounding of its entries explains counts as 0 in value and dist (dense/rank.c).
 * Lewis and Sendov, Nonsmooth analysis of singular values, 2005. */
#include <float.h>

#include "dense/dense.h"
#include "reg/reg.h"

/* dist: with X = U0 diag(s) V0', s > 0, and U1, V1 the orthogonal complements,
 *   dist^2 = |U0'G V0 - diag(rho'(s))|^2 + |U0'G V1|^2 + |U1'G V0|^2
 *            + sum_j max(sigma_j(U1'G V1) - rho'(0+), 0)^2.
 * The complements are never formed: U1 U1' = I - U0 U0'. */
static double squared_norm(ptrdiff_t n, const double *x) { return square(crs_norm(n, x)); }

/* The distance of c to d rho(s). A recomputed singular value never meets a kink exactly: within
 * its rounding the nearer of the two slopes there counts. */
static double slope_dist(const crease_reg *r, double s, double rounding, double c)
{
    const crs_penalty_value at = crs_penalty_of(r->penalty, r->par, 1);
    const double kink = r->penalty->kink ? r->penalty->kink(r->par) : INFINITY;
    return crs_scalar_dist(&at, fabs(s - kink) <= rounding ? kink : s, c);
}

/* |C - diag(rho'(s))|^2, C = U0'G V0 of order k */
static double inside(const crease_reg *r, const crs_thin *f, const double *C)
{
    const double larger_side = (double)(f->m > f->n ? f->m : f->n);
    double sum = 0;
    for (ptrdiff_t i = 0; i < f->k; i++)
        for (ptrdiff_t j = 0; j < f->k; j++) {
            const double rounding = 8 * larger_side * DBL_EPSILON * f->s[0];
            sum += square(i == j ? slope_dist(r, f->s[j], rounding, C[i * f->k + i])
                                 : C[i * f->k + j]);
        }
    return sum;
}

/* sum_j max(sigma_j(P) - rho'(0+), 0)^2, P = U1 U1'G V1 V1': 0 where |P|_2 <= rho'(0+) is proved,
 * which takes no decomposition. */
static double outside(double slope, ptrdiff_t m, ptrdiff_t n, const double *P, double *work)
{
    const ptrdiff_t k = crs_short_side(m, n);
    if (crs_certify_norm(m, n, P, slope, work)) return 0;
    if (!crs_singular_values(m, n, P, work, work + k)) return NAN;
    double sum = 0;
    for (ptrdiff_t j = 0; j < k; j++) sum += square(pos(work[j] - slope));
    return sum;
}

static ptrdiff_t most(ptrdiff_t a, ptrdiff_t b) { return a > b ? a : b; }

/* A, B, C, P, and the work of `outside` */
static ptrdiff_t dist_scratch(ptrdiff_t m, ptrdiff_t n)
{
    const ptrdiff_t k = crs_short_side(m, n);
    return m * n + k * (m + n + k) + most(crs_certify_scratch(m, n), k + crs_svd_scratch(m, n));
}

double crs_spectral_dist(const crease_reg *r, const crs_thin *f, const double *g, double *work)
{
    const ptrdiff_t m = f->m, n = f->n, rank = f->k;
    const double slope = r->penalty->slope(r->par, 0);
    double *A = work, *B = A + rank * n, *C = B + m * rank, *P = C + rank * rank, sum = 0;
    if (!crs_all_finite(m * n, g)) return NAN;
    crs_gemm(true, false, rank, n, m, 1, f->u, g, 0, A);      /* A = U0'G */
    crs_gemm(false, true, rank, rank, n, 1, A, f->vt, 0, C);  /* C = A V0 */
    crs_gemm(false, true, m, rank, n, 1, g, f->vt, 0, B);     /* B = G V0 */
    crs_gemm(false, false, m, rank, rank, -1, f->u, C, 1, B); /*   - U0 C = U1 U1'G V0 */
    if (rank < crs_short_side(m, n) && slope < INFINITY) {    /* P = G - U0 A - B V0' */
        copy(m * n, g, P);
        crs_gemm(false, false, m, n, rank, -1, f->u, A, 1, P);
        crs_gemm(false, false, m, n, rank, -1, B, f->vt, 1, P);
        sum = outside(slope, m, n, P, P + m * n);
    }
    crs_gemm(false, false, rank, n, rank, -1, C, f->vt, 1, A); /* A - C V0' = U0'G V1 V1' */
    sum += inside(r, f, C) + squared_norm(rank * n, A) + squared_norm(m * rank, B);
    return sqrt(sum);
}

static double dist(const crease_reg *r, const crease_space *s, const double *x, const double *g,
                   double *work)
{
    const ptrdiff_t m = s->dim[0], n = s->dim[1];
    crs_thin f;
    if (!crs_all_finite(m * n, g) || !crs_thin_svd(m, n, x, work, &f)) return NAN;
    const ptrdiff_t rank = crs_thin_rank(&f, x, work + crs_thin_scratch(m, n));
    crs_thin_truncate(&f, rank);
    f.k = rank;
    return crs_spectral_dist(r, &f, g, work + crs_thin_scratch(m, n));
}

static ptrdiff_t least(const crease_space *s) { return crs_short_side(s->dim[0], s->dim[1]); }

/* The same penalty on the vector of singular values. */
static crease_reg on_vector(const crease_reg *r)
{
    crease_reg v = *r;
    v.ops = &crs_separable_ops;
    return v;
}

static bool check(const crease_reg *r, const crease_space *s, crease_error *e)
{
    const char *name = r->penalty->name;
    if (s->order != 2)
        return crs_fail(e, CREASE_BAD_SHAPE,
                        "spectral %s acts on matrices but the point has %d dimension%s; give it a "
                        "shape of rows,columns",
                        name, s->order, s->order == 1 ? "" : "s");
    if (s->comm)
        return crs_fail(e, CREASE_UNSUPPORTED,
                        "spectral %s needs the whole matrix in one process; do not share it", name);
    if (!crs_svd_fits(s->dim[0], s->dim[1]))
        return crs_fail(e, CREASE_UNSUPPORTED,
                        "spectral %s cannot decompose a %td x %td matrix: LAPACK counts in 32 "
                        "bits; use a smaller matrix",
                        name, s->dim[0], s->dim[1]);
    if (r->weight)
        return crs_fail(e, CREASE_UNSUPPORTED,
                        "spectral %s takes no weights: singular values have no index of their "
                        "own; use the parameters",
                        name);
    return crs_check_penalty(r, least(s), e);
}

static ptrdiff_t scratch(const crease_reg *r, const crease_space *s)
{
    const ptrdiff_t m = s->dim[0], n = s->dim[1], k = least(s);
    const crease_space vector = crease_vector(k);
    const crease_reg v = on_vector(r);
    return crs_thin_scratch(m, n) + most(dist_scratch(m, n), crs_thin_rank_scratch(m, n)) + k +
           crease_reg_scratch(&v, &vector);
}

double crs_spectral_value(const crease_reg *r, const crs_thin *f)
{
    double sum = 0;
    for (ptrdiff_t j = 0; j < f->k; j++) sum += r->penalty->value(r->par, f->s[j]);
    return sum;
}

static double value(const crease_reg *r, const crease_space *s, const double *x, double *work)
{
    const ptrdiff_t m = s->dim[0], n = s->dim[1], k = least(s);
    crs_thin f = { .k = k, .s = work };
    if (r->penalty->slope(r->par, 0) < INFINITY) { /* noise adds noise */
        if (!crs_singular_values(m, n, x, f.s, work + k)) return NAN;
    } else { /* and here it would count */
        if (!crs_thin_svd(m, n, x, work, &f)) return NAN;
        f.k = crs_thin_rank(&f, x, work + crs_thin_scratch(m, n));
    }
    return crs_spectral_value(r, &f);
}

/* What becomes of the singular values: d from s, both of `vector`. */
typedef void shrinkage(const crease_reg *r, const crease_space *vector, double t, double radius,
                       const double *s, double *d, double *work);

static void apply(shrinkage *shrink, const crease_reg *r, const crease_space *s, double t,
                  double radius, const double *v, double *x, double *work)
{
    const ptrdiff_t m = s->dim[0], n = s->dim[1], k = least(s);
    const crease_space vector = crease_vector(k);
    const crease_reg by_value = on_vector(r);
    double *d = work, *rest = d + k;
    crs_thin f;
    if (!crs_thin_svd(m, n, v, rest, &f)) {
        fill(m * n, NAN, x);
        return;
    }
    shrink(&by_value, &vector, t, radius, f.s, d, rest + crs_thin_scratch(m, n));
    if (memcmp(d, f.s, (size_t)k * sizeof *d) == 0)
        copy(m * n, v, x); /* nothing shrank: x = v, not a recomposition of it */
    else
        crs_thin_compose(&f, d, x);
}

/* d > 0 in its first places: the factors without the others, d for s. */
static void keep_positive(crs_thin *f, const double *d)
{
    ptrdiff_t rank = 0;
    while (rank < f->k && d[rank] > 0) rank++;
    crs_thin_truncate(f, rank);
    copy(rank, d, f->s);
    f->k = rank;
}

bool crs_spectral_prox(const crease_reg *r, const crease_space *s, double t, const double *v,
                       double *x, crs_thin *f, double *work)
{
    const ptrdiff_t m = s->dim[0], n = s->dim[1], k = least(s);
    const crease_space vector = crease_vector(k);
    const crease_reg by_value = on_vector(r);
    double *d = work + m * n;
    if (!crs_thin_svd(m, n, v, f->u, f)) {
        fill(m * n, NAN, x);
        return false;
    }
    crs_separable_ops.prox(&by_value, &vector, t, f->s, d, d + k);
    const bool same = memcmp(d, f->s, (size_t)k * sizeof *d) == 0;
    keep_positive(f, d);
    for (ptrdiff_t i = 0; i < m && !same; i++)
        for (ptrdiff_t j = 0; j < f->k; j++) work[i * f->k + j] = f->u[i * f->k + j] * f->s[j];
    if (same)
        copy(m * n, v, x);
    else
        crs_gemm(false, false, m, n, f->k, 1, work, f->vt, 0, x);
    return true;
}

static void everywhere(const crease_reg *r, const crease_space *vector, double t, double radius,
                       const double *s, double *d, double *work)
{
    (void)radius;
    crs_separable_ops.prox(r, vector, t, s, d, work);
}

static void in_spectral_ball(const crease_reg *r, const crease_space *vector, double t,
                             double radius, const double *s, double *d, double *work)
{
    const crease_bounds b = { .low = 0, .high = radius };
    crs_separable_ops.prox_box(r, vector, t, &b, s, d, work);
}

static void prox(const crease_reg *r, const crease_space *s, double t, const double *v, double *x,
                 double *work)
{
    apply(everywhere, r, s, t, INFINITY, v, x, work);
}

static void prox_ball(const crease_reg *r, const crease_space *s, double t, double radius,
                      const double *v, double *x, double *work)
{
    apply(crs_separable_ops.prox_ball, r, s, t, radius, v, x, work);
}

void crs_spectral_prox_spectral_ball(const crease_reg *r, const crease_space *s, double t,
                                     double radius, const double *v, double *x, double *work)
{
    apply(in_spectral_ball, r, s, t, radius, v, x, work);
}

/* |x_ij| <= radius bounds the singular values by radius sqrt(mn). */
static void traits(const crease_reg *r, const crease_space *s, double radius,
                   crease_reg_traits *out)
{
    const crease_space vector = crease_vector(least(s));
    const crease_reg v = on_vector(r);
    v.ops->traits(&v, &vector, radius * sqrt((double)crease_size(s)), out);
    out->separable = false;
}

const crease_reg_ops crs_spectral_ops = {
    .name = "spectral",
    .formula = "sum_j rho(sigma_j(X))",
    .kind = CREASE_KIND_SPECTRAL,
    .check = check,
    .scratch = scratch,
    .value = value,
    .prox = prox,
    .dist = dist,
    .traits = traits,
    .prox_ball = prox_ball,
};

crease_reg crease_spectral(const crease_penalty *p, const double *par)
{
    crease_reg r = crease_separable(p, par);
    r.ops = &crs_spectral_ops;
    return r;
}

crease_reg crease_nuclear(double lambda) { return crease_spectral(&crs_l1, (double[]){ lambda }); }
crease_reg crease_rank(double lambda) { return crease_spectral(&crs_l0, (double[]){ lambda }); }
