/* SPDX-License-Identifier: MIT
 * spectral: r(X) = sum_j rho(sigma_j(X)) on matrices
 *
 * prox = U diag(P(sigma)) V' with P the scalar prox, for every rho: P is monotone and
 * <X, V> <= sum sigma_j(X) sigma_j(V) (von Neumann). For the same reason the Frobenius ball acts
 * on the vector of singular values and the spectral ball on each one.
 * A singular value of x below the rounding of its decomposition counts as 0 in value and dist
 * (crs_thin_rank), so that the rank of a prox is the rank it was given. */
#include "reg/spectral.h"
#include "dense/dense.h"

static ptrdiff_t least(const crease_space *s)
{
    return s->dim[0] < s->dim[1] ? s->dim[0] : s->dim[1];
}

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
    return crs_thin_scratch(m, n) + m * n + k * (m + n + k) + k + crease_reg_scratch(&v, &vector);
}

static double value(const crease_reg *r, const crease_space *s, const double *x, double *work)
{
    crs_thin f = { .m = s->dim[0], .n = s->dim[1], .k = least(s), .s = work };
    if (!crs_singular_values(f.m, f.n, x, f.s, work + f.k)) return NAN;
    double sum = 0;
    for (ptrdiff_t j = 0, rank = crs_thin_rank(&f); j < rank; j++)
        sum += r->penalty->value(r->par, f.s[j]);
    return sum;
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
    .check = check,
    .scratch = scratch,
    .value = value,
    .prox = prox,
    .dist = crs_spectral_dist,
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
