/* SPDX-License-Identifier: MIT
 * penalty.h: a scalar penalty rho(y), y >= 0, from which regularizers are made:
 *     separable  sum_j rho(|x_j|)          group     sum_g rho(|x_g|_2)
 *     nonneg     the same with x >= 0      spectral  sum_j rho(sigma_j(X))
 * rho is lower semicontinuous, nondecreasing, rho(0) = 0. */
#ifndef CREASE_PENALTY_H
#define CREASE_PENALTY_H

#include <crease/param.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { CREASE_MAX_STATIONARY = 3 };

typedef struct {
    const char *name;
    const char *formula; /* of rho(y) */
    const crease_param *params;
    const char *lipschitz_text; /* on the whole line: "lambda", "none", ... */
    const char *weak_convexity_text;
    bool convex;

    double (*value)(const double *par, double y);

    /* rho'(y+), the right derivative, for y >= 0; +inf allowed at 0. */
    double (*slope)(const double *par, double y);

    /* rho''(y) for y > 0; only the lengths of steps depend on it. NULL: 0. */
    double (*curve)(const double *par, double y);

    /* The place y > 0 of a concave kink, where d rho = {rho'(y-), rho'(y+)}; NULL: none.
     * kink_slope is rho'(y-) there. */
    double (*kink)(const double *par);
    double (*kink_slope)(const double *par);

    /* The global minimizer of rho(y) + (y-w)^2/(2t) over y >= 0, for w >= 0 and EVERY t > 0;
     * of equal minimizers the smallest. NaN in w gives NaN. */
    double (*shrink)(const double *par, double t, double w);

    /* Every y > 0 that may be a local minimizer of rho(y) + (y-w)^2/(2t), w of any sign, and no
     * other (a kink never is); returns their number <= CREASE_MAX_STATIONARY. */
    int (*stationary)(const double *par, double t, double w, double *y);

    /* Lipschitz constant of rho on [0, radius] (INFINITY: none). */
    double (*lipschitz)(const double *par, double radius);

    /* Least c >= 0 with rho(|x|) + (c/2) x^2 convex; INFINITY: none. */
    double (*weak_convexity)(const double *par);

    /* out: the parameters with which this penalty is u^2 rho(y/u), u > 0: the same penalty for data
     * measured in a unit 1/u as large. */
    void (*rescale)(const double *par, double u, double *out);
} crease_penalty;

#ifdef __cplusplus
}
#endif

#endif
