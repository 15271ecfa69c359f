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

#define PRODUCT(projection)                                                                        \
    {                                                                                              \
        .name = "product", .formula = "inner_1 x inner_2 x ...", .combined = true, .check = check, \
        .scratch = scratch, .excess = excess, .project = projection, .lmo = lmo,                   \
        .support = support, .diameter = diameter                                                   \
    }

const crease_set_ops crs_product_ops = PRODUCT(project);
static const crease_set_ops oracle_only = PRODUCT(NULL);

crease_set crease_product(const crease_product_set *p)
{
    bool projects = true;
    for (int i = 0; p && p->inner && i < p->count; i++)
        projects = projects && p->inner[i].ops->project;
    return (crease_set){ .ops = projects ? &crs_product_ops : &oracle_only, .data = p };
}
