/* SPDX-License-Identifier: MIT
 * verify.h: an independent check of eps-stationarity, from the definitions
 *
 * The residuals of certificate.h recomputed by plain loops that share no code with the rest of the
 * library: of a problem it reads only the names, parameters and data of its entries. Every residual
 * includes a bound of its own rounding. All is in long double, but large products of tensors and
 * matrices are in double first, and in long double where the bounds leave a doubt.
 *
 * Entries of the user's own and vectors split over ranks are UNSUPPORTED; the functions of a
 * callback map or coupling are called and believed. A singular value of x counts as zero when it is
 * below max(m,n) 2^-52 sigma_1 and x, entry by entry, is the rounding of a matrix without it:
 * diag(1e10, 1e-6) has rank 2, its dense rotation has not. */
#ifndef CREASE_VERIFY_H
#define CREASE_VERIFY_H

#include <crease/problem.h>
#include <crease/watch.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Zero is never success. UPPER_BOUND_ONLY: some residual is above eps, but it may be one that is
 * known from above only, for want of the best subgradient. UNFINISHED: the watch ended the check;
 * nothing is known. */
#define CREASE_VERDICTS(X)                                                                         \
    X(UNSUPPORTED, "UNSUPPORTED")                                                                  \
    X(INVALID, "INVALID")                                                                          \
    X(VALID, "VALID")                                                                              \
    X(UPPER_BOUND_ONLY, "UPPER-BOUND-ONLY")                                                        \
    X(UNFINISHED, "UNFINISHED")

typedef enum {
#define CREASE_ENTRY_(name, text) CREASE_VERDICT_##name,
    CREASE_VERDICTS(CREASE_ENTRY_)
#undef CREASE_ENTRY_
} crease_verdict;

typedef struct {
    crease_verdict verdict;
    double smallest_eps;   /* the least eps for which the answer would be VALID; INFINITY: none */
    double feasibility;    /* |sum A_i x_i - b|, 0 without a constraint */
    double outside;        /* largest excess of any x_i over its set */
    int worst_block;       /* the one that decides, counted from 0; -1: feasibility */
    bool trusted_callback; /* a user's function was called and believed */
    int count;
    double *residual; /* one per block */
    char text[200];   /* what decided, in a sentence */
} crease_verification;

/* A point of a problem, and what it is said to be. */
typedef struct {
    const crease_problem *p;
    const double *const *x;
    const double *lambda;
    const double *const *g;
    bool gcg;
    double eps;
    bool relative;
    crease_watch *watch; /* NULL: none. Over before the end: UNFINISHED */
} crease_claim;

/* Judges (x, lambda) by eps. lambda may be NULL without a constraint.
 *
 * g (NULL, or an array with NULL for the blocks without) holds subgradients of r_i at x_i. They are
 * read in setting 1, where the better of g_i and the checker's own choice counts; a g_i farther
 * than 4 units in the last place of its slopes from dr_i(x_i) is INVALID.
 *
 * gcg: the setting of the generalized conditional gradient method instead: sum_i residual[i] =
 * -psi_S(x) <= eps, every block on a compact set, no constraint.
 *
 * relative: a residual is compared with eps times its scale, as certificate.h defines it and as is
 * computed here anew.
 *
 * x_i must lie in X_i up to what rounding to double precision can do to its defining
 * inequalities; for bounds on single entries that is two units in the last place of the bound, so
 * that x >= 0 is meant exactly.
 *
 * False, with e filled in and *out empty, when the problem or an argument is wrong or memory runs
 * out. Otherwise *out is filled in; free it with crease_verification_free. */
CREASE_API bool crease_claim_verify(const crease_claim *c, crease_verification *out,
                                    crease_error *e);

/* The same without a watch. */
CREASE_API bool crease_verify(const crease_problem *p, const double *const *x, const double *lambda,
                              const double *const *g, bool gcg, double eps, bool relative,
                              crease_verification *out, crease_error *e);

CREASE_API void crease_verification_free(crease_verification *v);

/* A proof that a problem has no answer. */
typedef struct {
    crease_verdict verdict; /* VALID: proved; INVALID: what was given proves nothing */
    double margin;         /* infeasible: how far apart, with |y|_inf = 1; unbounded: < 0, the slope
                              of F along d, or its second derivative */
    double radius;         /* infeasible: true of all x with |x_j| <= radius; INFINITY: of all x */
    bool trusted_callback; /* a user's map was called and believed */
    char text[200];        /* what is proved, naming rows or blocks, or what is wrong */
} crease_refutation;

/* Does y prove that no x has sum A_i x_i = b, x_i in X_i, all r_i(x_i) finite, because <y, b> is
 * above the supremum of <y, sum A_i x_i> over the sets? Where entries of x have no bound and A_i'y
 * is 0 there to rounding only, the proof holds up to a radius, and counts from 1e6 (1 + |b|_inf)
 * on. False as crease_verify. */
CREASE_API bool crease_verify_infeasible(const crease_problem *p, const double *y,
                                         crease_refutation *out, crease_error *e);

/* Does F fall without end along x + t d, t >= 0, inside the sets and with sum A_i d_i = 0? x must
 * be in its sets and satisfy the constraint to eps, relative as above or not. UNSUPPORTED where an
 * entry's growth at infinity is not known, as that of a callback. False as crease_verify. */
CREASE_API bool crease_verify_unbounded(const crease_problem *p, const double *const *x,
                                        const double *const *d, double eps, bool relative,
                                        crease_refutation *out, crease_error *e);

/* The constant text of a verdict; "unknown verdict" for a number that is none. */
CREASE_API const char *crease_verdict_text(crease_verdict v);

#ifdef __cplusplus
}
#endif

#endif
