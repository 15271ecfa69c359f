/* SPDX-License-Identifier: MIT
 * slices.h: one slice of new data regressed robustly on given terms */
#ifndef CRS_SLICES_H
#define CRS_SLICES_H

#include "reg/reg.h"
#include "rpca/rpca.h"

/* The problem of a slice t (slice.c), and its memory. */
typedef struct {
    ptrdiff_t entries, rank;
    const double *m;           /* entries x rank */
    crs_penalty_value penalty; /* alpha rho */
    double c, nu, dead;        /* e = 0 for |r| <= dead */
    bool soft, nonneg;         /* rho is the 1-norm; a >= 0 */
    double *gram;              /* 2c M'M + nu I */
    double *chol;              /* its factor */
    double norm;               /* |M| */
    double *r, *q, *e;         /* entries */
    double *g, *d, *h;         /* rank, rank, rank x rank */
    crease_watch *watch;
} crs_slice;

/* The problem of every slice; rank, penalty, ... of the settings, M their terms. */
crs_slice crs_slice_of(const crease_cp_apply_settings *s, const crease_reg *penalty,
                       const double *m);
/* m, c, nu, .. are set; also after a failure to be closed. */
bool crs_slice_open(crs_slice *s, crease_error *e);
void crs_slice_close(crs_slice *s);
/* r = t - M a, 0 where t is NaN; e = prox(r); g = -2c M'(r - e) + nu a */
void crs_slice_evaluate(crs_slice *s, const double *t, const double *a);
/* From a on; evaluated at the end. Returns the iterations. */
int crs_slice_solve(crs_slice *s, const double *t, double *a);
/* As it was evaluated; without its distance and its iterations. work: entries */
crease_cp_slice_score crs_slice_score(const crs_slice *p, const double *t, const double *a,
                                      double *work);

#endif
