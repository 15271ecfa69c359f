/* SPDX-License-Identifier: MIT
 * smooth_argmin: the minimizer over one block with a proximal term, against random search */
#include "selftest/smooth_checks.h"

/* f(.., y, ..) + (h/2)|y - v|^2 */
static double block_objective(const smooth_case *c, point *x, int i, double h, const double *v,
                              const double *y)
{
    double kept[PLACE], sum = 0;
    const ptrdiff_t n = size(c, i);
    copy(n, x->block[i], kept);
    copy(n, y, x->block[i]);
    for (ptrdiff_t j = 0; j < n; j++) sum += square(y[j] - v[j]);
    const double f = value(c, x) + h / 2 * sum;
    copy(n, kept, x->block[i]);
    return f;
}

void crs_check_argmin(const smooth_case *c, draws *d, crs_report *out)
{
    point x;
    const int i = (int)below(d, c->b->count);
    const ptrdiff_t n = size(c, i);
    const double h = spread(d, -2, 3), radius = below(d, 2) ? INFINITY : spread(d, -1, 1);
    double v[PLACE], y[PLACE], z[PLACE];
    const double *p[CRS_BLOCKS];
    draw_point(c, d, &x);
    normals(d, n, 1, v);
    pointers(&x, p);
    if (!c->a->f.ops->argmin ||
        !c->a->f.ops->argmin(&c->a->f, c->b, p, i, h, v, radius, NULL, c->work) ||
        !c->a->f.ops->argmin(&c->a->f, c->b, p, i, h, v, radius, y, c->work))
        return;
    const double found = block_objective(c, &x, i, h, v, y), length = crs_norm(n, y);
    crs_report_note(out, "block minimizer in its ball", pos(length - radius) / (1 + length), 1e-13);
    double best = found;
    for (int k = 0; k < 40; k++) {
        const double scale = (1 + length) * pow(10, uniform(d, -6, 0));
        for (ptrdiff_t j = 0; j < n; j++) z[j] = y[j] + scale * normal(d);
        const double far = crs_norm(n, z), factor = far > radius ? radius / far : 1;
        for (ptrdiff_t j = 0; j < n; j++) z[j] *= factor;
        best = smaller(best, block_objective(c, &x, i, h, v, z));
    }
    crs_report_note(out, "block minimizer against search", (found - best) / (1 + fabs(best)),
                    1e-12);
}
