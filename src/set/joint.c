/* SPDX-License-Identifier: MIT
 * joint: the minimizer of r(x) + |x-v|^2/(2t) over a set, where it is exact
 *
 * With r = alpha (base + (nu/2)|x|^2) the square goes into the quadratic: the base's problem at
 * v/(1 + T nu) with step T/(1 + T nu), T = alpha t. The base then meets the first rule it fits:
 *   zero on any set            the projection
 *   a box                      the base's own prox_box
 *   the l2 ball                the base's own prox_ball, for steps below its ball_step
 *   spectral, spectral ball    the scalar problem on [0, R] for each singular value
 *   l1, solid set              prox, then projection: with the signs of v the problem is the
 *                              projection of |v| - t lambda, and zeros stay zeros
 *   nuclear, nuclear ball      the same on the singular values
 *   l1, nonnegative set        r is linear there: v - t lambda, then projection */
#include "reg/reg.h"
#include "set/pair.h"

/* x, the base's v on entry, becomes the minimizer. */
typedef void rule_prox(const crease_reg *base, const crease_set *c, const crease_space *s, double t,
                       double *x, double *work);

static void project(const crease_reg *base, const crease_set *c, const crease_space *s, double t,
                    double *x, double *work)
{
    (void)base, (void)t;
    c->ops->project(c, s, x, x, work);
}

static void in_box(const crease_reg *base, const crease_set *c, const crease_space *s, double t,
                   double *x, double *work)
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

static void shift_then_project(const crease_reg *base, const crease_set *c, const crease_space *s,
                               double t, double *x, double *work)
{
    const bool constant = crs_set_fixed_sum(c) && !base->weight; /* r itself is constant */
    for (ptrdiff_t j = 0, n = crease_size(s); j < n && !constant; j++)
        x[j] -= t * crs_l1_at(base, j);
    c->ops->project(c, s, x, x, work);
}

/* Steps below this are admissible in the l2 ball. */
static double ball_step(const crease_reg *base, const crease_set *c, const crease_space *s)
{
    crease_reg_traits traits;
    base->ops->traits(base, s, c->par[0], &traits);
    return traits.ball_step;
}

static rule_prox *find_rule(const crease_reg *base, const crease_set *c, const crease_space *s)
{
    crease_bounds b;
    const crease_set_ops *o = c->ops;
    if (crs_is_zero(base) && o->project) return project;
    if (base->ops->prox_box && crs_set_bounds(c, &b)) return in_box;
    if (base->ops->prox_ball && o == &crs_l2_ball_ops && ball_step(base, c, s) > 0)
        return in_l2_ball;
    if (base->ops == &crs_spectral_ops && o == &crs_spectral_ball_ops) return in_spectral_ball;
    if (!o->project) return NULL;
    if (crs_set_solid(c) && (crs_is_l1(base) || crs_is_nonneg_l1(base))) return prox_then_project;
    if (crs_is_nuclear(base) && o == &crs_nuclear_ball_ops) return prox_then_project;
    if (crs_is_l1(base) && crs_set_nonnegative(c, s)) return shift_then_project;
    return NULL;
}

bool crs_joint_accepts(const crease_reg *r, const crease_set *c, const crease_space *s)
{
    const crs_form f = crs_form_on(r, c, s);
    return find_rule(&f.base, c, s) != NULL;
}

bool crease_joint_check(const crease_reg *r, const crease_set *c, const crease_space *s,
                        double *max_step, crease_error *e)
{
    if (!crease_reg_check(r, s, e) || !crease_set_check(c, s, e)) return false;
    const crs_form f = crs_form_on(r, c, s);
    rule_prox *rule = find_rule(&f.base, c, s);
    if (!rule) {
        char partners[200];
        crs_name_partners(crs_joint_accepts, r, s, partners, sizeof partners);
        return crs_fail(e, CREASE_UNSUPPORTED,
                        "%s and the set %s have no exact joint prox; sets that have one with it: "
                        "%s",
                        crs_reg_title(r), c->ops->name, partners);
    }
    if (max_step) *max_step = rule == in_l2_ball ? ball_step(&f.base, c, s) / f.alpha : INFINITY;
    return true;
}

ptrdiff_t crease_joint_scratch(const crease_reg *r, const crease_set *c, const crease_space *s)
{
    const crs_form f = crs_form_on(r, c, s);
    const ptrdiff_t reg = crease_reg_scratch(&f.base, s), set = crease_set_scratch(c, s);
    return reg > set ? reg : set;
}

void crease_joint_prox(const crease_reg *r, const crease_set *c, const crease_space *s, double t,
                       const double *v, double *x, double *work)
{
    const crs_form f = crs_form_on(r, c, s);
    const double T = f.alpha * t, damping = 1 + T * f.nu;
    for (ptrdiff_t j = 0, n = crease_size(s); j < n; j++) x[j] = v[j] / damping;
    find_rule(&f.base, c, s)(&f.base, c, s, T / damping, x, work);
}
