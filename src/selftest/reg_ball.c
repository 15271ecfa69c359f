/* SPDX-License-Identifier: MIT
 * reg_ball: the prox restricted to |x|_2 <= R is never beaten by a point of the ball */
#include "selftest/reg_checks.h"

static void into_ball(ptrdiff_t n, double radius, double *z)
{
    const double norm = crs_norm(n, z), factor = norm > radius ? radius / norm : 1;
    for (ptrdiff_t j = 0; j < n; j++) z[j] *= factor;
}

void crs_check_ball(const crs_prox_case *given, draws *d, crs_report *out)
{
    crease_reg_traits traits;
    crs_prox_case c = *given;
    const double size = crs_norm(c.n, c.v), radius = size * uniform(d, 0.05, 1.2) + 1e-3;
    double x[CRS_MOST], z[CRS_MOST];
    if (!c.r->ops->prox_ball) return;
    c.r->ops->traits(c.r, c.s, INFINITY, &traits);
    if (!(traits.ball_step > 0)) return;
    if (!(c.t < traits.ball_step)) c.t = 0.9 * traits.ball_step;
    c.r->ops->prox_ball(c.r, c.s, c.t, radius, c.v, x, c.work);
    crs_report_note(out, "ball prox inside the ball", pos(crs_norm(c.n, x) / radius - 1), 1e-14);

    const double found = crs_prox_objective(&c, x);
    double best = found;
    for (int k = 0; k < 120; k++) {
        const double scale = radius * pow(10, uniform(d, -7, 0));
        for (ptrdiff_t j = 0; j < c.n; j++) {
            z[j] = k < 60 ? x[j] + scale * normal(d) * (k % 2 || x[j] != 0)
                          : c.v[j] * (double)below(d, 2);
            if (k >= 90) z[j] = radius * normal(d) * (double)below(d, 2);
        }
        into_ball(c.n, radius, z);
        best = smaller(best, crs_prox_objective(&c, z));
    }
    crs_report_note(out, "ball prox against search",
                    (found - best) / (best + 1e-6 * size * size / (2 * c.t) + 1e-300), 1e-12);
}
