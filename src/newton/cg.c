/* SPDX-License-Identifier: MIT
 * cg: preconditioned conjugate gradients that leave at a direction of no curvature
 *
 * Steihaug, SIAM J. Numer. Anal. 20 (1983). */
#include "newton/newton.h"

bool crs_cg_solve(const crs_cg *cg, ptrdiff_t n, const double *b, double *d)
{
    double *r = cg->room, *z = r + n, *p = z + n, *q = p + n;
    const double enough = cg->tolerance * crs_norm(n, b);
    fill(n, 0, d);
    copy(n, b, r);
    cg->precondition(cg->self, r, p);
    double rz = crs_dot(n, r, p);
    for (int k = 0; k < cg->steps && !crease_watch_over(cg->watch); k++) {
        cg->times(cg->self, p, q);
        const double curvature = crs_dot(n, p, q);
        if (!(curvature > 1e-14 * crs_dot(n, p, p))) { /* or NaN */
            if (k == 0) copy(n, p, d);
            return false;
        }
        const double step = rz / curvature;
        axpy(n, step, p, d);
        axpy(n, -step, q, r);
        if (!(crs_norm(n, r) > enough)) break;
        cg->precondition(cg->self, r, z);
        const double next = crs_dot(n, r, z), ratio = next / rz;
        for (ptrdiff_t j = 0; j < n; j++) p[j] = z[j] + ratio * p[j];
        rz = next;
    }
    return true;
}
