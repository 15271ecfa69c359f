/* SPDX-License-Identifier: MIT
 * subgradient: the g in dr(x) with the least variational-inequality gap
 *
 * gap(g) = <c+g, x> + sigma_X(-(c+g)). Any g in dr(x) certifies; the best one certifies the most:
 * - box, separable r: coordinate by coordinate, the least of max((c+g)(x-l), (c+g)(x-u)) over the
 *   projection of -c_j and the two ends of dr_j(x_j);
 * - sets inside x >= 0 like the simplex: the upper end where x_j = 0;
 * - sets whose support is monotone in every |w_j| (balls): the projection of -c, exact when dr(x)
 *   is set-valued at zeros only; the same for group and spectral r on the 2-norm ball;
 * - elsewhere the projection, an upper bound. */
#include "certify/certify.h"
#include "set/set.h"

static const double far = 1e300; /* pulls a projection to the end of an interval */

static void nearest(const crease_problem *p, int i, const double *x, const double *target,
                    double *g, double *work)
{
    const crease_reg *r = crs_reg_of(p, i);
    r->ops->nearest(r, &p->space[i], x, target, g, work);
}

static double gap_on(double w, double x, double low, double high)
{
    return larger(w * (x - low), w * (x - high));
}

/* g_j <- the better of g_j and the candidate other_j */
static void improve(ptrdiff_t n, const crease_bounds *b, const double *x, const double *c,
                    const double *other, double *g)
{
    for (ptrdiff_t j = 0; j < n; j++) {
        const double low = b->lower ? b->lower[j] : b->low, high = b->upper ? b->upper[j] : b->high;
        if (gap_on(c[j] + other[j], x[j], low, high) < gap_on(c[j] + g[j], x[j], low, high))
            g[j] = other[j];
    }
}

static bool at_kink(const crease_reg *r, ptrdiff_t n, const double *x)
{
    const double kink = r->penalty && r->penalty->kink ? r->penalty->kink(r->par) : NAN;
    bool found = false;
    for (ptrdiff_t j = 0; j < n; j++) found = found || fabs(x[j]) == kink;
    return found;
}

void crs_best_subgradient(const crease_problem *p, int i, const double *x, const double *c,
                          double *g, double *t, double *u, double *work, bool *upper_bound)
{
    const crease_reg *r = crs_reg_of(p, i);
    const crease_set *set = p->block[i].set;
    const ptrdiff_t n = crease_size(&p->space[i]);
    const bool positive = set->ops->nonnegative;
    crease_bounds box;
    crease_reg_traits traits;
    r->ops->traits(r, &p->space[i], INFINITY, &traits);
    const bool separable = traits.separable;
    for (ptrdiff_t j = 0; j < n; j++) t[j] = positive && separable && x[j] == 0 ? far : -c[j];
    nearest(p, i, x, t, g, work);
    *upper_bound = !(traits.lipschitz == 0 ||
                     (separable && (positive || set->ops->solid) && !at_kink(r, n, x)) ||
                     (!separable && traits.convex && set->ops->ball == CREASE_BALL_L2));
    if (!separable || !crs_set_bounds(set, &box)) return;
    for (int end = -1; end <= 1; end += 2) {
        fill(n, end * far, t);
        nearest(p, i, x, t, u, work);
        improve(n, &box, x, c, u, g);
    }
    *upper_bound = false;
}
