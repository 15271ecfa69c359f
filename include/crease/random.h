/* SPDX-License-Identifier: MIT
 * random.h: counter-based random numbers (Philox4x32-10, Salmon et al., SC 2011).
 * The value for (seed, stream, index) is a pure function: the same on any thread or rank. */
#ifndef CREASE_RANDOM_H
#define CREASE_RANDOM_H

#include <stddef.h>
#include <stdint.h>

#include <crease/export.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    uint64_t seed;
    uint64_t stream; /* independent sequences under one seed */
} crease_random;

/* 64 random bits; uniform on [0,1) with 53 bits; standard normal (Box-Muller on one counter). */
CREASE_API uint64_t crease_random_bits(crease_random r, uint64_t index);
CREASE_API double crease_random_uniform(crease_random r, uint64_t index);
CREASE_API double crease_random_normal(crease_random r, uint64_t index);

/* Uniform on {0, ..., n-1} without bias, n >= 1. */
CREASE_API uint64_t crease_random_below(crease_random r, uint64_t index, uint64_t n);

/* p becomes a uniformly random permutation of 0..n-1. */
CREASE_API void crease_random_permutation(crease_random r, ptrdiff_t n, ptrdiff_t *p);

/* out becomes k of 0..n-1 without replacement, ascending, every subset equally likely;
 * 0 <= k <= n. O(n) time, no memory. */
CREASE_API void crease_random_sample(crease_random r, ptrdiff_t n, ptrdiff_t k, ptrdiff_t *out);

#ifdef __cplusplus
}
#endif

#endif
