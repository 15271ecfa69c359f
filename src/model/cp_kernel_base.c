/* SPDX-License-Identifier: MIT
 * cp_kernel_base: the kernels in plain C, for any processor */
#include "model/cp_kernel.h"

enum { LANES = 1 };
typedef double vec;
static inline vec load(const double *x) { return *x; }
static inline void store(double *x, vec a) { *x = a; }
static inline vec all(double a) { return a; }
static inline vec fused(vec a, vec b, vec c) { return a * b + c; }
static inline vec load_part(const double *x, int n) { return (void)n, *x; }
static inline void store_part(double *x, int n, vec a) { (void)n, *x = a; }
static inline vec select(vec w, vec a, vec b) { return w == 0 ? a : b; }
static inline vec between(vec a, vec most) { return clip(a, -most, most); }
static inline vec lesser(vec most, vec a) { return a > most ? most : a; }
static inline vec greater(vec least, vec a) { return a < least ? least : a; }
static inline vec magnitude(vec a) { return fabs(a); }
static inline vec nonzero_as_one(vec a) { return a == 0 ? 0 : 1; }
static inline double total(vec a) { return a; }
static inline unsigned nonzero(vec a) { return a != 0; }
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

#define KERNEL      crs_cp_kernel_base
#define KERNEL_NAME "base"
#include "model/cp_kernel.inc"
