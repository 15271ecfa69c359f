/* SPDX-License-Identifier: MIT
 * set: what every set promises, checked on random instances
 *
 * A projection p of v is right iff max_y <v-p, y-p> <= 0, which the support function decides
 * exactly; the support function is held against the linear oracle, and the oracle against points
 * of the set. Where the support is infinite, v - p must be a normal at p, and points of the set
 * stand for all. A distance d to the normals at x is never above that of a normal, and where the
 * set is convex never below |P(x + h w) - x|/h, which grows to it as h falls to 0. Of a set that is
 * not convex the projection must be no farther than other points of it. */
#include "selftest/sample.h"

/* A set with its space and data. */
typedef struct {
    crease_space space;
    crease_set c;
    double vec[CRS_MOST], lower[CRS_MOST], upper[CRS_MOST];
    crease_bounds bounds;
    crease_set inner[2];
    crease_space inner_space[2];
    crease_affine_set affine;
    crease_product_set product;
} instance;

static void sample_space(draws *d, const crease_set_ops *ops, int attempt, crease_space *s)
{
    const ptrdiff_t m = 1 + below(d, 4),
                    n = attempt % 2 ? m : 1 + below(d, 4); /* some are square */
    *s = ops->matrix ? crease_matrix(m, n) : crease_vector(1 + below(d, 6));
}

/* Sets built from others: a shifted and scaled l1 ball, a simplex times a box. */
static void sample_combination(draws *d, instance *out)
{
    const ptrdiff_t n = crease_size(&out->space);
    const char *name = out->c.ops->name;
    normals(d, n, 1, out->vec);
    if (strcmp(name, "affine") == 0) {
        out->inner[0] = crease_l1_ball(spread(d, -1, 1));
        out->affine = (crease_affine_set){ out->inner, below(d, 2) ? -0.7 : 1.9, out->vec };
        out->c = crease_affine(&out->affine);
    } else if (strcmp(name, "product") == 0) {
        out->inner[0] = crease_simplex(spread(d, -1, 1));
        out->inner[1] = crease_box(-spread(d, -1, 1), spread(d, -1, 1));
        out->inner_space[0] = crease_vector(1 + n / 2);
        out->inner_space[1] = crease_vector(2);
        out->space = crease_vector(3 + n / 2);
        out->product = (crease_product_set){ 2, out->inner, out->inner_space };
        out->c = crease_product(&out->product);
    }
}

static void sample_bounds(draws *d, instance *out)
{
    for (ptrdiff_t j = 0, n = crease_size(&out->space); j < n; j++) {
        out->lower[j] = normal(d);
        out->upper[j] = out->lower[j] + (below(d, 5) ? spread(d, -2, 1) : 0);
    }
    out->bounds = (crease_bounds){ .lower = out->lower, .upper = out->upper };
    out->c = crease_box_array(&out->bounds);
}

/* A box, and a right-hand side between the least and the most of a'x on it. */
static void sample_box_row(draws *d, instance *out)
{
    double x[CRS_MOST];
    const ptrdiff_t n = crease_size(&out->space);
    out->c.par[0] = normal(d);
    out->c.par[1] = out->c.par[0] + spread(d, -2, 1);
    if (n > 1 && below(d, 3) == 0) out->vec[below(d, n)] = 0;
    for (ptrdiff_t j = 0; j < n; j++) x[j] = uniform(d, out->c.par[0], out->c.par[1]);
    out->c.par[2] = crs_dot(n, out->vec, x);
}

static bool draw_instance(draws *d, int entry, instance *out, crease_error *e)
{
    const crease_set_ops *ops = crease_set_at(entry);
    for (int attempt = 0; attempt < 100; attempt++) {
        out->c = (crease_set){ .ops = ops };
        sample_space(d, ops, attempt, &out->space);
        crs_sample_params(d, ops->params, crease_size(&out->space), out->c.par);
        normals(d, crease_size(&out->space), 1, out->vec);
        if (ops->vector) out->c.vec = out->vec;
        sample_combination(d, out);
        if (strcmp(ops->name, "box") == 0 && below(d, 2)) sample_bounds(d, out);
        if (strcmp(ops->name, "box-hyperplane") == 0) sample_box_row(d, out);
        if (crease_set_check(&out->c, &out->space, e)) return true;
    }
    return false;
}

typedef struct {
    const crease_set *c;
    const crease_space *s;
    ptrdiff_t n;
    double *work;
} set_case;

static double dot(const set_case *a, const double *x, const double *y)
{
    return crs_dot(a->n, x, y);
}

static double support(const set_case *a, const double *w)
{
    return a->c->ops->support(a->c, a->s, w, a->work);
}

static void lmo(const set_case *a, const double *g, double *y)
{
    a->c->ops->lmo(a->c, a->s, g, y, a->work);
}

static void check_oracle(const set_case *a, draws *d, crs_report *out)
{
    double g[CRS_MOST], w[CRS_MOST], y[CRS_MOST], z[CRS_MOST];
    normals(d, a->n, spread(d, -2, 2), g);
    if (below(d, 5) == 0) g[below(d, a->n)] = 0;
    for (ptrdiff_t j = 0; j < a->n; j++) w[j] = -g[j];
    if (!isfinite(support(a, w))) return;
    lmo(a, g, y);
    const double size = 1 + crs_norm(a->n, g) * (1 + crs_norm(a->n, y)), least = dot(a, g, y);
    crs_report_note(out, "oracle's point in the set",
                    a->c->ops->excess(a->c, a->s, y, a->work) / (1 + crs_norm(a->n, y)), 1e-12);
    crs_report_note(out, "support = oracle", fabs(support(a, w) + least) / size, 1e-12);
    copy(a->n, g, z);
    lmo(a, z, z);
    double differ = 0;
    for (ptrdiff_t j = 0; j < a->n; j++) differ = larger(differ, fabs(z[j] - y[j]));
    crs_report_note(out, "in place = out of place", differ, 0);

    for (int k = 0; k < 20; k++) { /* other points of the set: oracles of other directions */
        normals(d, a->n, 1, z);
        lmo(a, z, z);
        if (crs_all_finite(a->n, z))
            crs_report_note(out, "oracle beaten by another point", pos(least - dot(a, g, z)) / size,
                            1e-12);
    }
    if (crs_norm(a->n, w) == 0) return;
    const double step = 1e-3 * (1 + crs_norm(a->n, y)) / (crs_norm(a->n, w) + 1e-300);
    for (ptrdiff_t j = 0; j < a->n; j++) z[j] = y[j] + step * w[j]; /* beyond the face */
    crs_report_note(out, "a point outside is seen",
                    !(a->c->ops->excess(a->c, a->s, z, a->work) > 0), 0);
}

static void check_convex_hull(const set_case *a, draws *d, crs_report *out)
{
    double x[CRS_MOST], y[CRS_MOST];
    const double mix = uniform(d, 0, 1);
    normals(d, a->n, 1, x);
    normals(d, a->n, 1, y);
    lmo(a, x, x);
    lmo(a, y, y);
    if (!crs_all_finite(a->n, x) || !crs_all_finite(a->n, y)) return;
    for (int k = 0; k < 3; k++) {
        const double p = k == 0 ? 1 : k == 1 ? 2 : uniform(d, 1, 6);
        double apart = 0;
        for (ptrdiff_t j = 0; j < a->n; j++) apart += pow(fabs(x[j] - y[j]), p);
        const double diameter = a->c->ops->diameter(a->c, a->s, p);
        crs_report_note(out, "diameter", pos(pow(apart, 1 / p) - diameter) / (1e-300 + diameter),
                        1e-13);
    }
    for (ptrdiff_t j = 0; j < a->n; j++) x[j] = mix * x[j] + (1 - mix) * y[j];
    crs_report_note(out, "segments stay inside",
                    a->c->ops->excess(a->c, a->s, x, a->work) / (1 + crs_norm(a->n, x)), 1e-12);
}

/* p against other points z of the set: <v-p, z-p> <= 0, or no farther from v. */
static void check_nearest(const set_case *a, draws *d, const double *v, const double *p,
                          crs_report *out)
{
    double z[CRS_MOST], near = 0;
    for (ptrdiff_t j = 0; j < a->n; j++) near += square(v[j] - p[j]);
    for (int k = 0; k < 20; k++) {
        double product = 0, far = 0;
        normals(d, a->n, spread(d, -2, 2), z);
        if (k % 2) axpy(a->n, 1, p, z);
        a->c->ops->project(a->c, a->s, z, z, a->work);
        for (ptrdiff_t j = 0; j < a->n; j++) {
            product += (v[j] - p[j]) * (z[j] - p[j]);
            far += square(v[j] - z[j]);
        }
        const double size = 1 + dot(a, v, v) + dot(a, p, p) + dot(a, z, z);
        const double better = a->c->ops->nonconvex ? near - far : product;
        crs_report_note(out, "projection beaten", pos(better) / size, 1e-12);
    }
}

/* v - P(v) is a normal at P(v), and so are its multiples. */
static void check_normals(const set_case *a, draws *d, crs_report *out)
{
    const double h = 1e-3;
    double u[CRS_MOST], x[CRS_MOST], w[CRS_MOST], z[CRS_MOST], step = 0;
    normals(d, a->n, spread(d, -2, 2), u);
    a->c->ops->project(a->c, a->s, u, x, a->work);
    const double size = 1 + crs_norm(a->n, u) + crs_norm(a->n, x);
    normals(d, a->n, size, w);
    for (ptrdiff_t j = 0; j < a->n; j++) u[j] -= x[j];
    crs_report_note(out, "v - P(v) is a normal",
                    a->c->ops->dist_normal(a->c, a->s, x, u, a->work) / size, 1e-12);
    const double dist = a->c->ops->dist_normal(a->c, a->s, x, w, a->work);
    for (int k = 0; k < 5; k++) {
        const double factor = k == 0 ? 0 : spread(d, -2, 4);
        for (ptrdiff_t j = 0; j < a->n; j++) z[j] = w[j] - factor * u[j];
        crs_report_note(out, "distance to normals too large",
                        pos(dist - crs_norm(a->n, z)) / (size + factor * crs_norm(a->n, u)), 1e-12);
    }
    if (a->c->ops->nonconvex) return;
    for (ptrdiff_t j = 0; j < a->n; j++) z[j] = x[j] + h * w[j];
    a->c->ops->project(a->c, a->s, z, z, a->work);
    for (ptrdiff_t j = 0; j < a->n; j++) step = hypot(step, (z[j] - x[j]) / h);
    crs_report_note(out, "distance to normals too small", pos(step - dist) / size, 1e-10);
}

static void check_projection(const set_case *a, draws *d, crs_report *out)
{
    double v[CRS_MOST], p[CRS_MOST], q[CRS_MOST], g[CRS_MOST], moved = 0, differ = 0;
    normals(d, a->n, spread(d, -2, 2), v);
    a->c->ops->project(a->c, a->s, v, p, a->work);
    copy(a->n, v, q);
    a->c->ops->project(a->c, a->s, q, q, a->work);
    for (ptrdiff_t j = 0; j < a->n; j++) differ = larger(differ, fabs(p[j] - q[j]));
    a->c->ops->project(a->c, a->s, p, q, a->work);
    for (ptrdiff_t j = 0; j < a->n; j++) {
        g[j] = v[j] - p[j];
        moved = larger(moved, fabs(p[j] - q[j]));
    }
    const double size = 1 + crs_norm(a->n, v) + crs_norm(a->n, p);
    crs_report_note(out, "in place = out of place", differ, 0);
    crs_report_note(out, "projection in the set", a->c->ops->excess(a->c, a->s, p, a->work) / size,
                    1e-12);
    crs_report_note(out, "projected twice = once", moved / size, 1e-12);
    if (crs_norm(a->n, g) > 1e-6 * size)
        crs_report_note(out, "a point outside is seen",
                        !(a->c->ops->excess(a->c, a->s, v, a->work) > 0), 0);
    check_nearest(a, d, v, p, out);
    const double most = support(a, g);
    if (isinf(most) && a->c->ops->dist_normal) return; /* check_normals decides */
    crs_report_note(out, "variational inequality", pos(most - dot(a, g, p)) / (size * size), 1e-12);
}

static bool any_nan(ptrdiff_t n, const double *x)
{
    double sum = 0;
    for (ptrdiff_t j = 0; j < n; j++) sum += 0 * (isinf(x[j]) ? 0 : x[j]);
    return isnan(sum);
}

static void check_nan(const set_case *a, draws *d, crs_report *out)
{
    double v[CRS_MOST], x[CRS_MOST];
    normals(d, a->n, 1, v);
    v[below(d, a->n)] = NAN;
    bool caught = isnan(support(a, v)) && isnan(a->c->ops->excess(a->c, a->s, v, a->work));
    lmo(a, v, x);
    caught = caught && any_nan(a->n, x);
    if (a->c->ops->project) {
        a->c->ops->project(a->c, a->s, v, x, a->work);
        caught = caught && any_nan(a->n, x);
    }
    if (a->c->ops->dist_normal) {
        fill(a->n, 0, x);
        a->c->ops->project(a->c, a->s, x, x, a->work);
        caught = caught && isnan(a->c->ops->dist_normal(a->c, a->s, x, v, a->work)) &&
                 isnan(a->c->ops->dist_normal(a->c, a->s, v, x, a->work));
    }
    crs_report_note(out, "NaN in, NaN out", !caught, 0);
}

static void check_known(const instance *a, crs_report *out)
{
    const crease_block block = { .set = &a->c };
    crs_note_checker(out, &(crease_problem){ .count = 1, .space = &a->space, .block = &block });
}

bool crs_selftest_set(int entry, long trials, uint64_t seed, crs_report *out, crease_error *e)
{
    draws d = { { seed, 1000 + (uint64_t)entry }, 0 };
    *out = (crs_report){ .kind = "set", .name = crease_set_at(entry)->name };
    for (long k = 0; k < trials; k++) {
        instance a;
        if (!draw_instance(&d, entry, &a, e)) return false;
        double *work = crs_doubles(crease_set_scratch(&a.c, &a.space), "the self-test", e);
        if (!work) return false;
        const set_case c = { &a.c, &a.space, crease_size(&a.space), work };
        check_oracle(&c, &d, out);
        if (!a.c.ops->nonconvex) check_convex_hull(&c, &d, out);
        if (a.c.ops->project) check_projection(&c, &d, out);
        if (a.c.ops->dist_normal) check_normals(&c, &d, out);
        check_nan(&c, &d, out);
        if (k < CRS_ASKED) check_known(&a, out);
        crs_free(work);
    }
    return true;
}
