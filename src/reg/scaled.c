/* SPDX-License-Identifier: MIT
 * scaled: r(x) = alpha inner(x), alpha > 0
 *
 * prox_{t r} = prox_{(alpha t) inner}; dr = alpha d inner, so dist(g, dr(x)) is alpha times
 * the inner distance of g/alpha. A scaled SCAD or MCP is not one with another lambda. */
#include "reg/reg.h"

static const crease_reg *inner(const crease_reg *r) { return r->data; }

static bool check(const crease_reg *r, const crease_space *s, crease_error *e)
{
    if (!inner(r))
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "a scaled regularizer has no inner one; give the one to be scaled");
    return crease_reg_check(inner(r), s, e);
}

/* g/alpha, then what the inner operations need. */
static ptrdiff_t scratch(const crease_reg *r, const crease_space *s)
{
    return crease_size(s) + crease_reg_scratch(inner(r), s);
}

static double *divided(const crease_reg *r, ptrdiff_t n, const double *g, double *work)
{
    for (ptrdiff_t j = 0; j < n; j++) work[j] = g[j] / r->par[0];
    return work + n;
}

static double value(const crease_reg *r, const crease_space *s, const double *x, double *work)
{
    return r->par[0] * inner(r)->ops->value(inner(r), s, x, work);
}

static void prox(const crease_reg *r, const crease_space *s, double t, const double *v, double *x,
                 double *work)
{
    inner(r)->ops->prox(inner(r), s, r->par[0] * t, v, x, work);
}

static double dist(const crease_reg *r, const crease_space *s, const double *x, const double *g,
                   double *work)
{
    double *rest = divided(r, crease_size(s), g, work);
    return r->par[0] * inner(r)->ops->dist(inner(r), s, x, work, rest);
}

static void nearest(const crease_reg *r, const crease_space *s, const double *x,
                    const double *toward, double *g, double *work)
{
    const ptrdiff_t n = crease_size(s);
    double *rest = divided(r, n, toward, work);
    inner(r)->ops->nearest(inner(r), s, x, work, g, rest);
    for (ptrdiff_t j = 0; j < n; j++) g[j] *= r->par[0];
}

static void prox_box(const crease_reg *r, const crease_space *s, double t, const crease_bounds *b,
                     const double *v, double *x, double *work)
{
    inner(r)->ops->prox_box(inner(r), s, r->par[0] * t, b, v, x, work);
}

static double dist_box(const crease_reg *r, const crease_space *s, const crease_bounds *b,
                       const double *x, const double *g, double *work)
{
    double *rest = divided(r, crease_size(s), g, work);
    return r->par[0] * inner(r)->ops->dist_box(inner(r), s, b, x, work, rest);
}

static void prox_ball(const crease_reg *r, const crease_space *s, double t, double radius,
                      const double *v, double *x, double *work)
{
    inner(r)->ops->prox_ball(inner(r), s, r->par[0] * t, radius, v, x, work);
}

static void traits(const crease_reg *r, const crease_space *s, double radius,
                   crease_reg_traits *out)
{
    const double alpha = r->par[0];
    inner(r)->ops->traits(inner(r), s, radius, out);
    out->lipschitz *= alpha;
    out->lower *= alpha;
    out->weak_convexity *= alpha;
    out->ball_step /= alpha;
}

static const crease_param params[] = { CREASE_PAR_POSITIVE("alpha", "factor"), { 0 } };

#define COMMON                                                                                     \
    .name = "scaled", .formula = "alpha r(x)", .params = params, .kind = CREASE_KIND_SCALED,       \
    .check = check, .scratch = scratch, .value = value, .prox = prox, .dist = dist,                \
    .traits = traits

#define BOX     .prox_box = prox_box, .dist_box = dist_box
#define BALL    .prox_ball = prox_ball
#define NEAREST .nearest = nearest

/* One table for each set of optional operations that the inner regularizer has, so that a
 * missing one is missing here too: [has nearest][has box][has ball]. */
static const crease_reg_ops table[2][2][2] = {
    { { { COMMON }, { COMMON, BALL } }, { { COMMON, BOX }, { COMMON, BOX, BALL } } },
    { { { COMMON, NEAREST }, { COMMON, NEAREST, BALL } },
      { { COMMON, NEAREST, BOX }, { COMMON, NEAREST, BOX, BALL } } },
};

crease_reg crease_scaled(double alpha, const crease_reg *r)
{
    const bool box = r && r->ops->prox_box && r->ops->dist_box, ball = r && r->ops->prox_ball;
    const bool near = r && r->ops->nearest;
    return (crease_reg){ .ops = &table[near][box][ball], .par = { alpha }, .data = r };
}
