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

/* The numbers of certificate.h: the reference's terms count by this share, a relative move may
 * change the objective by so many times eps of its size, and no scale falls below this share of the
 * terms. */
static const double CRS_SHARE = 1e-3, CRS_MOVE = 100, CRS_LEAST = 1e-4;

/* The scales of a point whose objective is of size F (scale.c): of block i in setting 2, whose
 * terms and |x_i| are these; its terms alone; of a gap; of the constraint. */
double crs_scale_of_block(const crease_reference *r, int i, double F, double terms, double x);
double crs_scale_of_terms(const crease_reference *r, int i, double terms);
double crs_scale_of_gap(const crease_reference *r, double F, double terms);
double crs_scale_of_constraint(const crease_reference *r, double F, double terms, double lambda);

/* The size of the objective, f there included. */
double crs_objective_size(const crease_problem *p, const double *const *x, double f, double *work);

const double **crs_reference_point(const crease_reference *r); /* room for a pointer per block */

#endif
