/* SPDX-License-Identifier: MIT
 * certify: the eps-stationarity residuals of (x, lambda), from the definitions
 *
 * Nothing here is taken from the method that produced the point. */
#include "certify/certify.h"
#include "set/set.h"

static ptrdiff_t most(ptrdiff_t a, ptrdiff_t b) { return a > b ? a : b; }

ptrdiff_t crease_certify_scratch(const crease_problem *p) { return crs_certify_room(p, false); }

ptrdiff_t crs_certify_room(const crease_problem *p, bool gap)
{
    const ptrdiff_t n = crs_largest_block(p), m = p->range.order > 0 ? crease_size(&p->range) : 0;
    ptrdiff_t work = crs_problem_scratch(p);
    for (int i = 0; i < p->count; i++) {
        const crease_set *c = p->block[i].set;
        if (!c) continue;
        work = most(work, crease_set_scratch(c, &p->space[i]));
        if (gap) work = most(work, crease_lmo_with_scratch(c, crs_reg_of(p, i), &p->space[i]));
    }
    return work + 5 * n + 2 * m;
}

/* |grad_i f at x_i = 0| + |what x_i adds to it|, with the gradient at x in c */
static double terms(const crease_problem *p, const double *const *x, const double **point, int i,
                    const double *c, double *zero, double *t, double *work)
{
    const ptrdiff_t n = crease_size(&p->space[i]);
    for (int k = 0; k < p->count; k++) point[k] = x[k];
    fill(n, 0, zero);
    point[i] = zero;
    crs_grad(p, point, i, t, work);
    const double without = crease_norm(&p->space[i], t);
    for (ptrdiff_t j = 0; j < n; j++) t[j] = c[j] - t[j];
    return without + crease_norm(&p->space[i], t);
}

/* c = grad_i f(x) - A_i'lambda; returns |grad_i f|, or the size of its terms, + |A_i'lambda|. */
static double gradient(const crease_problem *p, const double *const *x, const double **point,
                       const double *lambda, int i, double *c, double *t, double *u, double *work)
{
    const ptrdiff_t n = crease_size(&p->space[i]);
    crs_grad(p, x, i, c, work);
    const double size = point ? terms(p, x, point, i, c, u, t, work) : crease_norm(&p->space[i], c);
    if (!lambda || !crs_in_constraint(p, i)) return size;
    fill(n, 0, t);
    crs_adjoint(p, i, 1, lambda, t, work);
    axpy(n, -1, t, c);
    return size + crease_norm(&p->space[i], t);
}

/* dist(-c, d(r_i + indicator of X_i)(x_i)) */
static double distance(const crease_problem *p, int i, const double *x, const double *c, double *t,
                       double *work)
{
    const crease_reg *r = crs_reg_of(p, i);
    const crease_space *s = &p->space[i];
    crease_bounds box;
    for (ptrdiff_t j = 0, n = crease_size(s); j < n; j++) t[j] = -c[j];
    if (!p->block[i].set) return r->ops->dist(r, s, x, t, work);
    crs_set_bounds(p->block[i].set, &box);
    return r->ops->dist_box(r, s, &box, x, t, work);
}

static crease_residual certify_block(const crease_problem *p, const double *const *x,
                                     const double **point, const double *lambda, int i,
                                     double *room)
{
    const ptrdiff_t n = crease_size(&p->space[i]), most_n = crs_largest_block(p);
    double *c = room, *g = c + most_n, *t = g + most_n, *u = t + most_n, *v = u + most_n;
    double *work = v + most_n;
    crease_residual out = { .setting = crease_setting(p, i, NULL) };
    const double size = gradient(p, x, point, lambda, i, c, t, u, work);
    if (out.setting == 2) {
        out.residual = distance(p, i, x[i], c, t, work);
        out.scale = size;
        out.rounding = 4 * CRS_UNIT * size;
    } else {
        crs_best_subgradient(p, i, x[i], c, g, t, u, work, &out.upper_bound);
        for (ptrdiff_t j = 0; j < n; j++) v[j] = c[j] + g[j], t[j] = -v[j];
        const crease_set *set = p->block[i].set;
        const double at_x = crs_dot(n, v, x[i]);
        const double most_at = set->ops->support(set, &p->space[i], t, work);
        const double reach =
            crease_norm(&p->space[i], x[i]) + set->ops->diameter(set, &p->space[i], 2);
        out.scale = (size + crease_norm(&p->space[i], g)) * reach;
        out.rounding = 4 * CRS_UNIT * out.scale;
        out.residual = pos(at_x + most_at);
    }
    out.residual += out.rounding;
    return out;
}

static double relative(const crease_residual *r)
{
    return r->residual == 0 ? 0 : r->residual / r->scale;
}

static void include(crease_certificate *c, const crease_residual *r)
{
    c->worst = larger(c->worst, r->residual);
    c->worst_relative = larger(c->worst_relative, relative(r));
}

/* |sum A_i x_i - b|, relative to sum |A_i x_i| + |b| */
static crease_residual feasibility(const crease_problem *p, const double *const *x, double *room)
{
    const ptrdiff_t m = crease_size(&p->range);
    double *s = room, *term = s + m, *work = term + m;
    crease_residual out = { .setting = 2 };
    for (ptrdiff_t j = 0; j < m; j++) s[j] = p->rhs ? -p->rhs[j] : 0;
    if (p->rhs) out.scale = crease_norm(&p->range, p->rhs);
    for (int i = 0; i < p->count; i++) {
        fill(m, 0, term);
        crs_apply(p, i, 1, x[i], term, work);
        axpy(m, 1, term, s);
        out.scale += crease_norm(&p->range, term);
    }
    out.residual = crease_norm(&p->range, s);
    out.rounding = 4 * CRS_UNIT * out.scale;
    out.residual += out.rounding;
    return out;
}

static void membership(const crease_problem *p, const double *const *x, crease_certificate *c,
                       double *work)
{
    for (int i = 0; i < p->count; i++) {
        const crease_set *set = p->block[i].set;
        if (set) c->outside = larger(c->outside, set->ops->excess(set, &p->space[i], x[i], work));
    }
}

void crs_certify_begin(const crease_problem *p, const double *const *x, crease_certificate *c,
                       double *work)
{
    *c = (crease_certificate){ .count = p->count, .block = c->block, .point = c->point };
    c->objective = crs_f(p, x, work) + crs_regs(p, x, work);
    membership(p, x, c, work);
}

void crs_certify_finish(crease_certificate *c)
{
    if (!isfinite(c->objective) || !isfinite(c->outside)) c->worst = c->worst_relative = NAN;
}

void crease_certify(const crease_problem *p, const double *const *x, const double *lambda,
                    crease_certificate *c, double *work)
{
    crs_certify_begin(p, x, c, work);
    for (int i = 0; i < p->count; i++) {
        c->block[i] = certify_block(p, x, c->point, lambda, i, work);
        include(c, &c->block[i]);
    }
    if (p->range.order > 0) {
        c->feasibility = feasibility(p, x, work);
        include(c, &c->feasibility);
    }
    crs_certify_finish(c);
}
