/* SPDX-License-Identifier: MIT
 * certify.h: shared with the solver; nothing here knows methods or theory */
#ifndef CRS_CERTIFY_H
#define CRS_CERTIFY_H

#include <crease/certificate.h>

#include "problem/problem.h"
#include "reg/reg.h"

static const double CRS_UNIT = 0x1p-53;       /* of rounding */
static const double CRS_VANISHING = 0x1p-537; /* squares of less are 0 */

/* Work for crease_certify, or for crs_certify_gap, on p. */
ptrdiff_t crs_certify_room(const crease_problem *p, bool gap);

/* The residual of block i at x_i with c_i = grad_i f - A_i'lambda: without f, constraint, rounding.
 * room as for crease_certify. */
double crs_stationarity(const crease_problem *p, int i, const double *x, const double *c,
                        double *room);

/* The certificate of a conditional gradient problem: worst = -psi_S(x), block by block. */
void crs_certify_gap(const crease_problem *p, const double *const *x, crease_certificate *c,
                     double *room);

/* Of a problem of one block and no constraint: its images at x, its gradient there and that at 0.
 */
typedef struct {
    const double *images, *gradient, *at_zero;
} crs_known;

/* crease_certify, at a point of which that is known. */
void crs_certify_known(const crease_problem *p, const double *x, const crs_known *known,
                       crease_certificate *c, double *work);

/* The reference of certificate.h (scale.c). */
struct crease_reference {
    double objective;     /* F_0; 0: none */
    double constraint;    /* c_0 */
    double *size, *own;   /* a block: |x_i^0|, and t_i^0 */
    const double **point; /* a pointer per block, scratch of certificates */
    int count;
    void *memory;
};

/* With looks on the way, which cut nothing. */
crease_reference *crs_reference_new(const crease_problem *p, const crease_watch *w,
                                    crease_error *e);

/* F where it is compared with F_0; f is f(x). */
static inline double crs_objective_size(const crease_problem *p, const double *const *x, double f,
                                        double *work)
{
    double sum = f;
    for (int i = 0; i < p->count; i++)
        sum += crs_reg_size(crs_reg_of(p, i), &p->space[i], x[i], work);
    return sum;
}

/* The scale of a condition that multiplies something of size `per`; a: the first part of it. */
static inline double crs_scale(const crease_reference *r, double F, double per, double a)
{
    if (!(r->objective > 0) || per == 0) return a;
    return clip(100 * larger(F, r->objective) / per, 1e-4 * a, a);
}

static inline double crs_scale_of_terms(const crease_reference *r, int i, double terms) /* a_i */
{
    return larger(terms, 1e-3 * r->own[i]);
}

#endif
