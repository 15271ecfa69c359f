/* SPDX-License-Identifier: MIT
 * bound: the a-priori number of iterations
 *
 * ADMM, BCD: K = ceil(theta_factor kappa drop/(tau eps^2)).
 * The extension's bound is about sum A_i x_i + y = b; without the slack, |sum A_i x_i - b|^2 <=
 * 2 drop/mu, which must be eps^2 at most.
 * GCG: K = ceil(2 drop/(eps min{1, (eps/(D^p rho))^{1/(p-1)}})), concave f: ceil(drop/eps). */
#include "theory/theory.h"

double crease_iteration_bound(const crease_analysis *a, double drop, double eps)
{
    if (!a->guarantee || !(drop >= 0) || !(eps > 0)) return INFINITY;
    if (a->method == CREASE_METHOD_EXTENSION && !(a->mu * eps * eps >= 2 * drop)) return INFINITY;
    if (a->method != CREASE_METHOD_GCG)
        return ceil(a->theta_factor * a->kappa * drop / (a->decrease * eps * eps));
    if (a->concave) return ceil(drop / eps);
    const double rho = a->backtrack_rho ? 2 * a->rho : a->rho;
    const double ratio = eps / (pow(a->diameter_p, a->p) * rho);
    const double share = ratio < 1 ? pow(ratio, 1 / (a->p - 1)) : 1;
    return ceil(2 * drop / (eps * share));
}
