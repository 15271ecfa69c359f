/* SPDX-License-Identifier: MIT
 * certificate.h: eps-stationarity by the definitions, from (x, lambda) and the problem alone
 *
 * With c_i = grad_i f(x) - A_i'lambda, a point is eps-stationary when |sum A_i x_i - b| <= eps and
 * for every block, by its setting,
 *     2: dist(-c_i, dr_i(x_i)) <= eps, r_i together with the indicator of X_i where there is one
 *     1: some g in dr_i(x_i) has <c_i+g, x_i> + sigma_{X_i}(-(c_i+g)) <= eps   (X_i compact)
 * A block with r_i = 0 and no set is in setting 2: |c_i| <= eps.
 *
 * With a relative eps each residual is compared with eps times a scale of its own, never less than
 * 1e-4 of its first part, which floating point can attain:
 *
 *     setting 2    min{ a_i,  100 D / max(|x_i|, |x_i^0|) }
 *     setting 1    min{ (a_i + |g|) (|x_i| + diameter of X_i),  100 D }
 *     feasibility  min{ max(sum |A_i x_i| + |b|, c_0/1000),  100 D / |lambda| }
 *     gcg          min{ sum_i a_i diameter + |<grad_i f, x_i> + r_i| + |its least|,  100 D }
 *
 * At the point, with F(x) and a penalty of singular values taken as if there were one alone:
 *
 *     t_i  |grad_i f at x_i = 0| + |what x_i adds to it| + |A_i'lambda|; in gcg |grad_i f|
 *     a_i  max(t_i, t_i^0/1000)
 *     D    max(F(x), F_0) where F_0 > 0; otherwise there is no second part
 *
 * At a reference that is made of the data alone, never of a start:
 *
 *     x_i^0     block i alone carrying b, the steepest descent step for A_i x_i = b from 0
 *     F_0       the least F among feasible points of one x_i^0 and zeros (without b, of zeros)
 *               where F >= 0 by its form: losses, squares, penalties and their sums
 *     lambda_i  the step for A_i'lambda = grad_i f from 0 at x^0/n, n the number of x_i^0 != 0
 *     t_i^0     |grad_i f| there + l |A_i'w|, l the least |lambda_j| > 0 and w the sum of
 *               lambda_j/|lambda_j|, or with alternating signs where that is more
 *     c_0       with b 0, otherwise sum |A_i d_i|, d_i the step of f in block i from 0
 *
 * docs/theory.md says why. */
#ifndef CREASE_CERTIFICATE_H
#define CREASE_CERTIFICATE_H

#include <crease/problem.h>
#include <crease/watch.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    int setting;      /* 1 or 2 */
    bool upper_bound; /* the residual is only known from above */
    double residual;  /* recomputed, rounding bound included */
    double rounding;  /* how much of it may be rounding */
    double scale;     /* what it is relative to */
} crease_residual;

/* What the residuals of a problem are relative to, of its data alone. NULL: out of memory. It
 * borrows nothing. */
typedef struct crease_reference crease_reference;
CREASE_API crease_reference *crease_reference_new(const crease_problem *p, crease_error *e);
CREASE_API void crease_reference_free(crease_reference *r);

typedef struct {
    double objective;
    crease_residual feasibility; /* |sum A_i x_i - b| */
    double worst;                /* largest residual of all, NaN when anything is not finite */
    double worst_relative;       /* largest residual / scale */
    double outside;              /* largest excess of any x_i over its set */
    int count;
    crease_residual *block;            /* one per block */
    const crease_reference *reference; /* NULL: scales are the sizes of terms at x */
    double size;                       /* of the objective, of certificates with a reference */
    const crease_watch *watch;         /* gives looks on the way, and cuts nothing; NULL: none */
} crease_certificate;

/* The setting a block is certified in, or 0 with a sentence when its pair (r_i, X_i) has no
 * computable residual here. */
CREASE_API int crease_setting(const crease_problem *p, int i, crease_error *e);

CREASE_API ptrdiff_t crease_certify_scratch(const crease_problem *p);

/* Fills c, whose block array has p->count places. lambda may be NULL without a constraint. The
 * problem must have passed crease_problem_check and every block have a setting. */
CREASE_API void crease_certify(const crease_problem *p, const double *const *x,
                               const double *lambda, crease_certificate *c, double *work);

/* psi_S(x) = min_y <grad f(x), y-x> + r(y) - r(x) of the generalized conditional gradient
 * setting, all blocks together; the point is eps-stationary there when it is >= -eps. */
CREASE_API bool crease_certify_gcg(const crease_problem *p, const double *const *x, double *psi,
                                   crease_error *e);

#ifdef __cplusplus
}
#endif

#endif
