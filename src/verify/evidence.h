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
    bool coarse;            /* was anything done in double? */
} crs_evidence;

/* false: refused or out of memory, as v says. */
bool crs_collect(crs_verifier *v, const crs_point *at, crs_evidence *out);

/* Are all numbers of the point finite? If not, *out says which is not (verdict.c). */
bool crs_point_finite(const crease_problem *p, const crs_point *at, crease_verification *out);
void crs_decide(const crease_problem *p, const crs_point *at, const crs_evidence *e, double eps,
                crease_verification *out);

#endif
