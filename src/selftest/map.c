/* SPDX-License-Identifier: MIT
 * map: what every linear map promises: its adjoint, linearity, and bounds on the safe side */
#include "selftest/sample.h"

typedef struct {
    const crs_map_sample *a;
    ptrdiff_t m, n;
    double *work;
} map_case;

static void apply(const map_case *c, const double *x, double *y) /* y = A x */
{
    fill(c->m, 0, y);
    c->a->A.ops->apply(&c->a->A, &c->a->dom, &c->a->ran, 1, x, y, c->work);
}

static void adjoint(const map_case *c, const double *y, double *x) /* x = A'y */
{
    fill(c->n, 0, x);
    c->a->A.ops->adjoint(&c->a->A, &c->a->dom, &c->a->ran, 1, y, x, c->work);
}

static void check_linear(const map_case *c, draws *d, crs_report *out)
{
    double x[CRS_MOST], z[CRS_MOST], y[CRS_MOST], Ax[CRS_MOST], Az[CRS_MOST], both[CRS_MOST],
        t[CRS_MOST];
    const double a = normal(d);
    normals(d, c->n, 1, x);
    normals(d, c->n, 1, z);
    normals(d, c->m, 1, y);
    apply(c, x, Ax);
    apply(c, z, Az);
    adjoint(c, y, t);
    const double size = 1 + crs_norm(c->m, Ax) * crs_norm(c->m, y);
    crs_report_note(out, "<Ax,y> = <x,A'y>",
                    fabs(crs_dot(c->m, Ax, y) - crs_dot(c->n, x, t)) / size, 1e-13);
    copy(c->m, Ax, both); /* A x + a A z, accumulated */
    c->a->A.ops->apply(&c->a->A, &c->a->dom, &c->a->ran, a, z, both, c->work);
    for (ptrdiff_t j = 0; j < c->n; j++) t[j] = x[j] + a * z[j];
    apply(c, t, y);
    double differ = 0;
    for (ptrdiff_t j = 0; j < c->m; j++) differ = larger(differ, fabs(both[j] - y[j]));
    crs_report_note(out, "linear, accumulating",
                    differ / (1 + crs_norm(c->m, Ax) + fabs(a) * crs_norm(c->m, Az)), 1e-13);
}

/* Power iteration approaches |A|_2 from below and, on c I - A A', lambda_min from above. */
static void check_bounds(const map_case *c, draws *d, crs_report *out)
{
    double norm = NAN, sigma = NAN, x[CRS_MOST], y[CRS_MOST], t[CRS_MOST], most = 0,
           least = INFINITY;
    crease_error e;
    const bool known = crease_map_norm(&c->a->A, &c->a->dom, &c->a->ran, &norm, &e) &&
                       crease_map_sigma_min(&c->a->A, &c->a->dom, &c->a->ran, &sigma, &e);
    crs_report_note(out, "bounds are given", !known, 0);
    normals(d, c->m, 1, y);
    for (int k = 0; k < 60; k++) {
        const double size = crs_norm(c->m, y);
        for (ptrdiff_t j = 0; j < c->m; j++) y[j] /= size;
        adjoint(c, y, x);
        most = larger(most, crs_norm(c->n, x));
        least = smaller(least, square(crs_norm(c->n, x)));
        apply(c, x, t);
        for (ptrdiff_t j = 0; j < c->m; j++)
            y[j] = k < 30 ? t[j] + 1e-12 * y[j] : (norm * norm + 1e-12) * y[j] - t[j];
        if (k == 30) normals(d, c->m, 1, y);
    }
    crs_report_note(out, "norm bound", pos(most - norm) / (1e-300 + norm), 1e-15);
    crs_report_note(out, "sigma_min bound",
                    larger(pos(sigma - least), pos(-sigma)) / (1e-300 + norm * norm), 1e-15);
}

static void check_identity(const map_case *c, crs_report *out)
{
    double factor, x[CRS_MOST], y[CRS_MOST], differ = 0;
    if (!crease_map_is_identity(&c->a->A, &c->a->dom, &c->a->ran, &factor)) return;
    for (ptrdiff_t j = 0; j < c->n; j++) {
        fill(c->n, 0, x);
        x[j] = 1;
        apply(c, x, y);
        for (ptrdiff_t i = 0; i < c->m; i++)
            differ = larger(differ, fabs(y[i] - (i == j ? factor : 0)));
    }
    crs_report_note(out, "c times the identity", c->m == c->n ? differ : INFINITY, 0);
}

bool crs_selftest_map(int entry, long trials, uint64_t seed, crs_report *out, crease_error *e)
{
    draws d = { { seed, 2000 + (uint64_t)entry }, 0 };
    *out = (crs_report){ .kind = "map", .name = crease_map_at(entry)->name };
    for (long k = 0; k < trials; k++) {
        crs_map_sample a;
        if (!crs_sample_map(&d, entry, &a, e)) return false;
        double *work = crs_doubles(crease_map_scratch(&a.A, &a.dom, &a.ran), "the self-test", e);
        if (!work) return false;
        const map_case c = { &a, crease_size(&a.ran), crease_size(&a.dom), work };
        check_linear(&c, &d, out);
        check_bounds(&c, &d, out);
        check_identity(&c, out);
        crs_free(work);
    }
    return true;
}
