/* SPDX-License-Identifier: MIT
 * param.h: how a catalogue entry describes itself: name, formula, parameters with ranges */
#ifndef CREASE_PARAM_H
#define CREASE_PARAM_H

#include <math.h>
#include <stdbool.h>

#include <crease/error.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { CREASE_PARS = 10 };

enum { CREASE_OPEN_LOW = 1, CREASE_OPEN_HIGH = 2, CREASE_INTEGER = 4 };

typedef struct {
    const char *name; /* NULL ends a list */
    double low, high; /* the range; its ends belong to it unless a flag says so */
    unsigned flags;
    const char *text; /* what it means, in a few words */
} crease_param;

/* A finite number >= 0, and one > 0: the commonest ranges. */
#define CREASE_PAR_NONNEGATIVE(name, text)                                                         \
    {                                                                                              \
        name, 0, INFINITY, CREASE_OPEN_HIGH, text                                                  \
    }
#define CREASE_PAR_POSITIVE(name, text)                                                            \
    {                                                                                              \
        name, 0, INFINITY, CREASE_OPEN_LOW | CREASE_OPEN_HIGH, text                                \
    }

CREASE_API int crease_param_count(const crease_param *list);

/* True when par[] respects every range; NaN never does. `owner` names the entry in the error. */
CREASE_API bool crease_param_check(const char *owner, const crease_param *list, const double *par,
                                   crease_error *e);

#ifdef __cplusplus
}
#endif

#endif
