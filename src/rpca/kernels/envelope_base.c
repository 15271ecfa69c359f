/* SPDX-License-Identifier: MIT
 * envelope_kernel_base: the envelope's kernels in plain C, for any processor */
#include "rpca/kernels/envelope_kernel.h"

typedef double real;
#include "rpca/kernels/lanes_base.h"

static inline vec widen_part(const float *x, int n) { return (void)n, (double)*x; }
typedef bool lanes;
static inline lanes equal(vec a, vec b) { return a == b; }
static inline lanes at_most(vec a, vec b) { return a <= b; }
static inline lanes both(lanes a, lanes b) { return a && b; }
static inline vec choose_lanes(lanes w, vec a, vec b) { return w ? a : b; }
static inline int count(lanes w) { return w; }
static inline vec keep(vec a, int n) { return (void)n, a; }
static inline void bins(vec a, int64_t *bin)
{
    uint64_t bits;
    memcpy(&bits, &a, sizeof bits);
    const int64_t b = (int64_t)((bits & INT64_MAX) >> CRS_BIN_SHIFT) - CRS_BIN_FIRST;
    *bin = b < 0 ? 0 : b < CRS_BIN_LAST ? b : CRS_BIN_LAST;
}

#define KERNEL      crs_envelope_kernel_base
#define KERNEL_NAME "base"
#include "rpca/kernels/envelope.inc"
