/* SPDX-License-Identifier: MIT
 * spca.h: sparse PCA of a tensor or matrix, one rank-one term at a time
 *
 *     min -T(x_1, ..., x_d) + alpha sum_i R(x_i)   subject to  |x_i|_2 <= 1
 *
 * The term sigma u_1 o ... o u_d, u_i = x_i/|x_i| and sigma = T(u_1, ..., u_d), is then taken off T
 * and the next one sought: |T - sigma u_1 o ... o u_d|^2 = |T|^2 - sigma^2. */
#ifndef CREASE_SPCA_H
#define CREASE_SPCA_H

#include <stdint.h>

#include <crease/solver.h>
#include <crease/verify.h>

#ifdef __cplusplus
extern "C" {
#endif

/* May grow: options.h tells how. */
typedef struct {
    size_t size;
    crease_space shape; /* order 2 to CREASE_MAX_ORDER */
    crease_reg penalty; /* R on a vector of any length; ops NULL: the 1-norm */
    double alpha;       /* its weight; 0: so that entries of t_i = T(.., u_j, ..) at the first start
                           vanish when below `threshold`, or below `fraction` of the largest */
    double threshold;   /* > 0, or 0: by the fraction, anew for every component */
    double fraction;    /* in (0,1) */
    int starts;         /* >= 1: the HOSVD, fibres through the largest entries, random vectors */
    uint64_t seed;
} crease_spca_settings;

/* The 1-norm, 10 starts, and alpha by the fraction 1/(2d): for k entries of equal size in every
 * mode the objective is then -sigma (1 - d fraction) = -sigma/2. */
CREASE_API void crease_spca_init(crease_spca_settings *s, size_t size, const crease_space *shape);
static inline crease_spca_settings crease_spca_default(const crease_space *shape)
{
    crease_spca_settings s;
    crease_spca_init(&s, sizeof s, shape);
    return s;
}

typedef struct crease_spca crease_spca;

/* The model with its own copy of the tensor. NULL with a sentence on failure; an entry that is not
 * finite is named by its index, counted from 1. */
CREASE_API crease_spca *crease_spca_new(const crease_spca_settings *s, const double *tensor,
                                        crease_error *e);
CREASE_API void crease_spca_free(crease_spca *m);

/* The problem of the present component: what is left of T, the present alpha and start. Block i is
 * x_{i+1}. Where entries of T are all beyond 2^30 or below 2^-30, T and alpha are times a power of
 * two here, and nowhere else. Valid as long as the model. */
CREASE_API const crease_problem *crease_spca_problem(const crease_spca *m);

/* alpha for what is left of T, and start number k = 0, 1, ... put into the problem. Every start has
 * |x_i| = 1, unless nothing is left. */
CREASE_API bool crease_spca_start(crease_spca *m, int k, crease_error *e);

/* Options for this model: eps relative, prox-bcd. */
CREASE_API void crease_spca_options_init(const crease_spca *m, crease_options *o, size_t size);
static inline crease_options crease_spca_options(const crease_spca *m)
{
    crease_options o;
    crease_spca_options_init(m, &o, sizeof o);
    return o;
}

CREASE_API double crease_spca_alpha(const crease_spca *m);
CREASE_API double crease_spca_norm(const crease_spca *m); /* |what is left of T| */

typedef struct {
    const double *x[CREASE_MAX_ORDER]; /* the point, borrowed from the model until the next call */
    double length[CREASE_MAX_ORDER];   /* |x_i| */
    double sigma, alpha, objective;    /* sigma = T(u); 0 when some x_i is 0 */
    double norm;                       /* of T after this component is taken off */
    bool zero;                         /* every start ended where T(x) = 0 */
    crease_outcome outcome;            /* of the run that was kept */
    crease_verdict verdict;            /* of the independent checker on x */
    double smallest_eps, eps;          /* the least for which it says VALID; the one asked for */
    crease_method method;
    const char *theorem; /* that covers the run; NULL: none */
    int starts, start;   /* how many were run; the number of the one kept */
    int agree;           /* how many reached its objective, to 1e-4 of it or of sigma */
    long iterations;     /* of all starts together */
    double seconds;
} crease_spca_component;

/* Solves from every start, keeps the certified point with the least objective, has it verified,
 * and takes it off T. The method is prox-bcd or gcg (AUTO: prox-bcd); for prox-bcd h = 0 in
 * practical mode is a tenth of T(u) at each start; the time limit is for all starts together. */
CREASE_API bool crease_spca_next(crease_spca *m, const crease_options *o, crease_spca_component *c,
                                 crease_error *e);

/* Ends the present run after its iteration, and every later one at its first; what was found so far
 * is kept. May be called from a signal handler. */
CREASE_API void crease_spca_stop(crease_spca *m);

/* What is claimed of the first `count` components, for the checker to judge from the tensor alone.
 */
typedef struct {
    crease_space shape;
    const double *tensor;
    crease_reg penalty; /* R */
    int count;
    ptrdiff_t columns;           /* of the matrices below, count or more */
    const double *alpha;         /* per component */
    const double *const *point;  /* x_i as the columns of a matrix, exactly, per mode */
    const double *const *factor; /* the same of length 1, and 0 where there is no component */
    const double *weight;        /* sigma, per component */
    double eps;
    bool relative, gap;  /* gap: as gcg certifies, by -psi_S */
    crease_watch *watch; /* NULL: none */
} crease_spca_claim;

/* out has room for `count` verifications, each to be freed by crease_verification_free. The tensor
 * is deflated anew; weights and factors that are not those of the point are INVALID. False, with e
 * filled in and every out empty, when the claim makes no sense or memory runs out. */
CREASE_API bool crease_spca_verify(const crease_spca_claim *c, crease_verification *out,
                                   crease_error *e);

/* The standard deviation of the noise, from the median of |T|: right when most entries are noise.
 * Four times it is a good threshold. */
CREASE_API bool crease_spca_noise(const crease_space *shape, const double *tensor, double *noise,
                                  crease_error *e);

/* Bytes that a model and its solver take, for forecasts. */
CREASE_API double crease_spca_bytes(const crease_spca_settings *s);

#ifdef __cplusplus
}
#endif

#endif
