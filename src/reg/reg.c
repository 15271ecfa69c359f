/* SPDX-License-Identifier: MIT
 * reg: the convenient calls, what the kinds made from a penalty share, and scaled,
 * r(x) = alpha inner(x), alpha > 0
 *
 * prox_{t r} = prox_{(alpha t) inner}; dr = alpha d inner, so dist(g, dr(x)) is alpha times
 * the inner distance of g/alpha. A scaled SCAD or MCP is not one with another lambda. */
#include <crease/catalogue.h>

#include "reg/reg.h"

bool crs_check_penalty(const crease_reg *r, ptrdiff_t count, crease_error *e)
{
    if (!crease_param_check(r->penalty->name, r->penalty->params, r->par, e)) return false;
    for (ptrdiff_t j = 0; r->weight && j < count; j++)
        if (!(r->weight[j] >= 0 && r->weight[j] < INFINITY))
            return crs_fail(e, CREASE_BAD_ARGUMENT,
                            "%s: weight %td is %g; give finite weights >= 0", r->penalty->name,
                            j + 1, r->weight[j]);
    return true;
}

double crs_weight_max(const crease_reg *r, ptrdiff_t count)
{
    double most = r->weight ? 0 : 1;
    for (ptrdiff_t j = 0; r->weight && j < count; j++) most = larger(most, r->weight[j]);
    return most;
}

crease_reg crs_from_penalty(const crease_reg_ops *kind, const crease_penalty *p, const double *par)
{
    crease_reg r = { .ops = kind, .penalty = p };
    for (int k = 0, n = crease_param_count(p->params); k < n; k++) r.par[k] = par[k];
    return r;
}

crease_reg crease_weighted(crease_reg r, const double *weight)
{
    r.weight = weight;
    return r;
}

bool crease_reg_check(const crease_reg *r, const crease_space *s, crease_error *e)
{
    if (!crease_space_check(s, e)) return false;
    if (!r->penalty && !crease_param_check(r->ops->name, r->ops->params, r->par, e)) return false;
    return !r->ops->check || r->ops->check(r, s, e);
}

ptrdiff_t crease_reg_scratch(const crease_reg *r, const crease_space *s)
{
    return r->ops->scratch ? r->ops->scratch(r, s) : 0;
}

/* The scratch memory of r on s after all checks, or NULL with e filled in. */
static double *prepare(const crease_reg *r, const crease_space *s, crease_error *e)
{
    if (!crease_reg_check(r, s, e)) return NULL;
    return crs_doubles(crease_reg_scratch(r, s), "a regularizer", e);
}

bool crease_prox(const crease_reg *r, const crease_space *s, double t, const double *v, double *x,
                 crease_error *e)
{
    if (!(t > 0 && t < INFINITY))
        return crs_fail(e, CREASE_BAD_ARGUMENT, "the step of a prox is %g; give a finite step > 0",
                        t);
    double *work = prepare(r, s, e);
    if (!work) return false;
    r->ops->prox(r, s, t, v, x, work);
    crs_free(work);
    return true;
}

bool crease_reg_value(const crease_reg *r, const crease_space *s, const double *x, double *value,
                      crease_error *e)
{
    double *work = prepare(r, s, e);
    if (!work) return false;
    *value = r->ops->value(r, s, x, work);
    crs_free(work);
    return true;
}

bool crease_reg_dist(const crease_reg *r, const crease_space *s, const double *x, const double *g,
                     double *dist, crease_error *e)
{
    double *work = prepare(r, s, e);
    if (!work) return false;
    *dist = r->ops->dist(r, s, x, g, work);
    crs_free(work);
    return true;
}

bool crease_reg_describe(const crease_reg *r, const crease_space *s, double radius,
                         crease_reg_traits *out, crease_error *e)
{
    if (!crease_reg_check(r, s, e)) return false;
    r->ops->traits(r, s, radius, out);
    return true;
}

static const crease_reg_entry list[] = {
#define PENALTY(symbol, name)                                                                      \
    { name, &crs_separable_ops, &crs_##symbol }, { "group-" name, &crs_group_ops, &crs_##symbol }, \
        { "spectral-" name, &crs_spectral_ops, &crs_##symbol },                                    \
        { "nonneg-" name, &crs_nonneg_ops, &crs_##symbol },
#define ALIAS(name, kind, symbol) { name, &crs_##kind##_ops, &crs_##symbol },
#define REG(symbol, name)         { name, &crs_##symbol##_ops, NULL },
#include "reg/list.def"
#undef PENALTY
#undef ALIAS
#undef REG
};

int crease_reg_count(void) { return (int)(sizeof list / sizeof *list); }
const crease_reg_entry *crease_reg_at(int k) { return &list[k]; }
static const char *name_at(int k) { return list[k].name; }

const crease_param *crease_reg_params(const crease_reg_entry *entry)
{
    return entry->penalty && !entry->ops->vector ? entry->penalty->params : entry->ops->params;
}

bool crease_reg_from_spec(const crease_spec *spec, crease_reg *r, crease_error *e)
{
    const int k = crs_find("regularizer", spec->name, crease_reg_count(), name_at, e);
    if (k < 0) return false;
    const crease_param *params = crease_reg_params(&list[k]);
    const char *vector = list[k].ops->vector;
    if (!crs_spec_fits(spec, params, vector, e)) return false;

    const int n = crease_param_count(params);
    *r = (crease_reg){ .ops = list[k].ops, .penalty = list[k].penalty };
    if (vector && r->penalty) fill(CREASE_PARS, 1, r->par);
    for (int i = 0; i < n; i++) r->par[i] = spec->value[i];
    if (vector && spec->count > n) r->weight = spec->value + n;
    return crease_param_check(list[k].name, params, r->par, e);
}

const char *crs_reg_name(const crease_reg *r)
{
    r = crs_unscaled(r);
    for (int k = crease_reg_count(); k-- > 0;) { /* from the end: "nuclear" before "spectral-l1" */
        const crease_reg_entry *entry = crease_reg_at(k);
        if (entry->ops == r->ops && entry->penalty == r->penalty) return entry->name;
    }
    return r->ops->name;
}

double crs_reg_size(const crease_reg *r, const crease_space *s, const double *x, double *work)
{
    const crease_reg *base = crs_unscaled(r);
    double weight = 1;
    if (base->ops->kind != CREASE_KIND_SPECTRAL) return r->ops->value(r, s, x, work);
    for (; r != base; r = r->data) weight *= r->par[0];
    return weight * base->penalty->value(base->par, crease_norm(s, x));
}

static bool usable(int n, const double *before, const double *after)
{
    for (int k = 0; k < n; k++)
        if (!isfinite(after[k]) != !isfinite(before[k]) || (after[k] == 0) != (before[k] == 0))
            return false;
    return true;
}

bool crs_reg_rescale(const crease_reg *r, double u, crease_reg *out)
{
    *out = *r;
    if (r->penalty) {
        r->penalty->rescale(r->par, u, out->par);
        return usable(crease_param_count(r->penalty->params), r->par, out->par);
    }
    if (crs_is_kind(r, CREASE_KIND_RANGE)) {
        for (int k = 0; k < 2; k++) out->par[k] = u * r->par[k];
        return usable(2, r->par, out->par);
    }
    if (r->ops->homogeneous) *out = crease_scaled(u, r);
    return r->ops->homogeneous;
}

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
