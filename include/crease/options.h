/* SPDX-License-Identifier: MIT
 * options.h: the options of a run. One list is the struct, the defaults, the ranges, the help. */
#ifndef CREASE_OPTIONS_H
#define CREASE_OPTIONS_H

#include <stdbool.h>

#include <crease/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/* X(type, name, default, low, high, text) */
#define CREASE_OPTIONS(X)                                                                          \
    X(double, eps, 1e-6, 0, 1e300, "stationarity tolerance")                                       \
    X(long, max_iterations, 10000, 0, 2000000000, "iteration limit")                               \
    X(double, max_seconds, 1e20, 0, 1e300, "time limit in seconds")                                \
    X(long, certify_every, 1, 1, 2000000000, "iterations between two certificates")                \
    X(long, seed, 0, 0, 2000000000, "seed of every random choice")                                 \
    X(long, threads, 0, 0, 65536, "threads; 0: as many as the machine has")

typedef struct {
#define X(type, name, value, low, high, text) type name;
    CREASE_OPTIONS(X)
#undef X
} crease_options;

CREASE_API crease_options crease_options_default(void);

/* True when every option lies in its range (NaN never does). */
CREASE_API bool crease_options_check(const crease_options *o, crease_error *e);

/* Sets one option from text; an unknown name suggests the nearest one. */
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
