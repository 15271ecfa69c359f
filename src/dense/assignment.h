/* SPDX-License-Identifier: MIT
 * assignment.h: the linear assignment problem */
#ifndef CRS_ASSIGNMENT_H
#define CRS_ASSIGNMENT_H

#include "core/core.h"

/* perm minimizes sum cost[i][perm[i]]; potentials with u_i + v_j <= cost_ij, equal on the chosen
 * pairs, prove it. False when a cost, or a difference of costs, is not finite. */
ptrdiff_t crs_assignment_scratch(ptrdiff_t n);
bool crs_assignment(ptrdiff_t n, const double *cost, ptrdiff_t *perm, double *u, double *v,
                    double *work);

#endif
