/* SPDX-License-Identifier: MIT
 * reg: what every regularizer promises, checked on random instances against value() alone
 *
 * The prox is compared with a search that knows nothing but r's values: on the line a grid with
 * refinement, elsewhere 0, v, the ray through the prox, neighbours at every scale and random
 * points. */
#include "selftest/sample.h"

/* A regularizer with its space and, for group kinds, its groups; weights now and then. */
typedef struct {
    crease_space space;
    crease_reg r;
    crease_groups groups;
    ptrdiff_t start[CRS_MOST + 1], index[CRS_MOST];
    double weight[CRS_MOST];
} instance;

/* One of: all entries in one group, singletons, two groups through a random permutation. */
static void sample_groups(draws *d, instance *out)
{
    const ptrdiff_t n = crease_size(&out->space), kind = below(d, 3);
    const crease_random r = { d->r.seed, d->r.stream + 1 + d->next };
    out->groups = (crease_groups){ kind == 1 ? n : kind == 2 && n > 1 ? 2 : 1, out->start, NULL };
    for (ptrdiff_t k = 0; k < out->groups.count; k++) out->start[k] = k;
    out->start[out->groups.count] = n;
    if (kind == 2) {
        crease_random_permutation(r, n, out->index);
        out->groups.index = out->index;
    }
    out->r.groups = &out->groups;
}

static bool draw_instance(draws *d, int entry, instance *out, crease_error *e)
{
    const crease_reg_entry *at = crease_reg_at(entry);
    const bool matrix = at->ops->kind == CREASE_KIND_SPECTRAL;
    for (int attempt = 0; attempt < 100; attempt++) {
        out->space = matrix ? crease_matrix(1 + below(d, 4), 1 + below(d, 4))
                            : crease_vector(below(d, 2) ? 1 : 1 + below(d, 6));
        out->r = (crease_reg){ .ops = at->ops, .penalty = at->penalty };
        const ptrdiff_t n = crease_size(&out->space);
        crs_sample_params(d, crease_reg_params(at), n, out->r.par);
        for (ptrdiff_t j = 0; j < n; j++) out->weight[j] = spread(d, -1, 1);
        if (at->ops->kind == CREASE_KIND_GROUPS) sample_groups(d, out);
        if (at->ops->vector || (!matrix && at->penalty && below(d, 4) == 0))
            out->r.weight = out->weight;
        if (crease_reg_check(&out->r, &out->space, e)) return true;
    }
    return false;
}

/* One random prox problem. */
typedef struct {
    const crease_reg *r;
    const crease_space *s;
    ptrdiff_t n;
    double t;
    const double *v;
    double *work;
} prox_case;

/* r(x) + |x-v|^2/(2t) */
static double objective(const prox_case *c, const double *x)
{
    double sum = 0;
    for (ptrdiff_t j = 0; j < c->n; j++) sum += square(x[j] - c->v[j]);
    return c->r->ops->value(c->r, c->s, x, c->work) + sum / (2 * c->t);
}

/* By how much the best point found beats x, relative to the objective there and at 0. */
static double excess(const prox_case *c, draws *d, const double *x)
{
    const double at_x = objective(c, x), size = crs_norm(c->n, c->v);
    double best = at_x, z[CRS_MOST];
    for (int k = 0; k < 80; k++) {
        const double scale = size * pow(10, uniform(d, -9, 0.3)), ray = uniform(d, 0, 2);
        for (ptrdiff_t j = 0; j < c->n; j++)
            z[j] = k == 0   ? 0
                   : k == 1 ? c->v[j]
                   : k < 20 ? ray * x[j]
                   : k < 60 ? x[j] + scale * normal(d) * (k % 2 || x[j] != 0)
                            : c->v[j] * uniform(d, 0, 1.1);
        best = smaller(best, objective(c, z));
    }
    return (at_x - best) / (best + 1e-6 * size * size / (2 * c->t) + 1e-300);
}

static void check_prox(const prox_case *c, draws *d, crs_report *out)
{
    double x[CRS_MOST], y[CRS_MOST], g[CRS_MOST], differ = 0;
    c->r->ops->prox(c->r, c->s, c->t, c->v, x, c->work);
    copy(c->n, c->v, y);
    c->r->ops->prox(c->r, c->s, c->t, y, y, c->work);
    for (ptrdiff_t j = 0; j < c->n; j++) {
        differ = larger(differ, fabs(x[j] - y[j]));
        g[j] = (c->v[j] - x[j]) / c->t;
    }
    crs_report_note(out, "in place = out of place", differ, 0);
    crs_report_note(out, "prox against search", excess(c, d, x), 1e-12);
    const double dist = c->r->ops->dist(c->r, c->s, x, g, c->work);
    crs_report_note(out, "(v-x)/t in dr(x)", dist / ((1 + crs_norm(c->n, c->v)) / c->t + 1e-300),
                    1e-12);
}

/* Convex: |P(u) - P(v)|^2 <= <P(u) - P(v), u - v>. */
static void check_nonexpansive(const prox_case *c, draws *d, crs_report *out)
{
    double u[CRS_MOST], x[CRS_MOST], y[CRS_MOST], gap = 0, size = 1e-300;
    for (ptrdiff_t j = 0; j < c->n; j++) u[j] = c->v[j] + normal(d);
    c->r->ops->prox(c->r, c->s, c->t, c->v, x, c->work);
    c->r->ops->prox(c->r, c->s, c->t, u, y, c->work);
    for (ptrdiff_t j = 0; j < c->n; j++) {
        gap += (y[j] - x[j]) * ((y[j] - x[j]) - (u[j] - c->v[j]));
        size += square(u[j]) + square(c->v[j]);
    }
    crs_report_note(out, "firmly nonexpansive", pos(gap) / size, 1e-13);
}

static void check_traits(const prox_case *c, draws *d, crs_report *out)
{
    double x[CRS_MOST], y[CRS_MOST], mid[CRS_MOST], radius = 0, apart = 0;
    crease_reg_traits traits;
    for (ptrdiff_t j = 0; j < c->n; j++) {
        x[j] = below(d, 4) ? 3 * normal(d) : 0;
        y[j] = below(d, 4) ? x[j] + normal(d) * spread(d, -5, 1) : 0;
        mid[j] = (x[j] + y[j]) / 2;
        radius = larger(radius, larger(fabs(x[j]), fabs(y[j])));
        apart += square(x[j] - y[j]);
    }
    if (c->s->order == 2) radius *= (double)c->n; /* bounds singular values too */
    c->r->ops->traits(c->r, c->s, radius, &traits);
    const double rx = c->r->ops->value(c->r, c->s, x, c->work);
    const double ry = c->r->ops->value(c->r, c->s, y, c->work);
    const double rm = c->r->ops->value(c->r, c->s, mid, c->work);
    crs_report_note(out, "lower bound", pos(traits.lower - rx), 0);
    crs_report_note(out, "convex: modulus 0", traits.convex && traits.weak_convexity != 0, 0);
    if (!isfinite(rx) || !isfinite(ry)) return;
    const double size = 1 + fabs(rx) + fabs(ry);
    if (traits.lipschitz < INFINITY)
        crs_report_note(out, "Lipschitz",
                        pos(fabs(rx - ry) - traits.lipschitz * sqrt(apart)) / size, 1e-13);
    if (traits.weak_convexity < INFINITY)
        crs_report_note(out, "weak convexity",
                        pos(rm - (rx + ry) / 2 - traits.weak_convexity * apart / 8) / size, 1e-13);
}

/* Away from kinks the subdifferential is the gradient: central differences are in it. */
static void check_gradient(const prox_case *c, draws *d, crs_report *out)
{
    double x[CRS_MOST], g[CRS_MOST];
    for (ptrdiff_t j = 0; j < c->n; j++) x[j] = spread(d, -1, 1.5);
    if (c->s->order == 2 && c->n > 1) return; /* singular values need not be simple */
    for (ptrdiff_t j = 0; j < c->n; j++) {
        const double at = x[j], h = 1e-6 * at;
        x[j] = at + h;
        const double up = c->r->ops->value(c->r, c->s, x, c->work);
        x[j] = at - h;
        const double down = c->r->ops->value(c->r, c->s, x, c->work);
        x[j] = at;
        g[j] = (up - down) / (2 * h);
    }
    if (!crs_all_finite(c->n, g)) return;
    const double size = 1 + crs_norm(c->n, g);
    crs_report_note(out, "central differences in dr(x)",
                    c->r->ops->dist(c->r, c->s, x, g, c->work) / size, 1e-4);
}

static void check_nan(const prox_case *c, crs_report *out)
{
    double v[CRS_MOST], x[CRS_MOST], zero[CRS_MOST] = { 0 };
    for (ptrdiff_t j = 0; j < c->n; j++) {
        copy(c->n, c->v, v);
        v[j] = NAN;
        c->r->ops->prox(c->r, c->s, c->t, v, x, c->work);
        const bool caught = isnan(x[j]) && isnan(c->r->ops->dist(c->r, c->s, zero, v, c->work)) &&
                            isnan(c->r->ops->value(c->r, c->s, v, c->work));
        crs_report_note(out, "NaN in, NaN out", !caught, 0);
    }
}

enum { GRID = 400, LEVELS = 8, FINE = 16, BEST = 3 };

typedef struct {
    double x, f;
} point;

static void keep_best(point *best, point p)
{
    for (int k = 0; k < BEST; k++)
        if (p.f < best[k].f) {
            const point moved = best[k];
            best[k] = p;
            p = moved;
        }
}

static point at(const prox_case *c, double x) { return (point){ x, objective(c, &x) }; }

/* The least objective on [low, high]: a grid, then ever finer grids around its best points. The
 * claimed minimizer is one of the grid: a narrow domain may hold no other point of it. */
static double least_on(const prox_case *c, double low, double high, double claimed)
{
    point best[BEST];
    for (int k = 0; k < BEST; k++) best[k] = (point){ low, INFINITY };
    keep_best(best, at(c, claimed));
    keep_best(best, at(c, low));
    keep_best(best, at(c, high));
    if (low <= 0 && high >= 0) keep_best(best, at(c, 0));
    if (low <= c->v[0] && c->v[0] <= high) keep_best(best, at(c, c->v[0]));
    for (int k = 1; k < GRID; k++) keep_best(best, at(c, low + (high - low) * k / GRID));

    double least = best[0].f;
    for (int b = 0; b < BEST; b++) {
        point centre = best[b];
        double h = (high - low) / GRID;
        for (int level = 0; level < LEVELS; level++, h *= 2.0 / FINE) {
            const double middle = centre.x;
            for (int k = -FINE; k <= FINE; k++) {
                const point p = at(c, clip(middle + h * k / FINE, low, high));
                if (p.f < centre.f) centre = p;
            }
        }
        least = smaller(least, centre.f);
    }
    return least;
}

static double relative_excess(const prox_case *c, double x, double least)
{
    const double f = objective(c, &x);
    return (f - least) / (least + 1e-6 * square(c->v[0]) / (2 * c->t) + 1e-300);
}

static void check_point(const prox_case *c, crs_report *out)
{
    double x;
    c->r->ops->prox(c->r, c->s, c->t, c->v, &x, c->work);
    const double reach = 1.2 * larger(fabs(c->v[0]), fabs(x));
    crs_report_note(out, "prox against brute force",
                    relative_excess(c, x, least_on(c, -reach, reach, x)), 1e-12);
}

static void check_box(const prox_case *c, draws *d, crs_report *out)
{
    const double size = fabs(c->v[0]) + 1e-6, a = size * normal(d), b = size * normal(d);
    const crease_bounds box = { .low = below(d, 6) ? smaller(a, b) : 0, .high = larger(a, b) };
    double x;
    if (!(box.low <= box.high)) return;
    c->r->ops->prox_box(c->r, c->s, c->t, &box, c->v, &x, c->work);
    if (isnan(x)) return; /* the box misses the domain */
    crs_report_note(out, "box prox inside the box", !(x >= box.low && x <= box.high), 0);
    const double least = least_on(c, box.low, box.high, x);
    if (!(least < INFINITY)) return;
    crs_report_note(out, "box prox against brute force", relative_excess(c, x, least), 1e-12);
    const double g = (c->v[0] - x) / c->t;
    crs_report_note(out, "(v-x)/t in d(r + box)",
                    c->r->ops->dist_box(c->r, c->s, &box, &x, &g, c->work) /
                        ((1 + fabs(c->v[0])) / c->t + 1e-300),
                    1e-12);
}

/* The largest |v| whose prox is 0, by bisection: the threshold, where mistakes like to hide. */
static double threshold(const prox_case *c)
{
    double low = 0, high = fabs(c->v[0]) * 100 + 100, x;
    for (int k = 0; k < 80; k++) {
        const double v = (low + high) / 2;
        c->r->ops->prox(c->r, c->s, c->t, &v, &x, c->work);
        if (x == 0)
            low = v;
        else
            high = v;
    }
    return low;
}

static void check_line(const prox_case *c, draws *d, crs_report *out)
{
    if (c->n != 1) return;
    check_point(c, out);
    if (c->r->ops->prox_box) check_box(c, d, out);
    const double edge = threshold(c);
    for (int k = -1; k <= 1; k++) {
        const double v = edge * (1 + k * 1e-9);
        const prox_case near = { c->r, c->s, 1, c->t, &v, c->work };
        if (edge > 0) check_point(&near, out);
    }
}

static void into_ball(ptrdiff_t n, double radius, double *z)
{
    const double norm = crs_norm(n, z), factor = norm > radius ? radius / norm : 1;
    for (ptrdiff_t j = 0; j < n; j++) z[j] *= factor;
}

static void check_ball(const prox_case *given, draws *d, crs_report *out)
{
    crease_reg_traits traits;
    prox_case c = *given;
    const double size = crs_norm(c.n, c.v), radius = size * uniform(d, 0.05, 1.2) + 1e-3;
    double x[CRS_MOST], z[CRS_MOST];
    if (!c.r->ops->prox_ball) return;
    c.r->ops->traits(c.r, c.s, INFINITY, &traits);
    if (!(traits.ball_step > 0)) return;
    if (!(c.t < traits.ball_step)) c.t = 0.9 * traits.ball_step;
    c.r->ops->prox_ball(c.r, c.s, c.t, radius, c.v, x, c.work);
    crs_report_note(out, "ball prox inside the ball", pos(crs_norm(c.n, x) / radius - 1), 1e-14);

    const double found = objective(&c, x);
    double best = found;
    for (int k = 0; k < 120; k++) {
        const double scale = radius * pow(10, uniform(d, -7, 0));
        for (ptrdiff_t j = 0; j < c.n; j++) {
            z[j] = k < 60 ? x[j] + scale * normal(d) * (k % 2 || x[j] != 0)
                          : c.v[j] * (double)below(d, 2);
            if (k >= 90) z[j] = radius * normal(d) * (double)below(d, 2);
        }
        into_ball(c.n, radius, z);
        best = smaller(best, objective(&c, z));
    }
    crs_report_note(out, "ball prox against search",
                    (found - best) / (best + 1e-6 * size * size / (2 * c.t) + 1e-300), 1e-12);
}

static void check_known(const instance *a, crs_report *out)
{
    const crease_block block = { .reg = a->r };
    crs_note_checker(out, &(crease_problem){ .count = 1, .space = &a->space, .block = &block });
}

bool crs_selftest_reg(int entry, long trials, uint64_t seed, crs_report *out, crease_error *e)
{
    draws d = { { seed, (uint64_t)entry }, 0 };
    *out = (crs_report){ .kind = "regularizer", .name = crease_reg_at(entry)->name };
    for (long k = 0; k < trials; k++) {
        instance a;
        double v[CRS_MOST];
        if (!draw_instance(&d, entry, &a, e)) return false;
        const ptrdiff_t n = crease_size(&a.space);
        double *work = crs_doubles(crease_reg_scratch(&a.r, &a.space), "the self-test", e);
        if (!work) return false;
        normals(&d, n, spread(&d, -1, 2), v);
        const prox_case c = { &a.r, &a.space, n, spread(&d, -3, 3), v, work };
        check_prox(&c, &d, out);
        if (crease_reg_at(entry)->ops->convex || (a.r.penalty && a.r.penalty->convex))
            check_nonexpansive(&c, &d, out);
        check_traits(&c, &d, out);
        check_gradient(&c, &d, out);
        check_nan(&c, out);
        check_line(&c, &d, out);
        check_ball(&c, &d, out);
        if (k < CRS_ASKED) check_known(&a, out);
        crs_free(work);
    }
    return true;
}
