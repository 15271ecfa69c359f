/* SPDX-License-Identifier: MIT
 * certify: the eps-stationarity residuals of (x, lambda), from the definitions
 *
 * Nothing here is taken from the method that produced the point. */
#include "certify/certify.h"
#include "set/pair.h"

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
    return work + 5 * n + m;
}

static const double unit = 0x1p-53;

/* L_i(x)|x_i|, the size of the terms that cancel in a gradient nothing else balances; 0 where the
 * curvature is not known. */
static double cancelled(const crease_problem *p, const double *const *x, int i, double *work)
{
    const crease_blocks b = crs_blocks(p);
    if (!p->f.ops || !p->f.ops->curvature) return 0;
    const double L = p->f.ops->curvature(&p->f, &b, x, i, work);
    return L < INFINITY ? L * crease_norm(&p->space[i], x[i]) : 0;
}

/* c = grad_i f(x) - A_i'lambda; returns |grad_i f| + |A_i'lambda|, or without a constraint
 * |grad_i f| + L_i(x)|x_i|. */
static double gradient(const crease_problem *p, const double *const *x, const double *lambda, int i,
                       double *c, double *t, double *work)
{
    const ptrdiff_t n = crease_size(&p->space[i]);
    double size;
    crs_grad(p, x, i, c, work);
    size = crease_norm(&p->space[i], c);
    if (!lambda || !crs_in_constraint(p, i)) return size + cancelled(p, x, i, work);
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
                                     const double *lambda, int i, double *room)
{
    const ptrdiff_t n = crease_size(&p->space[i]), most_n = crs_largest_block(p);
    double *c = room, *g = c + most_n, *t = g + most_n, *u = t + most_n, *v = u + most_n;
    double *work = v + most_n;
    crease_residual out = { .setting = crease_setting(p, i, NULL) };
    const double size = gradient(p, x, lambda, i, c, t, work);
    if (out.setting == 2) {
        out.residual = distance(p, i, x[i], c, t, work);
        out.scale = size;
        out.rounding = 4 * unit * size;
    } else {
        crs_best_subgradient(p, i, x[i], c, g, t, u, work, &out.upper_bound);
        for (ptrdiff_t j = 0; j < n; j++) v[j] = c[j] + g[j], t[j] = -v[j];
        const crease_set *set = p->block[i].set;
        const double at_x = crs_dot(n, v, x[i]);
        const double most_at = set->ops->support(set, &p->space[i], t, work);
        const double reach =
            crease_norm(&p->space[i], x[i]) + set->ops->diameter(set, &p->space[i], 2);
        out.scale = (size + crease_norm(&p->space[i], g)) * reach;
        out.rounding = 4 * unit * out.scale;
        out.residual = pos(at_x + most_at);
    }
    out.residual += out.rounding;
    return out;
}

/* A scale below this share of the largest one is rounding of the others: where every term of a
 * condition vanishes at the solution, its residual has nothing of its own to be compared with. */
static const double least_share = 0x1p-20;

static void include(crease_certificate *c, const crease_residual *r, double least_scale)
{
    const double scale = larger(r->scale, least_scale);
    c->worst = larger(c->worst, r->residual);
    c->worst_relative = larger(c->worst_relative, r->residual == 0 ? 0 : r->residual / scale);
}

/* |sum A_i x_i - b|, relative to sum |A_i x_i| + |b| */
static crease_residual feasibility(const crease_problem *p, const double *const *x, double *room)
{
    const ptrdiff_t m = crease_size(&p->range);
    double *s = room, *work = room + m;
    crease_residual out = { .setting = 2 };
    crs_constraint(p, x, s, work);
    out.residual = crease_norm(&p->range, s);
    if (p->rhs) out.scale = crease_norm(&p->range, p->rhs);
    for (int i = 0; i < p->count; i++) {
        fill(m, 0, s);
        crs_apply(p, i, 1, x[i], s, work);
        out.scale += crease_norm(&p->range, s);
    }
    out.rounding = 4 * unit * out.scale;
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

static void begin(const crease_problem *p, const double *const *x, crease_certificate *c,
                  double *work)
{
    *c = (crease_certificate){ .count = p->count, .block = c->block };
    c->objective = crs_f(p, x, work) + crs_regs(p, x, work);
    membership(p, x, c, work);
}

static void finish(crease_certificate *c)
{
    if (!isfinite(c->objective) || !isfinite(c->outside)) c->worst = c->worst_relative = NAN;
}

void crease_certify(const crease_problem *p, const double *const *x, const double *lambda,
                    crease_certificate *c, double *work)
{
    double top = 0;
    begin(p, x, c, work);
    for (int i = 0; i < p->count; i++) {
        c->block[i] = certify_block(p, x, lambda, i, work);
        top = larger(top, c->block[i].scale);
    }
    for (int i = 0; i < p->count; i++) include(c, &c->block[i], least_share * top);
    if (p->range.order > 0) {
        c->feasibility = feasibility(p, x, work);
        include(c, &c->feasibility, 0);
    }
    finish(c);
}

void crs_certify_gap(const crease_problem *p, const double *const *x, crease_certificate *c,
                     double *room)
{
    const ptrdiff_t n = crs_largest_block(p);
    double *g = room, *y = g + n, *work = y + n, sum = 0, scale = 0;
    begin(p, x, c, room);
    for (int i = 0; i < p->count; i++) { /* <c,x> + r(x) - min_y <c,y> + r(y) */
        const crease_reg *r = crs_reg_of(p, i);
        const crease_set *set = p->block[i].set;
        const crease_space *s = &p->space[i];
        crs_grad(p, x, i, g, work);
        const double least = crease_lmo_with(set, r, s, g, y, work);
        const double here = crease_dot(s, g, x[i]) + r->ops->value(r, s, x[i], work);
        crease_residual *out = &c->block[i];
        *out = (crease_residual){ .setting = 1, .residual = pos(here - least) };
        out->scale = crease_norm(s, g) * set->ops->diameter(set, s, 2) + fabs(here) + fabs(least);
        out->rounding = 4 * unit * out->scale;
        out->residual += out->rounding;
        sum += out->residual;
        scale += out->scale;
    }
    c->worst = sum;
    c->worst_relative = sum == 0 ? 0 : sum / scale;
    finish(c);
}

bool crease_certify_gcg(const crease_problem *p, const double *const *x, double *psi,
                        crease_error *e)
{
    if (!crease_problem_check(p, e)) return false;
    for (int i = 0; i < p->count; i++) {
        if (!p->block[i].set)
            return crs_fail(e, CREASE_UNSUPPORTED, "block %d has no set; gcg needs compact sets",
                            i + 1);
        if (!crease_lmo_with_check(p->block[i].set, crs_reg_of(p, i), &p->space[i], e))
            return false;
    }
    crease_certificate c = { .block = crs_alloc((size_t)p->count, sizeof *c.block) };
    double *work = crs_doubles(crs_certify_room(p, true), "a certificate", e);
    const bool done = c.block && work;
    if (done) {
        crs_certify_gap(p, x, &c, work);
        *psi = -c.worst;
    } else {
        crs_fail(e, CREASE_NO_MEMORY, "out of memory: a certificate of %d blocks", p->count);
    }
    crs_free(c.block);
    crs_free(work);
    return done;
}

bool crease_certify_hong(const crease_problem *p, const double *const *x, const double *lambda,
                         double beta, double *q, crease_error *e)
{
    if (!crease_problem_check(p, e)) return false;
    if (p->range.order == 0)
        return crs_fail(e, CREASE_UNSUPPORTED,
                        "Hong's Q is about a constraint; this problem has none");
    const ptrdiff_t n = crs_largest_block(p), m = crease_size(&p->range);
    double *room = crs_doubles(2 * n + m + crs_problem_scratch(p), "Hong's Q", e);
    if (!room) return false;
    double *c = room, *t = c + n, *s = t + n, *work = s + m;
    crs_constraint(p, x, s, work);
    *q = square(crease_norm(&p->range, s));
    for (int i = 0; i < p->count; i++) {
        gradient(p, x, lambda, i, c, t, work);
        crs_adjoint(p, i, beta, s, c, work);
        *q += square(crease_norm(&p->space[i], c));
    }
    crs_free(room);
    return true;
}
