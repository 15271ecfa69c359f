/* SPDX-License-Identifier: MIT
 * set: the catalogue of sets, and the convenient calls, which check everything and use memory of
 * their own */
#include <crease/catalogue.h>

#include "set/set.h"

bool crease_set_check(const crease_set *c, const crease_space *s, crease_error *e)
{
    if (!crease_space_check(s, e)) return false;
    if (c->ops->matrix && s->order != 2)
        return crs_fail(e, CREASE_BAD_SHAPE,
                        "%s is a set of matrices but the point has %d dimension%s; give it a shape "
                        "of rows,columns",
                        c->ops->name, s->order, s->order == 1 ? "" : "s");
    return crease_param_check(c->ops->name, c->ops->params, c->par, e) &&
           (!c->ops->check || c->ops->check(c, s, e));
}

bool crs_check_whole(const crease_set *c, const crease_space *s, crease_error *e)
{
    return !s->comm ||
           crs_fail(e, CREASE_UNSUPPORTED,
                    "%s compares all entries with each other and so needs the whole vector in one "
                    "process; keep this block on one rank, or use a box or an l2, lp or linf ball",
                    c->ops->name);
}

bool crs_check_projects(const crease_set *c, const crease_set *inner, crease_error *e)
{
    return !c->ops->project || inner->ops->project ||
           crs_fail(e, CREASE_BAD_ARGUMENT,
                    "%s: %s has no projection and was put in later; call crease_%s once it is in "
                    "its place",
                    c->ops->name, inner->ops->name, c->ops->name);
}

ptrdiff_t crease_set_scratch(const crease_set *c, const crease_space *s)
{
    return c->ops->scratch ? c->ops->scratch(c, s) : 0;
}

ptrdiff_t crs_scratch_entries(const crease_set *c, const crease_space *s)
{
    (void)c;
    return crease_size(s);
}

static double *prepare(const crease_set *c, const crease_space *s, crease_error *e)
{
    return crease_set_check(c, s, e) ? crs_doubles(crease_set_scratch(c, s), "a set", e) : NULL;
}

bool crease_excess(const crease_set *c, const crease_space *s, const double *x, double *excess,
                   crease_error *e)
{
    double *work = prepare(c, s, e);
    if (!work) return false;
    *excess = c->ops->excess(c, s, x, work);
    crs_free(work);
    return true;
}

bool crease_project(const crease_set *c, const crease_space *s, const double *v, double *x,
                    crease_error *e)
{
    if (!c->ops->project)
        return crs_fail(e, CREASE_UNSUPPORTED,
                        "%s has no exact projection, only a linear oracle; use lmo, or a set with "
                        "a projection",
                        c->ops->name);
    double *work = prepare(c, s, e);
    if (!work) return false;
    c->ops->project(c, s, v, x, work);
    crs_free(work);
    return true;
}

bool crease_lmo(const crease_set *c, const crease_space *s, const double *g, double *y,
                crease_error *e)
{
    double *work = prepare(c, s, e);
    if (!work) return false;
    c->ops->lmo(c, s, g, y, work);
    crs_free(work);
    return true;
}

bool crease_support(const crease_set *c, const crease_space *s, const double *w, double *value,
                    crease_error *e)
{
    double *work = prepare(c, s, e);
    if (!work) return false;
    *value = c->ops->support(c, s, w, work);
    crs_free(work);
    return true;
}

bool crease_diameter(const crease_set *c, const crease_space *s, double p, double *value,
                     crease_error *e)
{
    if (!(p >= 1 && p < INFINITY))
        return crs_fail(e, CREASE_BAD_ARGUMENT, "the diameter's p is %g; give a finite p >= 1", p);
    if (!crease_set_check(c, s, e)) return false;
    *value = c->ops->diameter(c, s, p);
    return true;
}

static const crease_set_ops *const list[] = {
#define SET(symbol) &crs_##symbol##_ops,
#include "set/list.def"
#undef SET
};

int crease_set_count(void) { return (int)(sizeof list / sizeof *list); }
const crease_set_ops *crease_set_at(int k) { return list[k]; }
static const char *name_at(int k) { return list[k]->name; }

bool crease_set_from_spec(const crease_spec *spec, crease_set *c, crease_error *e)
{
    const int k = crs_find("set", spec->name, crease_set_count(), name_at, e);
    if (k < 0) return false;
    if (list[k]->combined)
        return crs_fail(
            e, CREASE_UNSUPPORTED,
            "the set '%s' is built from other sets, which '%s' cannot spell; build it in C",
            spec->name, "name:number,...");
    const crease_set_ops *ops = list[k];
    if (!crs_spec_fits(spec, ops->params, ops->vector, e)) return false;

    const int n = crease_param_count(ops->params);
    *c = (crease_set){ .ops = ops };
    for (int i = 0; i < n; i++) c->par[i] = spec->value[i];
    if (ops->vector && spec->count > n) {
        c->vec = spec->value + n;
        c->par[n] = (double)(spec->count - n); /* for the check against the space */
    }
    return crease_param_check(ops->name, ops->params, c->par, e);
}
