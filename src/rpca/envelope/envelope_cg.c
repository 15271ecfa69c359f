/* SPDX-License-Identifier: MIT
 * envelope_cg: preconditioned conjugate gradients for the envelope's quadratic model
 *
 * Hestenes, Stiefel, Methods of conjugate gradients for solving linear systems, 1952. */
#include "rpca/envelope/envelope_model.h"

int crs_envelope_cg(const crs_envelope_model *m, double damping, const double *b, double tolerance,
                    int most, double *e, double *work)
{
    const ptrdiff_t n = crs_envelope_model_unknowns(m);
    double *r = work, *z = r + n, *p = z + n, *hp = p + n;
    const double target = tolerance * crs_norm(n, b);
    fill(n, 0, e);
    copy(n, b, r);
    crs_envelope_model_precondition(m, r, z);
    copy(n, z, p);
    double rz = crs_dot(n, r, z);
    int k = 0;
    for (; k < most && rz > 0 && crs_norm(n, r) > target; k++) {
        crs_envelope_model_apply(m, damping, p, hp);
        const double curvature = crs_dot(n, p, hp);
        if (!(curvature > 0)) break;
        axpy(n, rz / curvature, p, e);   /* e += a p */
        axpy(n, -rz / curvature, hp, r); /* r -= a H p */
        crs_envelope_model_precondition(m, r, z);
        const double next = crs_dot(n, r, z);
        for (ptrdiff_t j = 0; j < n; j++) p[j] = z[j] + next / rz * p[j];
        rz = next;
    }
    return k;
}
