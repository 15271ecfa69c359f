/* SPDX-License-Identifier: MIT
 * cp_fit_start.h: the start of the fused engine. `shell` lends the data and the factors to the
 * model's own code. */
#ifndef CRS_CP_FIT_START_H
#define CRS_CP_FIT_START_H

#include "rpca/fit.h"
#include "rpca/fused/cp_fused.h"

/* The data and the mask of a fit; NULL: memory. */
crease_cp_rpca *crs_cp_fit_shell(const crease_cp_fit *f, double *tensor, crease_error *e);
void crs_cp_fit_shell_free(crease_cp_rpca *shell);

/* sigma^(2(d-1)/d), sigma the root mean square of the observed entries; 1 without any */
double crs_cp_gram_size(const crease_cp_fit *f, const double *tensor);

/* The factors of a tensor of zeros are zero. */
bool crs_cp_fit_start_factors(crease_cp_fit *f, crease_cp_rpca *shell, crease_error *e);

/* Factors, Z and B into the iteration. */
bool crs_cp_fit_start(crease_cp_fit *f, crease_cp_rpca *shell, crs_cp_fused *s, crease_error *e);

#endif
