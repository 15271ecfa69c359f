/* SPDX-License-Identifier: MIT
 * space.h: a vector is a double array plus its space: a shape, and the two reductions that
 * cross ranks. Arrays are row-major: the last index runs fastest. */
#ifndef CREASE_SPACE_H
#define CREASE_SPACE_H

#include <stdbool.h>
#include <stddef.h>

#include <crease/error.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { CREASE_MAX_ORDER = 8 };

/* Replaces v[0..n) on every rank by its sum, or maximum, over all ranks: by the same bits
 * everywhere. Calls on vectors that are split are made by all ranks alike, in the same order. */
typedef struct {
    void (*sum)(const void *self, double *v, int n);
    void (*max)(const void *self, double *v, int n);
    const void *self;
} crease_comm;

typedef struct {
    int order;
    ptrdiff_t dim[CREASE_MAX_ORDER]; /* of the part held here */
    const crease_comm *comm;         /* borrowed; NULL: this process holds all of it */
} crease_space;

/* R^n and R^(m x n), held by this process alone. */
CREASE_API crease_space crease_vector(ptrdiff_t n);
CREASE_API crease_space crease_matrix(ptrdiff_t m, ptrdiff_t n);

/* True when the order is 1..CREASE_MAX_ORDER, every dimension is positive and the size in bytes
 * fits ptrdiff_t; otherwise false with the reason in e (which may be NULL). */
CREASE_API bool crease_space_check(const crease_space *s, crease_error *e);

CREASE_API bool crease_space_equal(const crease_space *a, const crease_space *b); /* shapes */

/* Number of entries held here; s must pass crease_space_check. */
CREASE_API ptrdiff_t crease_size(const crease_space *s);

/* Reductions over the ranks that share the vector; the identity when comm is NULL. */
CREASE_API double crease_sum(const crease_space *s, double local);
CREASE_API double crease_max(const crease_space *s, double local);

/* <x, y> and |x| over all ranks; the order of summation depends on the size alone. */
CREASE_API double crease_dot(const crease_space *s, const double *x, const double *y);
CREASE_API double crease_norm(const crease_space *s, const double *x);

#ifdef __cplusplus
}
#endif

#endif
