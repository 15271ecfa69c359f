/* SPDX-License-Identifier: MIT
 * losses: the losses of a linear predictor, from their formulas
 *
 * f(x) = sum_j w_j phi(u_j), u = sum_k A_k x_k - rhs, has the gradient A_k' (w o phi'(u)). With
 * labels, u = rhs o (A x) and phi'(u) is multiplied by rhs; with counts, u = A x and phi depends on
 * rhs_j. The error of phi'(u) is that of u times the largest |phi''| nearby, plus the rounding of
 * the formula. Softmax, f(x) = sum_i w_i (log sum_k exp(u_ik) - u_{i,y_i}), has a row for a u_j. */
#include "verify/verify.h"

enum { COUNT = CREASE_PARS - 1 }; /* where the count of a row stands among its parameters */

/* phi'(u) and the rounding of its formula */
static num rounded(real v) { return (num){ v, 8 * LDBL_EPSILON * fabsl(v) }; }
static num squares(const double *p, real u) { return (void)p, exact(u); }
static num logistic(const double *p, real u) { return (void)p, rounded(-1 / (1 + expl(u))); }
static num hinge(const double *p, real u) { return (void)p, rounded(-positive(1 - u)); }
static num cauchy(const double *p, real u) { return (void)p, rounded(u / (1 + u * u)); }
static num geman(const double *p, real u)
{
    return (void)p, rounded(u / ((1 + u * u) * (1 + u * u)));
}
static num huber(const double *p, real u) { return exact(within(u, -(real)p[0], p[0])); }
static num quantile(const double *p, real u)
{
    return rounded(within(u / p[1], -(real)p[0], 1 - (real)p[0]));
}
static num lp_loss(const double *p, real u)
{
    return rounded(copysignl(p[0] * powl(fabsl(u), (real)p[0] - 1), u));
}

static num welsch(const double *p, real u) /* the exponent is off by u^2 roundings */
{
    const real v = u * expl(-u * u);
    return (void)p, (num){ v, v == 0 ? 0 : (8 + 2 * u * u) * LDBL_EPSILON * fabsl(v) };
}

static num tukey(const double *p, real u) /* s is off by two roundings of 1 */
{
    const real s = 1 - u * u;
    (void)p;
    if (s <= 0) return exact(0);
    return (num){ u * s * s, 8 * LDBL_EPSILON * fabsl(u * s) * (fabsl(s) + 1) };
}

static num poisson(const double *p, real u)
{
    const real mean = expl(u);
    return (num){ mean - p[COUNT], 8 * LDBL_EPSILON * (mean + p[COUNT]) };
}

static num poisson_identity(const double *p, real u)
{
    const real mean = u + p[0], ratio = p[COUNT] / mean;
    if (!(mean > 0)) return exact(NAN);
    return (num){ 1 - ratio, 8 * LDBL_EPSILON * (1 + ratio) };
}

static num polynomial(const double *p, real u)
{
    real sum = 0, size = 0, power = 1;
    for (int k = 1; k < COUNT; k++, power *= u) {
        sum += (real)k * p[k] * power;
        size += (real)k * fabs(p[k]) * fabsl(power);
    }
    return (num){ sum, 32 * LDBL_EPSILON * size };
}

/* The largest |phi''| for the numbers within u.e of u.v; m: on |u| >= m */
static real closest(num u) { return positive(fabsl(u.v) - u.e); }
static real one(const double *p, num u) { return (void)p, (void)u, 1; }
static real logistic_bend(const double *p, num u) { return (void)p, expl(-closest(u)); }
static real tukey_bend(const double *p, num u) { return (void)p, closest(u) < 1 ? 1 : 0; }
static real quantile_bend(const double *p, num u) { return (void)u, 1 / (real)p[1]; }
static real poisson_bend(const double *p, num u) { return (void)p, expl(u.v + u.e); }
static real cauchy_bend(const double *p, num u)
{
    const real m = closest(u);
    return (void)p, 1 / (1 + m * m);
}

static real geman_bend(const double *p, num u)
{
    const real m = closest(u);
    return (void)p, 3 / ((1 + m * m) * (1 + m * m));
}

static real lp_bend(const double *p, num u)
{
    return p[0] * ((real)p[0] - 1) * powl(closest(u), (real)p[0] - 2);
}

static real welsch_bend(const double *p, num u)
{
    const real m = closest(u);
    return (void)p, m > 1 ? (1 + 2 * m * m) * expl(-m * m) : 1;
}

static real poisson_identity_bend(const double *p, num u)
{
    const real mean = u.v + p[0] - u.e;
    return mean > 0 ? p[COUNT] / mean / mean : INFINITY;
}

static real polynomial_bend(const double *p, num u)
{
    const real most = fabsl(u.v) + u.e;
    real sum = 0, power = 1;
    for (int k = 2; k < COUNT; k++, power *= most) sum += (real)(k * (k - 1)) * fabs(p[k]) * power;
    return sum;
}

/* phi(u) */
static real square_value(const double *p, real u) { return (void)p, u * u / 2; }
static real cauchy_value(const double *p, real u) { return (void)p, log1pl(u * u) / 2; }
static real welsch_value(const double *p, real u) { return (void)p, -expm1l(-u * u) / 2; }
static real lp_loss_value(const double *p, real u) { return powl(fabsl(u), p[0]); }
static real poisson_value(const double *p, real u) { return expl(u) - p[COUNT] * u; }
static real geman_value(const double *p, real u)
{
    return (void)p, isinf(u) ? 0.5L : u * u / (1 + u * u) / 2;
}

static real hinge_value(const double *p, real u)
{
    return (void)p, positive(1 - u) * positive(1 - u) / 2;
}

static real logistic_value(const double *p, real u)
{
    return (void)p, positive(-u) + log1pl(expl(-fabsl(u)));
}

static real tukey_value(const double *p, real u)
{
    const real s = positive(1 - u * u);
    return (void)p, (1 - s * s * s) / 6;
}

static real huber_value(const double *p, real u)
{
    const real size = fabsl(u), delta = p[0];
    return size <= delta ? u * u / 2 : delta * (size - delta / 2);
}

static real quantile_value(const double *p, real u)
{
    const real s = within(u / p[1], -(real)p[0], 1 - (real)p[0]); /* the slope */
    return s * (u - p[1] * s / 2);
}

static real poisson_identity_value(const double *p, real u)
{
    const real mean = u + p[0];
    return mean > 0 ? mean - (p[COUNT] > 0 ? p[COUNT] * logl(mean) : 0) : INFINITY;
}

static real polynomial_value(const double *p, real u)
{
    real sum = 0, power = 1;
    for (int k = 0; k < COUNT; k++, power *= u) sum += p[k] * power;
    return sum;
}

/* lim phi(t s)/t as t grows, s = -1 or 1; INFINITY: not known to be less */
static real level(const double *p, int s) { return (void)p, (void)s, 0; }
static real steep(const double *p, int s) { return (void)p, (void)s, INFINITY; }
static real huber_growth(const double *p, int s) { return (void)s, p[0]; }
static real logistic_growth(const double *p, int s) { return (void)p, s < 0 ? 1 : 0; }
static real hinge_growth(const double *p, int s) { return (void)p, s < 0 ? INFINITY : 0; }
static real quantile_growth(const double *p, int s) { return s < 0 ? p[0] : 1 - (real)p[0]; }
static real poisson_growth(const double *p, int s) { return s < 0 ? p[COUNT] : INFINITY; }
static real poisson_identity_growth(const double *p, int s)
{
    return (void)p, s < 0 ? INFINITY : 1;
}

/* How u comes from A x and rhs, and whether phi >= 0 is not sure. */
typedef enum { RESIDUAL, LABEL, TALLY, ANY_SIGN } role;

typedef struct {
    const char *name;
    num (*slope)(const double *par, real u);
    real (*bend)(const double *par, num u);
    real (*value)(const double *par, real u);
    real (*growth)(const double *par, int s);
    role is;
} loss;

static const loss losses[] = {
    { "least_squares", squares, one, square_value, steep, RESIDUAL },
    { "logistic", logistic, logistic_bend, logistic_value, logistic_growth, LABEL },
    { "cauchy", cauchy, cauchy_bend, cauchy_value, level, RESIDUAL },
    { "welsch", welsch, welsch_bend, welsch_value, level, RESIDUAL },
    { "geman", geman, geman_bend, geman_value, level, RESIDUAL },
    { "tukey", tukey, tukey_bend, tukey_value, level, RESIDUAL },
    { "huber", huber, one, huber_value, huber_growth, RESIDUAL },
    { "lp_loss", lp_loss, lp_bend, lp_loss_value, steep, RESIDUAL },
    { "quantile", quantile, quantile_bend, quantile_value, quantile_growth, RESIDUAL },
    { "polynomial", polynomial, polynomial_bend, polynomial_value, steep, ANY_SIGN },
    { "squared_hinge", hinge, one, hinge_value, hinge_growth, LABEL },
    { "poisson", poisson, poisson_bend, poisson_value, poisson_growth, TALLY },
    { "poisson_identity", poisson_identity, poisson_identity_bend, poisson_identity_value,
      poisson_identity_growth, TALLY },
};

static const loss *loss_named(const char *name)
{
    for (size_t k = 0; k < sizeof losses / sizeof *losses; k++)
        if (strcmp(losses[k].name, name) == 0) return &losses[k];
    return NULL;
}

static bool is_softmax(const crease_smooth *f) { return strcmp(f->ops->name, "softmax") == 0; }

bool crs_is_loss(const crease_smooth *f) { return is_softmax(f) || loss_named(f->ops->name); }

bool crs_loss_positive(const crease_smooth *f)
{
    return is_softmax(f) || loss_named(f->ops->name)->is <= LABEL;
}

/* phi'(w) for all |w - u| <= e; for |u|^p near 0 by
 * |sgn(u)|u|^s - sgn(w)|w|^s| <= 2^{1-s} |u - w|^s, s = p - 1. */
static num slope(const loss *l, const double *par, num u)
{
    const real p = par[0];
    num out = l->slope(par, u.v);
    if (u.e == 0) return out;
    real spread = l->bend(par, u) * u.e;
    if (l->slope == lp_loss) spread = -bigger(-spread, -p * powl(2, 2 - p) * powl(u.e, p - 1));
    out.e += spread;
    return out;
}

/* sum_k A_k x_k; NULL: no memory, or refused */
static num *predict(crs_verifier *v, const crease_predictor *p, const double *const *x)
{
    num *u = crs_nums(v, crease_size(&p->range));
    for (int k = 0; u && k < p->count; k++) {
        const crease_space *dom = &v->p->space[p->block[k]];
        const num *in = crs_exact(v, crease_size(dom), x[p->block[k]]);
        if (!in || !crs_multiply(v, &p->map[k], dom, &p->range, false, in, u)) return NULL;
    }
    return u;
}

/* w_j phi'(u_j), with respect to (A x)_j = z */
static num row_slope(const loss *l, const crease_predictor *p, double *par, ptrdiff_t j, num z)
{
    const num rhs = exact(p->rhs ? p->rhs[j] : 0);
    const real w = p->weight ? p->weight[j] : 1;
    num out;
    if (w == 0) return exact(0);
    par[COUNT] = l->is == TALLY ? p->rhs[j] : 0;
    if (l->is == LABEL)
        out = mul(rhs, slope(l, par, mul(rhs, z)));
    else
        out = slope(l, par, l->is == TALLY ? z : add(z, neg(rhs)));
    return p->weight ? mul(exact(w), out) : out;
}

/* u_i becomes w_i (p_i - e_y): p_k = exp(u_k - m)/sum_l exp(u_l - m) changes by a factor of at most
 * exp(2 e) where the u_l change by e, and by the rounding of the exponents. */
static void softmax_row(const crease_predictor *p, ptrdiff_t i, num *u)
{
    const ptrdiff_t K = p->range.dim[1], y = (ptrdiff_t)p->rhs[i];
    const real w = p->weight ? p->weight[i] : 1;
    real most = u[0].v, off = 0, all = 0;
    for (ptrdiff_t k = 0; k < K; k++) most = bigger(most, u[k].v), off = bigger(off, u[k].e);
    for (ptrdiff_t k = 0; k < K; k++) all += expl(u[k].v - most);
    for (ptrdiff_t k = 0; k < K; k++) {
        const real share = expl(u[k].v - most) / all, far = most - u[k].v;
        const real error = expm1l(2 * off) + ((real)K + 16 + 2 * far) * LDBL_EPSILON;
        const num one_less = { k == y ? share - 1 : share, share * error + 2 * LDBL_EPSILON };
        u[k] = w == 0 ? exact(0) : mul(exact(w), one_less);
    }
}

static void slopes(crs_verifier *v, const crease_smooth *f, num *u)
{
    const crease_predictor *p = f->data;
    const loss *l = loss_named(f->ops->name);
    double par[CREASE_PARS];
    memcpy(par, f->par, sizeof par);
    if (is_softmax(f))
        for (ptrdiff_t i = 0; i < p->range.dim[0] && crs_at_entry(v, i); i++)
            softmax_row(p, i, u + i * p->range.dim[1]);
    else
        for (ptrdiff_t j = 0, m = crease_size(&p->range); j < m && crs_at_entry(v, j); j++)
            u[j] = row_slope(l, p, par, j, u[j]);
}

bool crs_loss_gradient(crs_verifier *v, const crease_smooth *f, const double *const *x, num **g)
{
    const crease_predictor *p = f->data;
    bool wanted = false;
    for (int k = 0; k < p->count; k++) wanted = wanted || g[p->block[k]];
    if (!wanted) return true;
    num *u = predict(v, p, x);
    if (!u) return false;
    slopes(v, f, u);
    for (int k = 0; k < p->count; k++)
        if (g[p->block[k]] && !crs_multiply(v, &p->map[k], &v->p->space[p->block[k]], &p->range,
                                            true, u, g[p->block[k]]))
            return false;
    return true;
}

static real softmax_value(const crease_predictor *p, const num *u, ptrdiff_t i)
{
    const ptrdiff_t K = p->range.dim[1];
    real most = u[0].v, all = 0;
    for (ptrdiff_t k = 0; k < K; k++) most = bigger(most, u[k].v);
    for (ptrdiff_t k = 0; k < K; k++) all += expl(u[k].v - most);
    return logl(all) + (most - u[(ptrdiff_t)p->rhs[i]].v);
}

bool crs_loss_value(crs_verifier *v, const crease_smooth *f, const double *const *x, real *sum)
{
    const crease_predictor *p = f->data;
    const loss *l = loss_named(f->ops->name);
    const ptrdiff_t m = is_softmax(f) ? p->range.dim[0] : crease_size(&p->range);
    const num *u = predict(v, p, x);
    double par[CREASE_PARS];
    memcpy(par, f->par, sizeof par);
    for (ptrdiff_t j = 0; u && j < m; j++) {
        const real rhs = p->rhs ? p->rhs[j] : 0, w = p->weight ? p->weight[j] : 1;
        if (w == 0) continue;
        if (l) par[COUNT] = l->is == TALLY ? p->rhs[j] : 0;
        *sum += w * (!l               ? softmax_value(p, u + j * p->range.dim[1], j)
                     : l->is == LABEL ? l->value(par, rhs * u[j].v)
                     : l->is == TALLY ? l->value(par, u[j].v)
                                      : l->value(par, u[j].v - rhs));
    }
    return u;
}

bool crs_loss_growth(crs_verifier *v, const crease_smooth *f, const double *const *d, num *slope_at)
{
    const crease_predictor *p = f->data;
    const loss *l = loss_named(f->ops->name);
    const num *u = predict(v, p, d);
    double par[CREASE_PARS];
    memcpy(par, f->par, sizeof par);
    if (!l) return crs_refuse(v, "how '%s' grows along d is not known", f->ops->name);
    for (ptrdiff_t j = 0; u && j < crease_size(&p->range); j++) {
        const real w = p->weight ? p->weight[j] : 1;
        if (explained(u[j]) || w == 0) continue;
        const bool falls = (l->is == LABEL ? p->rhs[j] * u[j].v : u[j].v) < 0;
        par[COUNT] = l->is == TALLY ? p->rhs[j] : 0;
        const real grows = l->growth(par, falls ? -1 : 1);
        if (isinf(grows))
            return crs_refuse(v, "the loss %s may grow along d faster than any line", l->name);
        gather(slope_at, mul(exact(w), exact(grows)), (num){ fabsl(u[j].v), u[j].e });
    }
    return u;
}
