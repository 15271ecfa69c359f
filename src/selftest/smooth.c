/* SPDX-License-Identifier: MIT
 * smooth: what every coupling promises: gradients of its values, constants that hold, exact
 * block minimizers */
#include "selftest/smooth_checks.h"

static void grad(const smooth_case *c, const point *x, int i, double *g) /* g = grad_i f(x) */
{
    const double *p[CRS_BLOCKS];
    pointers(x, p);
    fill(size(c, i), 0, g);
    c->a->f.ops->grad(&c->a->f, c->b, p, i, g, c->work);
}

static void check_gradient(const smooth_case *c, draws *d, crs_report *out)
{
    point x;
    double g[PLACE];
    draw_point(c, d, &x);
    for (int i = 0; i < c->b->count; i++) {
        const ptrdiff_t j = below(d, size(c, i));
        const double at = x.block[i][j], h = 1e-5;
        grad(c, &x, i, g);
        x.block[i][j] = at + h;
        const double up = value(c, &x);
        x.block[i][j] = at - h;
        const double down = value(c, &x);
        x.block[i][j] = at;
        const double scale = 1 + crs_norm(size(c, i), g) + 1e-5 * (fabs(up) + fabs(down)) / h;
        crs_report_note(out, "gradient = central differences",
                        fabs((up - down) / (2 * h) - g[j]) / scale, 1e-5);
        if (!c->a->f.ops->touches(&c->a->f, i))
            crs_report_note(out, "untouched block, no gradient", crs_norm(size(c, i), g), 0);
    }
}

/* Differences between two points of the region: along all blocks, or along one of them. */
typedef struct {
    double step2;          /* |y - x|^2 */
    double change2, last2; /* |grad f(y) - grad f(x)|^2, and of the last block alone */
    double inner, step_p;  /* <grad f(x), y - x>, |y - x|_p^p */
    double block2[CRS_BLOCKS];
} difference;

static difference compare(const smooth_case *c, const point *x, const point *y, double p)
{
    difference r = { 0 };
    double gx[PLACE], gy[PLACE];
    for (int i = 0; i < c->b->count; i++) {
        grad(c, x, i, gx);
        grad(c, y, i, gy);
        for (ptrdiff_t j = 0, n = size(c, i); j < n; j++) {
            const double s = y->block[i][j] - x->block[i][j];
            r.step2 += s * s;
            r.step_p += pow(fabs(s), p);
            r.inner += gx[j] * s;
            r.block2[i] += square(gy[j] - gx[j]);
        }
        r.change2 += r.block2[i];
    }
    r.last2 = r.block2[c->b->count - 1];
    return r;
}

static void check_constants(const smooth_case *c, draws *d, crs_report *out)
{
    point x, y;
    double block[CRS_BLOCKS];
    crease_constants k;
    crease_error e;
    const bool known = crease_smooth_constants(&c->a->f, c->b, c->b->count - 1, &k, block, &e);
    crs_report_note(out, "constants are given", !known, 0);
    if (!known) return;
    for (int trial = 0; trial < 10; trial++) {
        draw_point(c, d, &x);
        draw_point(c, d, &y);
        const double fx = value(c, &x), fy = value(c, &y), scale = 1 + fabs(fx) + fabs(fy);
        const difference r = compare(c, &x, &y, k.p);
        const double noise = 1e-12 * (1 + sqrt(r.change2));
        crs_report_note(out, "L", pos(sqrt(r.change2) - k.L * sqrt(r.step2) - noise), 0);
        crs_report_note(out, "M", pos(sqrt(r.last2) - k.M * sqrt(r.step2) - noise), 0);
        crs_report_note(out, "lower bound", pos(k.lower - fx) / scale, 1e-13);
        crs_report_note(out, "(p, rho)", pos(fy - fx - r.inner - k.rho / 2 * r.step_p) / scale,
                        1e-12);
        if (k.concave) crs_report_note(out, "concave", pos(fy - fx - r.inner) / scale, 1e-12);
        const int i = (int)below(d, c->b->count);
        for (int other = 0; other < c->b->count; other++)
            if (other != i) copy(size(c, other), x.block[other], y.block[other]);
        const difference one = compare(c, &x, &y, 2);
        crs_report_note(out, "L_i", pos(sqrt(one.block2[i]) - block[i] * sqrt(one.step2) - noise),
                        0);
        if (c->a->f.ops->curvature) {
            const double *p[CRS_BLOCKS];
            pointers(&x, p);
            const double here = c->a->f.ops->curvature(&c->a->f, c->b, p, i, c->work);
            crs_report_note(out, "curvature",
                            pos(sqrt(one.block2[i]) - here * sqrt(one.step2) - noise), 0);
        }
    }
}

static void check_nan(const smooth_case *c, draws *d, crs_report *out)
{
    point x;
    const int i = (int)below(d, c->b->count);
    draw_point(c, d, &x);
    if (!c->a->f.ops->touches(&c->a->f, i)) return;
    x.block[i][below(d, size(c, i))] = NAN;
    crs_report_note(out, "NaN in, NaN out", !isnan(value(c, &x)), 0);
}

bool crs_selftest_smooth(int entry, long trials, uint64_t seed, crs_report *out, crease_error *e)
{
    draws d = { { seed, 3000 + (uint64_t)entry }, 0 };
    *out = (crs_report){ .kind = "coupling", .name = crease_smooth_at(entry)->name };
    for (long k = 0; k < trials; k++) {
        crs_smooth_sample a;
        if (!crs_sample_smooth(&d, entry, &a, e)) return false;
        double *work = crs_doubles(crease_smooth_scratch(&a.f, &a.blocks), "the self-test", e);
        if (!work) return false;
        const smooth_case c = { &a, &a.blocks, work };
        check_gradient(&c, &d, out);
        check_constants(&c, &d, out);
        crs_check_argmin(&c, &d, out);
        check_nan(&c, &d, out);
        crs_free(work);
    }
    return true;
}
