/* SPDX-License-Identifier: MIT
 * reg_checks.h: shared by the checks of regularizers */
#ifndef CRS_REG_CHECKS_H
#define CRS_REG_CHECKS_H

#include "selftest/sample.h"

/* One random prox problem. */
typedef struct {
    const crease_reg *r;
    const crease_space *s;
    ptrdiff_t n;
    double t;
    const double *v;
    double *work;
} crs_prox_case;

double crs_prox_objective(const crs_prox_case *c, const double *x);

/* On spaces of one entry: prox and box prox against a refined grid, at thresholds too. */
void crs_check_line(const crs_prox_case *c, draws *d, crs_report *out);

/* Where the ball-restricted prox is exact: never beaten inside the ball. */
void crs_check_ball(const crs_prox_case *c, draws *d, crs_report *out);

#endif
