/* SPDX-License-Identifier: MIT
 * last_solver.h: (ell I + beta A_N'A_N)^{-1}, factored once */
#ifndef CRS_LAST_SOLVER_H
#define CRS_LAST_SOLVER_H

#include "method/method.h"

/* c I: a division. Small: Cholesky of ell I + beta A'A when A is tall, of (ell/beta) I + A A' with
 * Woodbury's identity when it is wide. Larger: conjugate gradients. */
ptrdiff_t crs_last_solver_size(const crease_problem *p, const crease_analysis *a);
bool crs_last_solver_prepare(crs_state *st, crease_error *e);
void crs_last_solve(crs_state *st, const double *g, double *y);

#endif
