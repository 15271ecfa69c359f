/* SPDX-License-Identifier: MIT
 * recipe_admm_m: proximal ADMM-m, Theorem 3.18 with ell >= L_N and M for L
 *
 * tau_N = ell - L_N/2 - 3(2 ell^2 + M^2)/(b sigma), c_H = 3 M^2/(b sigma); with ell = M the paper's
 * b > 18 M/sigma. M = 0 leaves b free and asks for ell < b sigma/6. */
#include "theory/theory.h"

void crs_recipe_admm_m(const crease_problem *p, const crease_options *o, crease_analysis *a)
{
    const double sigma = a->sigma_last;
    const double M = a->mode == CREASE_MODE_PAPER ? larger(a->M, a->L) : a->M;
    const double bound = 18 * M / sigma, times = a->mode == CREASE_MODE_PRACTICAL ? 1.2 : 1.5;
    const double b = o->beta > 0             ? o->beta
                     : M > 0 && M < INFINITY ? times * bound
                                             : crs_free_beta(a);
    const double ell = M > 0 && M < INFINITY ? M : b * sigma / 12, LN = smaller(a->L_last, M);
    const double cH = 3 * M * M / (b * sigma);
    const double drop = ell - LN / 2 - 3 * (2 * ell * ell + M * M) / (b * sigma);
    (void)p;
    a->theorem = a->mode == CREASE_MODE_PAPER ? "Theorem 3.18" : "Theorem 3.18 with M for L (R0)";
    a->beta = b;
    a->ell = ell;
    a->slack = bound > 0 ? b / bound : INFINITY;
    crs_note(a, "A_N of full row rank", -1, when(sigma > 0), sigma,
             "lambda_min(A_N A_N') is at least this");
    crs_note(a, "beta > 18 M/sigma_N", -1, M < INFINITY ? when(drop > 0) : CREASE_UNKNOWN, a->slack,
             "beta = %g is %.3g times its bound %g", b, a->slack, bound);
    crs_set_h(o, a,
              a->mode == CREASE_MODE_PRACTICAL ? 2.2 * cH + 0.02 * b
                                               : larger(5 * M / 9, 2.5 * cH + 1e-3 * b),
              2 * cH);
    a->theta_factor = 2;
    a->potential_weight = 3 * (M * M + ell * ell) / (b * sigma);
    a->last_weight = 1;
    a->decrease = smaller(drop, crs_least_h(a) / 2 - cH);
    const double k1 = 3 * (M * M + ell * ell) / (b * b * sigma), k2 = square(ell + LN);
    a->kappa = larger(crs_kappa_blocks(a), larger(k1, k2));
}
