/* SPDX-License-Identifier: MIT
 * spectral.h: the parts of the spectral regularizers that others use */
#ifndef CRS_SPECTRAL_H
#define CRS_SPECTRAL_H

#include "reg/reg.h"

double crs_spectral_dist(const crease_reg *r, const crease_space *s, const double *x,
                         const double *g, double *work);

/* The minimizer of r(X) + |X-V|^2/(2t) over sigma_1(X) <= radius, for every t; r is a spectral
 * regularizer and work what it asks for. */
void crs_spectral_prox_spectral_ball(const crease_reg *r, const crease_space *s, double t,
                                     double radius, const double *v, double *x, double *work);

#endif
