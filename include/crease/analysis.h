/* SPDX-License-Identifier: MIT
 * analysis.h: which theorem covers a problem, why or why not, and the parameters it gives */
#ifndef CREASE_ANALYSIS_H
#define CREASE_ANALYSIS_H

#include <crease/options.h>
#include <crease/problem.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CREASE_STATUSES(X)                                                                         \
    X(UNKNOWN, "unknown")                                                                          \
    X(PROVED, "proved")                                                                            \
    X(ESTIMATED, "estimated")                                                                      \
    X(VIOLATED, "violated")

typedef enum {
#define CREASE_ENTRY_(name, text) CREASE_##name,
    CREASE_STATUSES(CREASE_ENTRY_)
#undef CREASE_ENTRY_
} crease_status;
CREASE_API const char *crease_status_text(crease_status status);

/* One assumption of the theorem, for one block or for the problem. */
typedef struct {
    const char *name; /* "L finite", "A_N = c I", "beta > 2 L_N", ... */
    int block;        /* 0-based; -1: the whole problem */
    crease_status status;
    double number; /* the value behind it; NaN: none */
    char reason[160];
} crease_assumption;

/* How one block is updated. The prox step has tau_i = beta |A_i|^2 + (1 + h_relative) L_i + h and
 * at least tau_least; the exact step has H_i = h I. */
typedef struct {
    bool exact; /* the coupling's own minimizer; otherwise a prox step */
    double h, h_relative, tau_least;
    double lipschitz; /* L_i; INFINITY: the curvature at the iterate serves */
    double map_norm;  /* >= |A_i|_2 */
    double map_scale; /* A_i = map_scale I; 0: not in the constraint; NaN: neither */
    double radius;    /* of the ball an exact step stays in */
    int setting;      /* 1 or 2 */
    double diameter;  /* of X_i in setting 1, otherwise INFINITY */
} crease_block_plan;

typedef struct {
    crease_method method; /* never AUTO */
    crease_mode mode;
    const char *theorem; /* the statement that covers the run, or would */
    bool guarantee;      /* no assumption is violated or unknown; estimated constants are found by
                            doubling, which keeps the theorem as long as they are finite */
    int last;            /* the block updated last, -1 without a constraint */
    bool exact_last;     /* by exact minimization (R2) */
    bool separable_last; /* f = f1(the others) + f2(x_last) (R1) */
    bool core;           /* steps without parameters, constants found while running */
    bool gap;            /* the certificate is psi_S of all blocks together, by linear oracles */

    double L, M, L_last, sigma_last; /* sigma_last <= lambda_min(A_N A_N') */
    double map_scale;                /* A_N = map_scale I; NaN: it is not */
    double p, rho, lower;            /* of f; lower is of f + sum r_i */
    bool concave;
    double last_low, last_high; /* eigenvalues of the last block's quadratic */

    double beta, gamma, ell, mu;     /* NaN where the method has none */
    bool mu_fixed;                   /* the extension keeps its mu */
    double slack;                    /* beta over its bound; INFINITY: any beta will do */
    bool line_search, backtrack_rho; /* of gcg */
    bool adaptive;                   /* M is not known: it is found by doubling */

    /* The potential drops by decrease * (sum_{i != last} |dx_i|^2 + last_weight |dx_N|^2) an
     * iteration; theta_k weighs the last block's moves alike. */
    double decrease, last_weight;
    double potential_weight; /* of |x_N - x_N^{k-1}|^2 in it */
    double kappa;            /* residual^2 <= kappa * theta_k */
    double theta_factor;     /* theta sums two moves (2) or one (1) */
    double diameter_p;       /* of the whole set, for gcg */

    /* Blocks that share no term of f and no row of the constraint make a level, which threads
     * update at once: how many levels there are, and the blocks of the largest. 0: the method does
     * not go from block to block. Of a solver's own: 0 where one thread makes its steps. */
    int levels, widest;

    int count;
    crease_block_plan *block;
    int assumptions;
    int general; /* so many of them do not depend on the parameters */
    crease_assumption *assumption;
} crease_analysis;

/* The analysis of a problem under the options' method and mode. NULL with a sentence when the
 * problem is broken, when memory runs out, or, in theory mode, when no theorem covers it: the
 * sentence then says what would. Free with crease_analysis_free. */
CREASE_API crease_analysis *crease_analyse(const crease_problem *p, const crease_options *o,
                                           crease_error *e);
CREASE_API void crease_analysis_free(crease_analysis *a);

/* The a-priori bound K on the iterations to an eps-stationary point from a start whose potential
 * exceeds its lower bound by `drop`; may be astronomically large; INFINITY: no bound. */
CREASE_API double crease_iteration_bound(const crease_analysis *a, double drop, double eps);

#ifdef __cplusplus
}
#endif

#endif
