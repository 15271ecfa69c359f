/* SPDX-License-Identifier: MIT
 * joint: a regularizer and a set together: the joint prox and the generalized linear oracle
 *
 * The regularizer is first reduced to what it is on the set, alpha (base + (nu/2)|x|^2): factors
 * and squares are taken off, a nonnegative version is the plain one on a nonnegative set, an
 * indicator that holds everywhere on the set is zero there, and so is anything with lambda = 0.
 * Then the first rule of a list that fits answers exactly; without one the pair is refused. */
#include <stdio.h>

#include "dense/dense.h"
#include "reg/reg.h"
#include "set/set.h"

/* The regularizer as it acts on the set: alpha (base(x) + (nu/2)|x|^2).
 *   squared-l2   alpha (lambda/2)|x|^2              = alpha (0 + (nu/2)|x|^2)
 *   elastic-net  alpha (lambda1 |x|_1 + (nu/2)|x|^2) */
typedef struct {
    crease_reg base;
    double alpha, nu;
} form;

static bool is_kind(const crease_reg *r, crease_reg_kind kind, const crease_penalty *p)
{
    return r->ops->kind == kind && r->penalty == p;
}

static bool is_made_of(const crease_reg *r, const crease_penalty *p)
{
    return is_kind(r, CREASE_KIND_ENTRIES, p) || is_kind(r, CREASE_KIND_NONNEG, p) ||
           is_kind(r, CREASE_KIND_GROUPS, p) || is_kind(r, CREASE_KIND_SPECTRAL, p);
}

static void become(crease_reg *r, const crease_penalty *p, double lambda)
{
    r->penalty = p;
    fill(CREASE_PARS, 0, r->par);
    r->par[0] = lambda;
}

/* An interval that holds every entry of every point. */
static void range_of(const crease_set *c, const crease_space *s, double *low, double *high)
{
    crease_bounds b;
    *low = -INFINITY, *high = INFINITY;
    if (crs_set_bounds(c, &b)) {
        *low = INFINITY, *high = -INFINITY;
        for (ptrdiff_t j = 0, n = crease_size(s); j < n; j++) {
            *low = smaller(*low, lower_at(&b, j));
            *high = larger(*high, upper_at(&b, j));
        }
    } else if (c->ops->range) {
        c->ops->range(c, s, low, high);
    }
    *low = -crease_max(s, -*low);
    *high = crease_max(s, *high);
}

static bool is_nonnegative(const crease_set *c, const crease_space *s)
{
    double low, high;
    range_of(c, s, &low, &high);
    return c->ops->nonnegative || low >= 0;
}

static bool indicator_holds(const crease_reg *r, const crease_set *c, const crease_space *s)
{
    double low, high;
    if (r->ops->kind != CREASE_KIND_RANGE) return false;
    range_of(c, s, &low, &high);
    return r->par[0] <= low && high <= r->par[1];
}

static bool vanishes(const crease_reg *r, const crease_space *s)
{
    crease_reg_traits traits;
    if (!r->ops->homogeneous) return false;
    r->ops->traits(r, s, INFINITY, &traits);
    return traits.lipschitz == 0;
}

static form form_on(const crease_reg *r, const crease_set *c, const crease_space *s)
{
    form f = { .alpha = 1 };
    for (; r->ops->kind == CREASE_KIND_SCALED; r = r->data) f.alpha *= r->par[0];
    f.base = *r;
    crease_reg *base = &f.base;
    if (is_made_of(base, &crs_squared_l2) && !base->weight) {
        f.nu = base->par[0];
        become(base, &crs_zero, 0);
    }
    if (is_made_of(base, &crs_elastic_net) && !base->weight) {
        f.nu = base->par[1];
        become(base, &crs_l1, base->par[0]);
    }
    if (is_made_of(base, &crs_l1) && base->par[0] == 0) become(base, &crs_zero, 0);
    if (base->ops->kind == CREASE_KIND_NONNEG && is_nonnegative(c, s))
        base->ops = &crs_separable_ops;
    if (indicator_holds(base, c, s) || vanishes(base, s)) *base = crease_zero();
    return f;
}

static bool is_zero(const crease_reg *base)
{
    return is_made_of(base, &crs_zero) && base->ops->kind != CREASE_KIND_NONNEG;
}

/* sum_j lambda_j |x_j|; the same, or zero, on x >= 0; sum_j lambda sigma_j(X) */
static bool is_l1(const crease_reg *base) { return is_kind(base, CREASE_KIND_ENTRIES, &crs_l1); }

static bool is_nonneg_l1(const crease_reg *base)
{
    return is_kind(base, CREASE_KIND_NONNEG, &crs_l1) ||
           is_kind(base, CREASE_KIND_NONNEG, &crs_zero);
}

static bool is_nuclear(const crease_reg *base)
{
    return is_kind(base, CREASE_KIND_SPECTRAL, &crs_l1);
}

static double l1_at(const crease_reg *base, ptrdiff_t j)
{
    return base->par[0] * reg_weight(base, j);
}

/* Can the set be asked with numbers alone, on this space? */
static bool is_spelled(const crease_set_ops *o, const crease_space *s)
{
    return !o->combined && !o->vector && (!o->matrix || s->order == 2);
}

/* The names of the sets of the catalogue that `accepts` r, joined by commas, into text. */
typedef bool acceptance(const crease_reg *r, const crease_set *c, const crease_space *s);

static void name_partners(acceptance *accepts, const crease_reg *r, const crease_space *s,
                          char *text, size_t size)
{
    size_t used = 0;
    snprintf(text, size, "none of the catalogue");
    for (int k = 0; k < crease_set_count(); k++) {
        const crease_set c = { .ops = crease_set_at(k), .par = { 1, 1 } };
        if (!is_spelled(c.ops, s) || !accepts(r, &c, s)) continue;
        const int n = snprintf(text + used, size - used, "%s%s", used ? ", " : "", c.ops->name);
        if (n < 0 || (size_t)n >= size - used) return;
        used += (size_t)n;
    }
}

/* x, the base's v on entry, becomes the minimizer. */
typedef void rule_prox(const crease_reg *base, const crease_set *c, const crease_space *s, double t,
                       double *x, double *work);

static void only_project(const crease_reg *base, const crease_set *c, const crease_space *s,
                         double t, double *x, double *work)
{
    (void)base, (void)t;
    c->ops->project(c, s, x, x, work);
}

static void prox_in_box(const crease_reg *base, const crease_set *c, const crease_space *s,
                        double t, double *x, double *work)
{
    crease_bounds b;
    crs_set_bounds(c, &b);
    base->ops->prox_box(base, s, t, &b, x, x, work);
}

static void in_l2_ball(const crease_reg *base, const crease_set *c, const crease_space *s, double t,
                       double *x, double *work)
{
    base->ops->prox_ball(base, s, t, c->par[0], x, x, work);
}

static void in_spectral_ball(const crease_reg *base, const crease_set *c, const crease_space *s,
                             double t, double *x, double *work)
{
    crs_spectral_prox_spectral_ball(base, s, t, c->par[0], x, x, work);
}

static void prox_then_project(const crease_reg *base, const crease_set *c, const crease_space *s,
                              double t, double *x, double *work)
{
    base->ops->prox(base, s, t, x, x, work);
    c->ops->project(c, s, x, x, work);
}

static void in_row(const crease_reg *base, const crease_set *c, const crease_space *s, double t,
                   double *x, double *work)
{
    const crease_row row = c->ops->row(c);
    (void)work;
    crs_row_prox(&row, base, s, t, x);
}

/* Signs are those of v, the magnitudes are on {y >= 0, sum y <= R}. */
static void in_l1_ball(const crease_reg *base, const crease_set *c, const crease_space *s, double t,
                       double *x, double *work)
{
    const crease_row row = { .box = { .high = INFINITY }, .b = c->par[0] };
    const ptrdiff_t n = crease_size(s);
    copy(n, x, work);
    crs_magnitudes(n, x, x);
    crs_row_prox(&row, base, s, t, x);
    for (ptrdiff_t j = 0; j < n; j++) x[j] = copysign(x[j], work[j]);
}

static void shift_then_project(const crease_reg *base, const crease_set *c, const crease_space *s,
                               double t, double *x, double *work)
{
    const bool constant = c->ops->fixed_sum && !base->weight; /* r itself is constant */
    for (ptrdiff_t j = 0, n = crease_size(s); j < n && !constant; j++) x[j] -= t * l1_at(base, j);
    c->ops->project(c, s, x, x, work);
}

/* Steps below this are admissible in the l2 ball. */
static double ball_step(const crease_reg *base, const crease_set *c, const crease_space *s)
{
    crease_reg_traits traits;
    base->ops->traits(base, s, c->par[0], &traits);
    return traits.ball_step;
}

/* Steps below this are admissible on a row: the problem is then strongly convex. */
static double row_step(const crease_reg *base, const crease_space *s)
{
    crease_reg_traits traits;
    if (base->ops->kind != CREASE_KIND_ENTRIES || !base->penalty) return 0;
    base->ops->traits(base, s, INFINITY, &traits);
    return 1 / traits.weak_convexity;
}

/* With r = alpha (base + (nu/2)|x|^2) the square goes into the quadratic: the base's problem at
 * v/(1 + T nu) with step T/(1 + T nu), T = alpha t. The base then meets the first rule it fits:
 *   zero on any set            the projection
 *   a box                      the base's own prox_box
 *   the l2 ball                the base's own prox_ball, for steps below its ball_step
 *   spectral, spectral ball    the scalar problem on [0, R] for each singular value
 *   l1, solid set              prox, then projection: with the signs of v the problem is the
 *                              projection of |v| - t lambda, and zeros stay zeros
 *   nuclear, nuclear ball      the same on the singular values
 *   l1, nonnegative set        r is linear there: v - t lambda, then projection
 *   r by entries, row on a box, or l1 ball
 *                              one multiplier (row.c), for steps below row_step */
static rule_prox *find_prox(const crease_reg *base, const crease_set *c, const crease_space *s)
{
    crease_bounds b;
    const crease_set_ops *o = c->ops;
    if (is_zero(base) && o->project) return only_project;
    if (base->ops->prox_box && crs_set_bounds(c, &b)) return prox_in_box;
    if (base->ops->prox_ball && o->ball == CREASE_BALL_L2 && ball_step(base, c, s) > 0)
        return in_l2_ball;
    if (base->ops->kind == CREASE_KIND_SPECTRAL && o->ball == CREASE_BALL_SPECTRAL)
        return in_spectral_ball;
    if (!o->project) return NULL;
    if (o->solid && (is_l1(base) || is_nonneg_l1(base))) return prox_then_project;
    if (is_nuclear(base) && o->ball == CREASE_BALL_NUCLEAR) return prox_then_project;
    if (is_l1(base) && is_nonnegative(c, s)) return shift_then_project;
    if (o->row && row_step(base, s) > 0) return in_row;
    if (o->ball == CREASE_BALL_L1 && row_step(base, s) > 0) return in_l1_ball;
    return NULL;
}

/* The supremum of the steps for which it is exact. */
static double step_of(rule_prox *rule, const form *f, const crease_set *c, const crease_space *s)
{
    if (rule == in_l2_ball) return ball_step(&f->base, c, s) / f->alpha;
    return rule == in_row || rule == in_l1_ball ? row_step(&f->base, s) / f->alpha : INFINITY;
}

static bool prox_accepts(const crease_reg *r, const crease_set *c, const crease_space *s)
{
    const form f = form_on(r, c, s);
    return find_prox(&f.base, c, s) != NULL;
}

bool crease_joint_check(const crease_reg *r, const crease_set *c, const crease_space *s,
                        double *max_step, crease_error *e)
{
    if (!crease_reg_check(r, s, e) || !crease_set_check(c, s, e)) return false;
    const form f = form_on(r, c, s);
    rule_prox *rule = find_prox(&f.base, c, s);
    if (!rule) {
        char partners[200];
        name_partners(prox_accepts, r, s, partners, sizeof partners);
        return crs_fail(e, CREASE_UNSUPPORTED,
                        "%s and the set %s have no exact joint prox; sets that have one with it: "
                        "%s",
                        crs_reg_name(r), c->ops->name, partners);
    }
    if (max_step) *max_step = step_of(rule, &f, c, s);
    return true;
}

ptrdiff_t crease_joint_scratch(const crease_reg *r, const crease_set *c, const crease_space *s)
{
    const form f = form_on(r, c, s);
    const ptrdiff_t reg = crease_reg_scratch(&f.base, s), set = crease_set_scratch(c, s);
    return reg > set ? reg : set;
}

void crease_joint_prox(const crease_reg *r, const crease_set *c, const crease_space *s, double t,
                       const double *v, double *x, double *work)
{
    const form f = form_on(r, c, s);
    const double T = f.alpha * t, damping = 1 + T * f.nu;
    for (ptrdiff_t j = 0, n = crease_size(s); j < n; j++) x[j] = v[j] / damping;
    find_prox(&f.base, c, s)(&f.base, c, s, T / damping, x, work);
}

/* y minimizes <g, y> + r(y); returns the minimum. y is not g. */
typedef double rule_lmo(const form *f, const crease_set *c, const crease_space *s, const double *g,
                        double *y, double *work);

/* <g, y> + alpha (base(y) + (nu/2)|y|^2) */
static double form_value(const form *f, const crease_space *s, const double *g, const double *y,
                         double *work)
{
    const double base = f->base.ops->value(&f->base, s, y, work);
    const double squares = f->nu > 0 ? f->nu / 2 * crease_dot(s, y, y) : 0;
    return crease_dot(s, g, y) + f->alpha * (base + squares);
}

/* z becomes -d; returns the gain max <z, d>. */
static double maximize(const crease_set *c, ptrdiff_t k, double *z)
{
    const double R = c->par[0], norm = crs_norm(k, z);
    double gain = 0;
    for (ptrdiff_t j = 0; j < k; j++) {
        const double d = c->ops->ball == CREASE_BALL_L2 ? (norm > 0 ? R * (z[j] / norm) : 0)
                         : c->ops->ball == CREASE_BALL_SPECTRAL || j == 0 ? (z[j] > 0 ? R : 0)
                                                                          : 0;
        gain += z[j] * d;
        z[j] = -d;
    }
    return gain;
}

/* Y minimizes <G, Y> + lambda sum_j sigma_j(Y) over a ball of radius R. With G = U diag(sigma) V'
 * and z = max(sigma - lambda, 0), Y = -U diag(d) V':
 *   nuclear ball    d = R e_1 if z_1 > 0        minimum -R z_1
 *   spectral ball   d_j = R where z_j > 0       minimum -R sum z_j
 *   Frobenius ball  d = R z/|z|                 minimum -R |z| */
static double lmo_nuclear(const form *f, const crease_set *c, const crease_space *s,
                          const double *g, double *y, double *work)
{
    const double lambda = f->alpha * f->base.par[0];
    crs_thin svd;
    if (!crs_thin_svd(s->dim[0], s->dim[1], g, work, &svd)) {
        fill(crease_size(s), NAN, y);
        return NAN;
    }
    for (ptrdiff_t j = 0; j < svd.k; j++) svd.s[j] = pos(svd.s[j] - lambda);
    const double gain = maximize(c, svd.k, svd.s);
    crs_thin_compose(&svd, svd.s, y);
    return -gain;
}

static double joint(const form *f, const crease_set *c, const crease_space *s, const double *g,
                    double *y, double *work)
{
    for (ptrdiff_t j = 0, n = crease_size(s); j < n; j++) y[j] = -g[j] / (f->alpha * f->nu);
    crease_joint_prox(&f->base, c, s, 1 / f->nu, y, y, work);
    return form_value(f, s, g, y, work);
}

static double plain(const form *f, const crease_set *c, const crease_space *s, const double *g,
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

static double lmo_in_box(const form *f, const crease_set *c, const crease_space *s, const double *g,
                         double *y, double *work)
{
    crease_bounds b;
    crs_set_bounds(c, &b);
    for (ptrdiff_t j = 0, n = crease_size(s); j < n; j++)
        y[j] = vertex(g[j], f->alpha * l1_at(&f->base, j), lower_at(&b, j), upper_at(&b, j));
    return form_value(f, s, g, y, work);
}

/* Where z_j = 0 the oracle may answer anything, and r wants 0. */
static double by_moreau(const form *f, const crease_set *c, const crease_space *s, const double *g,
                        double *y, double *work)
{
    const ptrdiff_t n = crease_size(s);
    double *z = work, *rest = work + n;
    for (ptrdiff_t j = 0; j < n; j++) z[j] = -g[j];
    f->base.ops->prox(&f->base, s, f->alpha, z, z, rest);
    for (ptrdiff_t j = 0; j < n; j++) y[j] = -z[j];
    c->ops->lmo(c, s, y, y, rest);
    for (ptrdiff_t j = 0; j < n; j++) y[j] = z[j] == 0 && !isnan(y[j]) ? 0 : y[j];
    return form_value(f, s, g, y, rest);
}

static double by_shift(const form *f, const crease_set *c, const crease_space *s, const double *g,
                       double *y, double *work)
{
    const bool constant = c->ops->fixed_sum && !f->base.weight; /* r itself is constant */
    for (ptrdiff_t j = 0, n = crease_size(s); j < n; j++)
        y[j] = g[j] + (constant ? 0 : f->alpha * l1_at(&f->base, j));
    c->ops->lmo(c, s, y, y, work);
    return form_value(f, s, g, y, work);
}

static bool is_homogeneous(const crease_reg *base)
{
    return base->ops->homogeneous || is_nonneg_l1(base) ||
           is_kind(base, CREASE_KIND_GROUPS, &crs_l1);
}

static bool is_matrix_ball(const crease_set *c)
{
    const crease_ball ball = c->ops->ball;
    return ball == CREASE_BALL_L2 || ball == CREASE_BALL_NUCLEAR || ball == CREASE_BALL_SPECTRAL;
}

static bool is_bounded(const crease_set *c, const crease_space *s)
{
    return c->ops->diameter(c, s, 2) < INFINITY;
}

/* The first rule that fits:
 *   nu > 0                     the joint prox of the base at -g/(alpha nu), step 1/nu
 *   zero on a compact set      the linear oracle
 *   nuclear, matrix balls      lmo_nuclear
 *   l1, box                    per entry: u, l, or the point nearest 0
 *   l1, solid set, or a homogeneous r on the l2 ball
 *                              z = prox_{alpha base}(-g), y = LMO(-z): the minimum is
 *                              -support(z), by Moreau's decomposition
 *   l1, nonnegative set        the linear oracle at g + alpha lambda */
static rule_lmo *find_lmo(const form *f, const crease_set *c, const crease_space *s)
{
    crease_bounds b;
    const crease_reg *base = &f->base;
    const bool l1 = is_l1(base);
    if (c->ops->nonconvex) return NULL; /* an oracle is for its hull, which is everything */
    if (f->nu > 0) return prox_accepts(base, c, s) ? joint : NULL;
    if (!is_bounded(c, s)) return NULL;
    if (is_zero(base)) return plain;
    if (is_nuclear(base) && is_matrix_ball(c)) return lmo_nuclear;
    if (l1 && crs_set_bounds(c, &b)) return lmo_in_box;
    if (c->ops->solid && (l1 || is_nonneg_l1(base))) return by_moreau;
    if (c->ops->ball == CREASE_BALL_L2 && is_homogeneous(base)) return by_moreau;
    if (l1 && is_nonnegative(c, s)) return by_shift;
    return NULL;
}

static bool lmo_accepts(const crease_reg *r, const crease_set *c, const crease_space *s)
{
    const form f = form_on(r, c, s);
    return find_lmo(&f, c, s) != NULL;
}

bool crease_lmo_with_check(const crease_set *c, const crease_reg *r, const crease_space *s,
                           crease_error *e)
{
    if (!crease_reg_check(r, s, e) || !crease_set_check(c, s, e)) return false;
    if (lmo_accepts(r, c, s)) return true;
    if (c->ops->nonconvex)
        return crs_fail(e, CREASE_UNSUPPORTED,
                        "the set %s is not convex, so %s has no linear oracle on it; use a method "
                        "that projects",
                        c->ops->name, crs_reg_name(r));
    if (!is_bounded(c, s))
        return crs_fail(e, CREASE_UNSUPPORTED,
                        "the set %s is unbounded, so %s may have no minimum on it after a linear "
                        "term; give finite bounds, or add a squared-l2 part",
                        c->ops->name, crs_reg_name(r));
    char partners[200];
    name_partners(lmo_accepts, r, s, partners, sizeof partners);
    return crs_fail(e, CREASE_UNSUPPORTED,
                    "%s and the set %s have no closed-form linear oracle; sets that have one with "
                    "it: %s",
                    crs_reg_name(r), c->ops->name, partners);
}

/* A copy of g, since y may be g; one more vector; and what the parts need. */
ptrdiff_t crease_lmo_with_scratch(const crease_set *c, const crease_reg *r, const crease_space *s)
{
    const form f = form_on(r, c, s);
    const ptrdiff_t joint_work = crease_joint_scratch(&f.base, c, s);
    return 2 * crease_size(s) + joint_work;
}

double crease_lmo_with(const crease_set *c, const crease_reg *r, const crease_space *s,
                       const double *g, double *y, double *work)
{
    const ptrdiff_t n = crease_size(s);
    const form f = form_on(r, c, s);
    copy(n, g, work);
    return find_lmo(&f, c, s)(&f, c, s, work, y, work + n);
}

/* dist(g, d(r + indicator)(x)) */
typedef double rule_dist(const crease_reg *r, const crease_set *c, const crease_space *s,
                         const double *x, const double *g, double *work);

static double dist_in_box(const crease_reg *r, const crease_set *c, const crease_space *s,
                          const double *x, const double *g, double *work)
{
    crease_bounds b;
    crs_set_bounds(c, &b);
    return r->ops->dist_box(r, s, &b, x, g, work);
}

static double dist_on_row(const crease_reg *r, const crease_set *c, const crease_space *s,
                          const double *x, const double *g, double *work)
{
    const ptrdiff_t n = crease_size(s);
    const form f = form_on(r, c, s);
    const crease_row row = c->ops->row(c);
    for (ptrdiff_t j = 0; j < n; j++) work[j] = g[j] / f.alpha - f.nu * x[j];
    return f.alpha * crs_row_dist(&row, &f.base, s, x, work);
}

/* 0 where r is not by entries. */
double crs_joint_multiplier(const crease_reg *r, const crease_set *c, const crease_space *s,
                            const double *x, const double *g, double *work)
{
    const ptrdiff_t n = crease_size(s);
    const form f = form_on(r, c, s);
    const crease_row row = c->ops->row(c);
    if (f.base.ops->kind != CREASE_KIND_ENTRIES || !f.base.penalty) return 0;
    for (ptrdiff_t j = 0; j < n; j++) work[j] = g[j] / f.alpha - f.nu * x[j];
    return f.alpha * crs_row_multiplier(&row, &f.base, s, x, work);
}

static double dist_of_squares(const crease_reg *r, const crease_set *c, const crease_space *s,
                              const double *x, const double *g, double *work)
{
    const ptrdiff_t n = crease_size(s);
    const form f = form_on(r, c, s);
    for (ptrdiff_t j = 0; j < n; j++) work[j] = g[j] - f.alpha * f.nu * x[j];
    return c->ops->dist_normal(c, s, x, work, work + n);
}

/* A row: the subdifferentials add where r is Lipschitz and weakly convex, so regular. */
static rule_dist *find_dist(const crease_reg *r, const crease_set *c, const crease_space *s)
{
    crease_bounds b;
    const form f = form_on(r, c, s);
    crease_reg_traits traits;
    if (crs_set_bounds(c, &b) && r->ops->dist_box) return dist_in_box;
    if (is_bounded(c, s)) return NULL; /* the gap tells more there */
    if (is_zero(&f.base) && c->ops->dist_normal) return dist_of_squares;
    f.base.ops->traits(&f.base, s, 1, &traits);
    if (c->ops->row && row_step(&f.base, s) > 0 && traits.lipschitz < INFINITY) return dist_on_row;
    return NULL;
}

bool crease_joint_dist_check(const crease_reg *r, const crease_set *c, const crease_space *s)
{
    return find_dist(r, c, s) != NULL;
}

ptrdiff_t crease_joint_dist_scratch(const crease_reg *r, const crease_set *c, const crease_space *s)
{
    const ptrdiff_t reg = crease_reg_scratch(r, s);
    const ptrdiff_t set = crease_size(s) + crease_set_scratch(c, s);
    return reg > set ? reg : set;
}

double crease_joint_dist(const crease_reg *r, const crease_set *c, const crease_space *s,
                         const double *x, const double *g, double *work)
{
    return find_dist(r, c, s)(r, c, s, x, g, work);
}
