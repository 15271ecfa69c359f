/* SPDX-License-Identifier: MIT
 * spca_alpha: the weight at which entries of t_i = T(.., u_j, ..) vanish when |t_ij| <= s, s the
 * threshold, or a fraction of max |t_i|, max the least over the modes
 *
 * A penalty with slope rho'(0+) < inf puts |t_ij| <= alpha rho'(0+) to zero. With l0 an entry
 * is worth sqrt(|t_i|^2 + t_ij^2) - |t_i|, about t_ij^2/(2 |t_i|), against alpha rho(1). */
#include "reg/reg.h"
#include "spca/spca.h"

static double least_peak(crease_spca *m, double *norm)
{
    double least = INFINITY;
    for (int n = 0; n < m->s.shape.order; n++) {
        const double length = crs_spca_slope(m, m->start, n);
        double peak = 0;
        for (ptrdiff_t j = 0; j < m->s.shape.dim[n]; j++) peak = larger(peak, fabs(m->t[j]));
        if (peak < least) least = peak, *norm = length;
    }
    return least;
}

static double weight_for(const crease_reg *r, double s, double norm)
{
    if (!r->penalty) return s;
    const double slope = r->penalty->slope(r->par, 0);
    if (slope == INFINITY) return s * s / (2 * norm) / r->penalty->value(r->par, 1);
    return slope > 0 ? s / slope : s;
}

void crs_spca_set_alpha(crease_spca *m)
{
    double norm = 0, alpha = m->s.alpha;
    if (alpha == 0) {
        const double peak = least_peak(m, &norm);
        alpha = weight_for(&m->s.penalty,
                           m->s.threshold > 0 ? m->s.threshold : m->s.fraction * peak, norm);
    }
    m->alpha = alpha > 0 && alpha < INFINITY ? alpha : 1; /* nothing is left of T: any will do */
    for (int n = 0; n < m->s.shape.order; n++)
        m->block[n].reg = crease_scaled(m->alpha, &m->s.penalty);
}
