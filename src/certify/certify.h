/* SPDX-License-Identifier: MIT
 * certify.h: shared with the solver; nothing here knows methods or theory */
#ifndef CRS_CERTIFY_H
#define CRS_CERTIFY_H

#include <crease/certificate.h>

#include "problem/problem.h"

static const double CRS_UNIT = 0x1p-53; /* of rounding */

/* Work for crease_certify, or for crs_certify_gap, on p. */
ptrdiff_t crs_certify_room(const crease_problem *p, bool gap);

/* The certificate of a conditional gradient problem: worst = -psi_S(x), block by block. */
void crs_certify_gap(const crease_problem *p, const double *const *x, crease_certificate *c,
                     double *room);

#endif
