/* SPDX-License-Identifier: MIT
 * evidence.h: everything that is recomputed before the verdict */
#ifndef CRS_EVIDENCE_H
#define CRS_EVIDENCE_H

#include "verify/verify.h"

/* The point to be judged. */
typedef struct {
    const double *const *x;
    const double *lambda;
    const double *const *g;
    bool gcg, relative;
} crs_point;

typedef struct {
    crs_finding *block, feasibility;
    crs_membership *member; /* of x_i in X_i */
} crs_evidence;

/* false: refused or out of memory, as v says. */
bool crs_collect(crs_verifier *v, const crs_point *at, crs_evidence *out);

#endif
