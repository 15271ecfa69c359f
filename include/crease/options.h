/* SPDX-License-Identifier: MIT
 * options.h: the options of a run. One list is the struct, the defaults, the ranges, the help.
 *
 * Structs of settings may grow in later versions without breaking compiled programs: `size` is what
 * the caller was compiled with, and crease_..._default sets it. A shorter struct gets the defaults
 * of what it lacks; a longer one works as long as nothing beyond what this version knows is set. */
#ifndef CREASE_OPTIONS_H
#define CREASE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include <crease/error.h>
#include <crease/watch.h>

#ifdef __cplusplus
extern "C" {
#endif

/* X(name, entry of the table of methods, text, meaning); auto takes the first that suits */
#define CREASE_METHODS(X)                                                                          \
    X(AUTO, auto, "auto", "the core that suits, or the paper's method")                            \
    X(GCG, gcg, "gcg", "generalized conditional gradient")                                         \
    X(ADMM_G, admm_g, "admm-g", "proximal ADMM, gradient step on the last block")                  \
    X(ADMM_M, admm_m, "admm-m", "proximal ADMM, majorized step on the last block")                 \
    X(EXTENSION, extension, "extension", "proximal ADMM with a slack block: no condition on A_N")  \
    X(PROX_BCD, prox_bcd, "prox-bcd", "proximal block coordinate descent")                         \
    X(BCD, bcd, "bcd", "classical block coordinate descent, without a guarantee")                  \
    X(ENVELOPE, envelope, "envelope",                                                              \
      "descent on the factors of CP robust PCA, all else eliminated")                              \
    X(DIRECT, direct, "direct", "one prox, where f is half a square of every block alone")         \
    X(NEWTON, newton, "newton",                                                                    \
      "Newton steps on the entries that penalties and bounds leave free")                          \
    X(TANGENT, tangent, "tangent",                                                                 \
      "Newton steps on the matrices of one rank, for a spectral block")                            \
    X(FRANK_WOLFE, frank_wolfe, "frank-wolfe",                                                     \
      "steps to what linear oracles say and Newton steps on their weights")                        \
    X(PANOC, panoc, "panoc", "quasi-Newton steps on the proximal gradient step, for any prox")     \
    X(GRID, grid, "grid",                                                                          \
      "exact ADMM by cosine transforms for a square and differences of pixels")                    \
    X(SPLITTING, splitting, "splitting", "exact ADMM for two proxes and x_1 +- c x_2 = b, f = 0")  \
    X(GAUSS_NEWTON, gauss_newton, "gauss-newton", "Gauss-Newton steps for factorizations")         \
    X(PROJECTION, variable_projection, "variable-projection",                                      \
      "descent on one factor, the other eliminated row by row")                                    \
    X(ALTERNATION, alternation, "alternation", "exact steps of two blocks that a square couples")  \
    X(PLAIN, plain, "prox-gradient", "proximal gradient steps with extrapolation")                 \
    X(MULTIPLIERS, multipliers, "multipliers", "the constraint by a sequence of penalties")        \
    X(PURSUIT, pursuit, "pursuit", "exact ADMM of principal component pursuit, guess and proof")

typedef enum {
#define CREASE_ENTRY_(name, method, text, meaning) CREASE_METHOD_##name,
    CREASE_METHODS(CREASE_ENTRY_)
#undef CREASE_ENTRY_
} crease_method;

#define CREASE_MODES(X)                                                                            \
    X(PRACTICAL, "practical", "the settings that work best; says what the theory covers")          \
    X(THEORY, "theory", "every condition of the theorem holds, or the problem is refused")         \
    X(PAPER, "paper", "exactly the recipe of the paper")

typedef enum {
#define CREASE_ENTRY_(name, text, meaning) CREASE_MODE_##name,
    CREASE_MODES(CREASE_ENTRY_)
#undef CREASE_ENTRY_
} crease_mode;

/* X(type, name, default, low, high, text) */
#define CREASE_OPTIONS(X)                                                                          \
    X(double, eps, 1e-6, 0, 1e300, "stationarity tolerance")                                       \
    X(long, relative, 0, 0, 1, "1: eps is relative to a scale of each condition")                  \
    X(long, max_iterations, 100000, 0, 2000000000, "iteration limit")                              \
    X(double, max_seconds, 1e20, 0, 1e300, "time limit in seconds")                                \
    X(long, max_evaluations, 2000000000, 0, 2000000000, "limit on evaluations of f")               \
    X(long, certify_every, 10, 1, 2000000000, "iterations between two certificates")               \
    X(double, theta, 0, 0, 1e300, "also stop when the paper's theta_k is below this; 0: never")    \
    X(long, accelerate, 1, 0, 1, "1: safeguarded extrapolation (practical mode)")                  \
    X(long, audit, 0, 0, 1, "1: check the potential every iteration (always in theory mode)")      \
    X(double, beta, 0, 0, 1e300, "penalty parameter; 0: from the theorem")                         \
    X(double, gamma, 0, 0, 1e300, "step of the last block in admm-g; 0: from the theorem")         \
    X(double, h, 0, 0, 1e300, "proximal weight of every block; 0: from the theorem")               \
    X(double, mu, 0, 0, 1e300, "slack weight of the extension; 0: adaptive")                       \
    X(long, line_search, 0, 0, 1, "1: gcg searches the segment beyond its closed-form step")       \
    X(long, seed, 0, 0, 2000000000, "seed of every random choice")                                 \
    X(long, starts, 1, 1, 1000000, "points to start from; the lowest certified F is the answer")   \
    X(long, continuation, 0, 0, 1, "1: penalties that are not convex are lowered in steps")

typedef struct {
    size_t size;
    crease_method method;
    crease_mode mode;
#define CREASE_ENTRY_(type, name, value, low, high, text) type name;
    CREASE_OPTIONS(CREASE_ENTRY_)
#undef CREASE_ENTRY_
    crease_watch *watch; /* limits, requests to stop and phases of the caller's; NULL: none. What
                            max_seconds says holds beside it */
    /* That update blocks which share nothing; 0: one. No bit depends on them if BLAS has one. */
    long threads;
} crease_options;

/* The name of a method or mode as the command line spells it. */
CREASE_API const char *crease_method_name(crease_method method);
CREASE_API const char *crease_mode_name(crease_mode mode);

/* The defaults, in a struct of `size` bytes. */
CREASE_API void crease_options_init(crease_options *o, size_t size);
static inline crease_options crease_options_default(void)
{
    crease_options o;
    crease_options_init(&o, sizeof o);
    return o;
}

/* True when every option lies in its range (NaN never does). */
CREASE_API bool crease_options_check(const crease_options *o, crease_error *e);

/* Sets one option from text, "method" and "mode" by their names; an unknown name suggests the
 * nearest one. */
CREASE_API bool crease_options_set(crease_options *o, const char *name, const char *text,
                                   crease_error *e);

/* The list as data, for help pages and schemas. */
typedef struct {
    const char *name;
    bool integer;
    double value, low, high;
    const char *text;
} crease_option;
CREASE_API int crease_option_count(void);
CREASE_API crease_option crease_option_at(int k);

#ifdef __cplusplus
}
#endif

#endif
