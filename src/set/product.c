/* SPDX-License-Identifier: MIT
 * product: inner[0] x inner[1] x ... on consecutive stretches of the vector
 *
 * Everything goes stretch by stretch: supports add, diam_p = (sum_i diam_p(i)^p)^{1/p}. Over
 * ranks, every rank holds its part of every stretch. */
#include "set/set.h"

static bool check_part(const crease_set *c, const crease_space *s, int i, crease_error *e)
{
    const crease_product_set *p = c->data;
    if (p->space[i].comm != s->comm)
        return crs_fail(e, CREASE_BAD_SHAPE,
                        "product: part %d and the whole are split over ranks differently; give "
                        "both the same comm",
                        i + 1);
    return crs_check_projects(c, &p->inner[i], e) &&
           crease_set_check(&p->inner[i], &p->space[i], e);
}

static bool check(const crease_set *c, const crease_space *s, crease_error *e)
{
    const crease_product_set *p = c->data;
    ptrdiff_t sum = 0;
    bool fits = true;
    if (!p || p->count < 1 || !p->inner || !p->space)
        return crs_fail(e, CREASE_BAD_ARGUMENT,
                        "product: it has no parts; give count >= 1 sets and their shapes");
    for (int i = 0; i < p->count; i++) {
        if (!check_part(c, s, i, e)) return false;
        fits = fits && crs_add_size(sum, crease_size(&p->space[i]), &sum);
    }
    return (fits && sum == crease_size(s)) ||
           crs_fail(e, CREASE_BAD_SHAPE,
                    "product: the parts have %td entries together but the point has %td; give "
                    "shapes that add up",
                    sum, crease_size(s));
}

static ptrdiff_t scratch(const crease_set *c, const crease_space *s)
{
    const crease_product_set *p = c->data;
    ptrdiff_t most = 0;
    (void)s;
    for (int i = 0; i < p->count; i++) {
        const ptrdiff_t need = crease_set_scratch(&p->inner[i], &p->space[i]);
        if (need > most) most = need;
    }
    return most;
}

static double excess(const crease_set *c, const crease_space *s, const double *x, double *work)
{
    const crease_product_set *p = c->data;
    double most = 0;
    (void)s;
    for (int i = 0; i < p->count; x += crease_size(&p->space[i++]))
        most = larger(most, p->inner[i].ops->excess(&p->inner[i], &p->space[i], x, work));
    return most;
}

static void project(const crease_set *c, const crease_space *s, const double *v, double *x,
                    double *work)
{
    const crease_product_set *p = c->data;
    (void)s;
    for (int i = 0; i < p->count; i++) {
        const ptrdiff_t n = crease_size(&p->space[i]);
        p->inner[i].ops->project(&p->inner[i], &p->space[i], v, x, work);
        v += n;
        x += n;
    }
}

static void lmo(const crease_set *c, const crease_space *s, const double *g, double *y,
                double *work)
{
    const crease_product_set *p = c->data;
    (void)s;
    for (int i = 0; i < p->count; i++) {
        const ptrdiff_t n = crease_size(&p->space[i]);
        p->inner[i].ops->lmo(&p->inner[i], &p->space[i], g, y, work);
        g += n;
        y += n;
    }
}

static double support(const crease_set *c, const crease_space *s, const double *w, double *work)
{
    const crease_product_set *p = c->data;
    double sum = 0;
    (void)s;
    for (int i = 0; i < p->count; w += crease_size(&p->space[i++]))
        sum += p->inner[i].ops->support(&p->inner[i], &p->space[i], w, work);
    return sum;
}

static double dist_normal(const crease_set *c, const crease_space *s, const double *x,
                          const double *v, double *work)
{
    const crease_product_set *p = c->data;
    double sum = 0;
    (void)s;
    for (int i = 0; i < p->count; i++) {
        const ptrdiff_t n = crease_size(&p->space[i]);
        const crease_set *part = &p->inner[i];
        if (!part->ops->dist_normal) return NAN; /* it was put in later */
        sum += square(part->ops->dist_normal(part, &p->space[i], x, v, work));
        x += n;
        v += n;
    }
    return sqrt(sum);
}

static double diameter(const crease_set *c, const crease_space *s, double p)
{
    const crease_product_set *set = c->data;
    const crease_space here = crease_vector(1);
    crs_power norm = { .p = p };
    (void)s;
    for (int i = 0; i < set->count; i++)
        crs_power_add(&norm, set->inner[i].ops->diameter(&set->inner[i], &set->space[i], p));
    return crs_power_root(&norm, &here);
}

#define PRODUCT(projection, normals)                                                               \
    {                                                                                              \
        .name = "product", .formula = "inner_1 x inner_2 x ...", .combined = true, .check = check, \
        .scratch = scratch, .excess = excess, .project = projection, .lmo = lmo,                   \
        .support = support, .diameter = diameter, .dist_normal = normals                           \
    }

const crease_set_ops crs_product_ops = PRODUCT(project, dist_normal);
static const crease_set_ops no_normals = PRODUCT(project, NULL);
static const crease_set_ops oracle_only = PRODUCT(NULL, NULL);

crease_set crease_product(const crease_product_set *p)
{
    bool projects = true, normals = true;
    for (int i = 0; p && p->inner && i < p->count; i++) {
        projects = projects && p->inner[i].ops->project;
        normals = normals && p->inner[i].ops->dist_normal;
    }
    const crease_set_ops *own = !projects  ? &oracle_only
                                : !normals ? &no_normals
                                           : &crs_product_ops;
    return (crease_set){ .ops = own, .data = p };
}
