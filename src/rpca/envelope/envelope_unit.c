/* SPDX-License-Identifier: MIT
 * envelope_unit: a penalty measured in a unit that the data have taught
 *
 * With alpha = 2c a face acts as the plain prox of rho; u^2 rho(y/u) has u times its threshold. */
#include "rpca/envelope/envelope_solve.h"

crs_envelope_face crs_envelope_with_threshold(const crs_envelope_face *f, double t, double c)
{
    crs_envelope_face g = { .penalty = f->penalty, .alpha = 2 * c };
    copy(CREASE_PARS, f->par, g.par);
    const double own = crs_envelope_threshold(&g, c);
    if (own > 0 && own < INFINITY) f->penalty->rescale(f->par, t / own, g.par);
    return g;
}
