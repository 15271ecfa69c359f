/* SPDX-License-Identifier: MIT
 * error.h: how a call went, and how a run ended */
#ifndef CREASE_ERROR_H
#define CREASE_ERROR_H

#include <crease/export.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CREASE_CODES(X)                                                                            \
    X(OK, "success")                                                                               \
    X(BAD_ARGUMENT, "an argument is outside its documented domain")                                \
    X(BAD_SHAPE, "dimensions do not agree")                                                        \
    X(BAD_DATA, "the data are malformed or not finite")                                            \
    X(UNSUPPORTED, "this combination has no exact method here")                                    \
    X(NO_MEMORY, "out of memory")                                                                  \
    X(NO_INPUT, "the input cannot be opened")                                                      \
    X(IO, "input or output failed")                                                                \
    X(NUMERICAL_FAILURE, "a factorization did not converge or met a value that is not finite")     \
    X(CUT, "a limit or a request to stop came before there was anything to show")

typedef enum {
#define CREASE_ENTRY_(name, text) CREASE_##name,
    CREASE_CODES(CREASE_ENTRY_)
#undef CREASE_ENTRY_
} crease_code;

/* A failed call leaves its code and one sentence here: what is wrong, where, and the remedy. */
typedef struct {
    crease_code code;
    char text[400];
} crease_error;

/* Zero is never success. */
#define CREASE_OUTCOMES(X)                                                                         \
    X(NOT_RUN, "not run")                                                                          \
    X(STATIONARY, "eps-stationary point found and certified")                                      \
    X(ITERATION_LIMIT, "iteration limit reached")                                                  \
    X(TIME_LIMIT, "time limit reached")                                                            \
    X(EVALUATION_LIMIT, "evaluation limit reached")                                                \
    X(STOPPED, "stopped by the caller")                                                            \
    X(DIVERGED, "the objective is unbounded or the iterates diverge")                              \
    X(NUMERICAL, "a value became NaN or infinite")                                                 \
    X(INFEASIBLE, "the constraint has no solution in the sets, with a proof")                      \
    X(UNBOUNDED, "the objective falls without end along a ray, with a proof")                      \
    X(NO_MINIMIZER, "no minimizer was found: the objective falls while the point grows")           \
    X(STUCK, "no step leads lower, and the residual is above eps")

typedef enum {
#define CREASE_ENTRY_(name, text) CREASE_##name,
    CREASE_OUTCOMES(CREASE_ENTRY_)
#undef CREASE_ENTRY_
} crease_outcome;

/* The constant text of a code or an outcome; "unknown ..." for a number that is none. */
CREASE_API const char *crease_code_text(crease_code code);
CREASE_API const char *crease_outcome_text(crease_outcome outcome);

#ifdef __cplusplus
}
#endif

#endif
