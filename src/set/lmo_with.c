/* SPDX-License-Identifier: MIT
 * lmo_with: y minimizes <g, y> + r(y) over a set, r convex, and the minimum
 *
 * With r = alpha (base + (nu/2)|y|^2) as in pair.h, the first rule that fits:
 *   nu > 0                     the joint prox of the base at -g/(alpha nu), step 1/nu
 *   zero on a compact set      the linear oracle
 *   nuclear, matrix balls      lmo_spectral.c
 *   l1, box                    per entry: u, l, or the point nearest 0
 *   l1, solid set, or a homogeneous r on the l2 ball
 *                              z = prox_{alpha base}(-g), y = LMO(-z): the minimum is
 *                              -support(z), by Moreau's decomposition
 *   l1, nonnegative set        the linear oracle at g + alpha lambda */
#include "set/lmo_with.h"

static double joint(const crs_form *f, const crease_set *c, const crease_space *s, const double *g,
                    double *y, double *work)
{
    for (ptrdiff_t j = 0, n = crease_size(s); j < n; j++) y[j] = -g[j] / (f->alpha * f->nu);
    crease_joint_prox(&f->base, c, s, 1 / f->nu, y, y, work);
    return crs_form_value(f, s, g, y, work);
}

static double plain(const crs_form *f, const crease_set *c, const crease_space *s, const double *g,
                    double *y, double *work)
{
    (void)f;
    c->ops->lmo(c, s, g, y, work);
    return crease_dot(s, g, y);
}

static double vertex(double g, double lambda, double low, double high)
{
    if (isnan(g)) return g;
    return g + lambda < 0 ? high : g - lambda > 0 ? low : clip(0, low, high);
}

static double in_box(const crs_form *f, const crease_set *c, const crease_space *s, const double *g,
                     double *y, double *work)
{
    crease_bounds b;
    crs_set_bounds(c, &b);
    for (ptrdiff_t j = 0, n = crease_size(s); j < n; j++)
        y[j] = vertex(g[j], f->alpha * crs_l1_at(&f->base, j), lower_at(&b, j), upper_at(&b, j));
    return crs_form_value(f, s, g, y, work);
}

/* Where z_j = 0 the oracle may answer anything, and r wants 0. */
static double by_moreau(const crs_form *f, const crease_set *c, const crease_space *s,
                        const double *g, double *y, double *work)
{
    const ptrdiff_t n = crease_size(s);
    double *z = work, *rest = work + n;
    for (ptrdiff_t j = 0; j < n; j++) z[j] = -g[j];
    f->base.ops->prox(&f->base, s, f->alpha, z, z, rest);
    for (ptrdiff_t j = 0; j < n; j++) y[j] = -z[j];
    c->ops->lmo(c, s, y, y, rest);
    for (ptrdiff_t j = 0; j < n; j++) y[j] = z[j] == 0 && !isnan(y[j]) ? 0 : y[j];
    return crs_form_value(f, s, g, y, rest);
}

static double by_shift(const crs_form *f, const crease_set *c, const crease_space *s,
                       const double *g, double *y, double *work)
{
    const bool constant = crs_set_fixed_sum(c) && !f->base.weight; /* r itself is constant */
    for (ptrdiff_t j = 0, n = crease_size(s); j < n; j++)
        y[j] = g[j] + (constant ? 0 : f->alpha * crs_l1_at(&f->base, j));
    c->ops->lmo(c, s, y, y, work);
    return crs_form_value(f, s, g, y, work);
}

/* <g, y> + alpha (base(y) + (nu/2)|y|^2) */
double crs_form_value(const crs_form *f, const crease_space *s, const double *g, const double *y,
                      double *work)
{
    const double base = f->base.ops->value(&f->base, s, y, work);
    const double squares = f->nu > 0 ? f->nu / 2 * crease_dot(s, y, y) : 0;
    return crease_dot(s, g, y) + f->alpha * (base + squares);
}

static bool is_homogeneous(const crease_reg *base)
{
    return crs_is_nonneg_l1(base) || base->ops == &crs_tv1d_ops ||
           (base->ops == &crs_group_ops && base->penalty == &crs_l1);
}

static bool is_bounded(const crease_set *c, const crease_space *s)
{
    return c->ops->diameter(c, s, 2) < INFINITY;
}

static crs_lmo_rule *find_rule(const crs_form *f, const crease_set *c, const crease_space *s)
{
    crease_bounds b;
    const crease_reg *base = &f->base;
    const bool l1 = crs_is_l1(base);
    if (f->nu > 0) return crs_joint_accepts(base, c, s) ? joint : NULL;
    if (!is_bounded(c, s)) return NULL;
    if (crs_is_zero(base)) return plain;
    if (crs_is_nuclear(base) && crs_is_matrix_ball(c)) return crs_lmo_nuclear;
    if (l1 && crs_set_bounds(c, &b)) return in_box;
    if (crs_set_solid(c) && (l1 || crs_is_nonneg_l1(base))) return by_moreau;
    if (c->ops == &crs_l2_ball_ops && is_homogeneous(base)) return by_moreau;
    if (l1 && crs_set_nonnegative(c, s)) return by_shift;
    return NULL;
}

static bool accepts(const crease_reg *r, const crease_set *c, const crease_space *s)
{
    const crs_form f = crs_form_on(r, c, s);
    return find_rule(&f, c, s) != NULL;
}

bool crease_lmo_with_check(const crease_set *c, const crease_reg *r, const crease_space *s,
                           crease_error *e)
{
    if (!crease_reg_check(r, s, e) || !crease_set_check(c, s, e)) return false;
    if (accepts(r, c, s)) return true;
    if (!is_bounded(c, s))
        return crs_fail(e, CREASE_UNSUPPORTED,
                        "the set %s is unbounded, so %s may have no minimum on it after a linear "
                        "term; give finite bounds, or add a squared-l2 part",
                        c->ops->name, crs_reg_title(r));
    char partners[200];
    crs_name_partners(accepts, r, s, partners, sizeof partners);
    return crs_fail(e, CREASE_UNSUPPORTED,
                    "%s and the set %s have no closed-form linear oracle; sets that have one with "
                    "it: %s",
                    crs_reg_title(r), c->ops->name, partners);
}

/* A copy of g, since y may be g; one more vector; and what the parts need. */
ptrdiff_t crease_lmo_with_scratch(const crease_set *c, const crease_reg *r, const crease_space *s)
{
    const crs_form f = crs_form_on(r, c, s);
    const ptrdiff_t joint_work = crease_joint_scratch(&f.base, c, s);
    return 2 * crease_size(s) + joint_work;
}

double crease_lmo_with(const crease_set *c, const crease_reg *r, const crease_space *s,
                       const double *g, double *y, double *work)
{
    const ptrdiff_t n = crease_size(s);
    const crs_form f = crs_form_on(r, c, s);
    copy(n, g, work);
    return find_rule(&f, c, s)(&f, c, s, work, y, work + n);
}
