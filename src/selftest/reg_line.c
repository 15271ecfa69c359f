/* SPDX-License-Identifier: MIT
 * reg_line: prox and box prox of one entry against a grid with refinement, which finds the global
 * minimum of any objective on a stretch of the line from its values alone */
#include "selftest/reg_checks.h"

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

static point at(const crs_prox_case *c, double x)
{
    return (point){ x, crs_prox_objective(c, &x) };
}

/* The least objective on [low, high]: a grid, then ever finer grids around its best points. */
static double least_on(const crs_prox_case *c, double low, double high)
{
    point best[BEST];
    for (int k = 0; k < BEST; k++) best[k] = (point){ low, INFINITY };
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

static double relative_excess(const crs_prox_case *c, double x, double least)
{
    const double f = crs_prox_objective(c, &x);
    return (f - least) / (least + 1e-6 * square(c->v[0]) / (2 * c->t) + 1e-300);
}

static void check_point(const crs_prox_case *c, crs_report *out)
{
    double x;
    c->r->ops->prox(c->r, c->s, c->t, c->v, &x, c->work);
    const double reach = 1.2 * larger(fabs(c->v[0]), fabs(x));
    crs_report_note(out, "prox against brute force",
                    relative_excess(c, x, least_on(c, -reach, reach)), 1e-12);
}

static void check_box(const crs_prox_case *c, draws *d, crs_report *out)
{
    const double size = fabs(c->v[0]) + 1e-6, a = size * normal(d), b = size * normal(d);
    const crease_bounds box = { .low = below(d, 6) ? smaller(a, b) : 0, .high = larger(a, b) };
    double x;
    if (!(box.low <= box.high)) return;
    c->r->ops->prox_box(c->r, c->s, c->t, &box, c->v, &x, c->work);
    if (isnan(x)) return; /* the box misses the domain */
    crs_report_note(out, "box prox inside the box", !(x >= box.low && x <= box.high), 0);
    const double least = least_on(c, box.low, box.high);
    if (!(least < INFINITY)) return;
    crs_report_note(out, "box prox against brute force", relative_excess(c, x, least), 1e-12);
    const double g = (c->v[0] - x) / c->t;
    crs_report_note(out, "(v-x)/t in d(r + box)",
                    c->r->ops->dist_box(c->r, c->s, &box, &x, &g, c->work) /
                        ((1 + fabs(c->v[0])) / c->t + 1e-300),
                    1e-12);
}

/* The largest |v| whose prox is 0, by bisection: the threshold, where mistakes like to hide. */
static double threshold(const crs_prox_case *c)
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

void crs_check_line(const crs_prox_case *c, draws *d, crs_report *out)
{
    if (c->n != 1) return;
    check_point(c, out);
    if (c->r->ops->prox_box) check_box(c, d, out);
    const double edge = threshold(c);
    for (int k = -1; k <= 1; k++) {
        const double v = edge * (1 + k * 1e-9);
        const crs_prox_case near = { c->r, c->s, 1, c->t, &v, c->work };
        if (edge > 0) check_point(&near, out);
    }
}
