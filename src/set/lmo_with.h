/* SPDX-License-Identifier: MIT
 * lmo_with.h: the rules of the generalized linear oracle */
#ifndef CRS_LMO_WITH_H
#define CRS_LMO_WITH_H

#include "set/pair.h"

/* y minimizes <g, y> + r(y); returns the minimum. y is not g. */
typedef double crs_lmo_rule(const crs_form *f, const crease_set *c, const crease_space *s,
                            const double *g, double *y, double *work);

double crs_form_value(const crs_form *f, const crease_space *s, const double *g, const double *y,
                      double *work);

/* lambda sum sigma_j(Y) on the nuclear, spectral and Frobenius balls (lmo_spectral.c). */
bool crs_is_matrix_ball(const crease_set *c);
crs_lmo_rule crs_lmo_nuclear;

#endif
