/* SPDX-License-Identifier: MIT
 * losses: f(x) = sum_j phi(u_j), u = sum_k A_k x_k - rhs; the gradient is A_k' phi'(u)
 *
 * For logistic, u = rhs o (A x) and phi'(u) is multiplied by rhs. The error of phi'(u) is that of
 * u times the largest |phi''| nearby, plus the rounding of the formula. */
#include "verify/verify.h"

/* phi'(u) and the rounding of its formula */
static num rounded(real v) { return (num){ v, 8 * LDBL_EPSILON * fabsl(v) }; }
static num squares(const double *p, real u) { return (void)p, exact(u); }
static num logistic(const double *p, real u) { return (void)p, rounded(-1 / (1 + expl(u))); }
static num cauchy(const double *p, real u) { return (void)p, rounded(u / (1 + u * u)); }
static num geman(const double *p, real u)
{
    return (void)p, rounded(u / ((1 + u * u) * (1 + u * u)));
}
static num huber(const double *p, real u) { return exact(within(u, -(real)p[0], p[0])); }
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

/* The largest |phi''| on |u| >= m */
static real one(const double *p, real m) { return (void)p, (void)m, 1; }
static real logistic_bend(const double *p, real m) { return (void)p, expl(-m); }
static real cauchy_bend(const double *p, real m) { return (void)p, 1 / (1 + m * m); }
static real geman_bend(const double *p, real m) { return (void)p, 3 / ((1 + m * m) * (1 + m * m)); }
static real tukey_bend(const double *p, real m) { return (void)p, m < 1 ? 1 : 0; }
static real lp_bend(const double *p, real m)
{
    return p[0] * ((real)p[0] - 1) * powl(m, (real)p[0] - 2);
}
static real welsch_bend(const double *p, real m)
{
    return (void)p, m > 1 ? (1 + 2 * m * m) * expl(-m * m) : 1;
}

typedef struct {
    const char *name;
    num (*slope)(const double *par, real u);
    real (*bend)(const double *par, real m);
} loss;

static const loss losses[] = {
    { "least_squares", squares, one }, { "logistic", logistic, logistic_bend },
    { "cauchy", cauchy, cauchy_bend }, { "welsch", welsch, welsch_bend },
    { "geman", geman, geman_bend },    { "tukey", tukey, tukey_bend },
    { "huber", huber, one },           { "lp_loss", lp_loss, lp_bend },
};

static const loss *loss_named(const char *name)
{
    for (size_t k = 0; k < sizeof losses / sizeof *losses; k++)
        if (strcmp(losses[k].name, name) == 0) return &losses[k];
    return NULL;
}

/* phi'(w) for all |w - u| <= e; for |u|^p near 0 by
 * |sgn(u)|u|^s - sgn(w)|w|^s| <= 2^{1-s} |u - w|^s, s = p - 1. */
static num slope(const loss *l, const double *par, num u)
{
    const real p = par[0], nearest = positive(fabsl(u.v) - u.e);
    num out = l->slope(par, u.v);
    if (u.e == 0) return out;
    real spread = l->bend(par, nearest) * u.e;
    if (l->slope == lp_loss) spread = -bigger(-spread, -p * powl(2, 2 - p) * powl(u.e, p - 1));
    out.e += spread;
    return out;
}

bool crs_loss_gradient(crs_verifier *v, const crease_smooth *f, const double *const *x, num **g)
{
    const crease_predictor *p = f->data;
    const loss *l = loss_named(f->ops->name);
    const bool labels = l->slope == logistic;
    const ptrdiff_t m = crease_size(&p->range);
    bool wanted = false;
    for (int k = 0; k < p->count; k++) wanted = wanted || g[p->block[k]];
    if (!wanted) return true;
    num *u = crs_nums(v, m);
    if (!u) return false;
    for (int k = 0; k < p->count; k++) {
        const crease_space *dom = &v->p->space[p->block[k]];
        const num *in = crs_exact(v, crease_size(dom), x[p->block[k]]);
        if (!in || !crs_multiply(v, &p->map[k], dom, &p->range, false, in, u)) return false;
    }
    for (ptrdiff_t j = 0; j < m; j++) {
        const num rhs = exact(p->rhs ? p->rhs[j] : 0);
        u[j] = labels ? mul(rhs, slope(l, f->par, mul(rhs, u[j])))
                      : slope(l, f->par, add(u[j], neg(rhs)));
    }
    for (int k = 0; k < p->count; k++)
        if (g[p->block[k]] && !crs_multiply(v, &p->map[k], &v->p->space[p->block[k]], &p->range,
                                            true, u, g[p->block[k]]))
            return false;
    return true;
}
