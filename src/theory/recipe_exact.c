/* SPDX-License-Identifier: MIT
 * recipe_exact: R2: f quadratic and separable in the last block, minimized exactly, A_N = c I
 *
 * With b' = beta c^2 and D the eigenvalues of the quadratic: -b'/2 < D < b'; L_beta drops by
 * (b' - D)(b' + 2D)/(2b') |dx_N|^2; L_beta >= f* + sum r_i*. */
#include "theory/theory.h"

void crs_recipe_exact(const crease_problem *p, const crease_options *o, crease_analysis *a)
{
    const double c2 = square(a->map_scale), low = a->last_low, high = a->last_high;
    const double size = larger(fabs(low), fabs(high)), bound = larger(high, -2 * low);
    const double factor = a->mode == CREASE_MODE_THEORY ? 2 : 1.5;
    const double b = o->beta > 0 ? o->beta * c2
                     : bound > 0 ? factor * bound
                                 : crs_free_beta(a) * c2;
    const double at_low = (b - low) * (b + 2 * low) / (2 * b);
    const double at_high = (b - high) * (b + 2 * high) / (2 * b);
    const double drop = smaller(at_low, at_high);
    (void)p;
    if (a->method != CREASE_METHOD_EXTENSION)
        a->theorem = "R2: ADMM with the quadratic last block minimized exactly";
    a->beta = b / c2;
    a->slack = bound > 0 ? b / bound : INFINITY;
    crs_note(a, "beta c^2 > D", -1, when(b > bound), a->slack,
             "beta = %g is %.3g times its bound %g", a->beta, a->slack, bound / c2);
    crs_set_h(o, a, a->mode == CREASE_MODE_THEORY ? 2 * drop / c2 : 0.02 * a->beta, 0);
    a->theta_factor = 1;
    a->last_weight = c2;
    a->potential_weight = 0;
    a->decrease = smaller(drop / c2, crs_least_h(a) / 2);
    a->kappa = larger(crs_kappa_blocks(a), size * size / (c2 * c2 * a->beta * a->beta));
}
