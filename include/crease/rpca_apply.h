/* SPDX-License-Identifier: MIT
 * rpca_apply.h: new slices seen through fitted factors: robust coefficients and outlier scores
 *
 * A slice t along one mode, M the Khatri-Rao product of the other factors, c = alpha_N/(1+alpha_N):
 *     min over a  sum_j phi(t_j - (M a)_j) + (nu/2)|a|^2,
 *     phi(r) = min over e  c (r - e)^2 + alpha rho(|e|)
 * which is CP robust PCA with the other factors held. */
#ifndef CREASE_RPCA_APPLY_H
#define CREASE_RPCA_APPLY_H

#include <crease/reg.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    crease_space shape; /* of the new data: any number of slices along `mode` */
    ptrdiff_t rank;
    int mode;                    /* counted from 0 */
    const double *const *factor; /* I_n x rank for n != mode; factor[mode] is not read */
    crease_reg penalty;          /* rho; ops NULL: the 1-norm. One made from a scalar penalty */
    double alpha, alpha_noise;   /* > 0 */
    double ridge;                /* nu >= 0 */
    bool nonneg;                 /* a >= 0 */
    bool missing;                /* NaN marks an entry that was not observed */
    const double *mask;          /* 0 or 1 an entry; NULL: ones */
    const double *trained;       /* coefficients of slices seen before; NULL: none */
    ptrdiff_t trained_count;
} crease_cp_apply_settings;

typedef struct {
    double share;     /* of the observed entries that are outliers: e != 0 */
    double energy;    /* |e|^2/|r - e|^2, r the residual; 0 without outliers */
    double scale;     /* median|r| */
    double distance;  /* of a from the trained ones: root mean square over terms of
                         (a_r - median)/(1.4826 MAD); NaN without them */
    double objective; /* of the slice's problem */
    double gradient;  /* its stationarity residual, relative to 2c |M| |r - e| + nu |a| */
    ptrdiff_t observed;
    int iterations;
} crease_cp_slice_score;

/* Arrays of the caller: coefficients (slices x rank); the rest may be NULL. lowrank and sparse have
 * the shape of the data; sparse is 0 where nothing was observed. */
typedef struct {
    double *coefficients;
    double *lowrank, *sparse;
    crease_cp_slice_score *score; /* a slice */
} crease_cp_apply_result;

CREASE_API bool crease_cp_apply(const crease_cp_apply_settings *s, const double *tensor,
                                const crease_cp_apply_result *out, crease_error *e);

#ifdef __cplusplus
}
#endif

#endif
