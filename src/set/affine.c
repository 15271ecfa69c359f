/* SPDX-License-Identifier: MIT
 * affine: shift + scale * inner
 *
 * LMO(c) = shift + scale LMO_inner(sgn(scale) c), support <shift, w> + |scale| support_inner(
 * sgn(scale) w), projection shift + scale P_inner((v - shift)/scale). */
#include "set/set.h"

static bool check(const crease_set *c, const crease_space *s, crease_error *e)
{
    const crease_affine_set *a = c->data;
    if (!a || !a->inner)
        return crs_fail(e, CREASE_BAD_ARGUMENT, "affine: the inner set is missing; give one");
    if (!(isfinite(a->scale) && a->scale != 0))
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "affine: the scale is %g; give a finite number that is not 0", a->scale);
    for (ptrdiff_t j = 0, n = crease_size(s); a->shift && j < n; j++)
        if (!isfinite(a->shift[j]))
            return crs_fail(e, CREASE_BAD_ARGUMENT,
                            "affine: entry %td of the shift is %g; give finite numbers", j + 1,
                            a->shift[j]);
    return crs_check_projects(c, a->inner, e) && crease_set_check(a->inner, s, e);
}

/* Two transformed arguments, then what the inner set needs. */
static ptrdiff_t scratch(const crease_set *c, const crease_space *s)
{
    const crease_affine_set *a = c->data;
    return 2 * crease_size(s) + crease_set_scratch(a->inner, s);
}

static void enter(const crease_affine_set *a, ptrdiff_t n, const double *x, double *z)
{
    for (ptrdiff_t j = 0; j < n; j++) z[j] = (x[j] - (a->shift ? a->shift[j] : 0)) / a->scale;
}

static void leave(const crease_affine_set *a, ptrdiff_t n, double *z)
{
    for (ptrdiff_t j = 0; j < n; j++) z[j] = (a->shift ? a->shift[j] : 0) + a->scale * z[j];
}

static void orient(const crease_affine_set *a, ptrdiff_t n, const double *w, double *z)
{
    for (ptrdiff_t j = 0; j < n; j++) z[j] = a->scale > 0 ? w[j] : -w[j];
}

static double excess(const crease_set *c, const crease_space *s, const double *x, double *work)
{
    const crease_affine_set *a = c->data;
    const ptrdiff_t n = crease_size(s);
    enter(a, n, x, work);
    return fabs(a->scale) * a->inner->ops->excess(a->inner, s, work, work + n);
}

static void project(const crease_set *c, const crease_space *s, const double *v, double *x,
                    double *work)
{
    const crease_affine_set *a = c->data;
    const ptrdiff_t n = crease_size(s);
    enter(a, n, v, x);
    a->inner->ops->project(a->inner, s, x, x, work);
    leave(a, n, x);
}

static void lmo(const crease_set *c, const crease_space *s, const double *g, double *y,
                double *work)
{
    const crease_affine_set *a = c->data;
    const ptrdiff_t n = crease_size(s);
    orient(a, n, g, y);
    a->inner->ops->lmo(a->inner, s, y, y, work);
    leave(a, n, y);
}

static double support(const crease_set *c, const crease_space *s, const double *w, double *work)
{
    const crease_affine_set *a = c->data;
    const ptrdiff_t n = crease_size(s);
    orient(a, n, w, work);
    return (a->shift ? crease_dot(s, a->shift, w) : 0) +
           fabs(a->scale) * a->inner->ops->support(a->inner, s, work, work + n);
}

/* The normals of shift + scale * inner are sgn(scale) times those of inner. */
static double dist_normal(const crease_set *c, const crease_space *s, const double *x,
                          const double *v, double *work)
{
    const crease_affine_set *a = c->data;
    const ptrdiff_t n = crease_size(s);
    enter(a, n, x, work);
    orient(a, n, v, work + n);
    if (!a->inner->ops->dist_normal) return NAN; /* it was put in later */
    return a->inner->ops->dist_normal(a->inner, s, work, work + n, work + 2 * n);
}

static double diameter(const crease_set *c, const crease_space *s, double p)
{
    const crease_affine_set *a = c->data;
    return fabs(a->scale) * a->inner->ops->diameter(a->inner, s, p);
}

#define AFFINE(projection, normals)                                                                \
    {                                                                                              \
        .name = "affine", .formula = "shift + scale * inner", .combined = true, .check = check,    \
        .scratch = scratch, .excess = excess, .project = projection, .lmo = lmo,                   \
        .support = support, .diameter = diameter, .dist_normal = normals                           \
    }

const crease_set_ops crs_affine_ops = AFFINE(project, dist_normal);
static const crease_set_ops no_normals = AFFINE(project, NULL);
static const crease_set_ops oracle_only = AFFINE(NULL, NULL);

crease_set crease_affine(const crease_affine_set *a)
{
    const crease_set_ops *o = a && a->inner ? a->inner->ops : &crs_affine_ops;
    const crease_set_ops *own = !o->project       ? &oracle_only
                                : !o->dist_normal ? &no_normals
                                                  : &crs_affine_ops;
    return (crease_set){ .ops = own, .data = a };
}
