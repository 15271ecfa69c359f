/* SPDX-License-Identifier: MIT
 * lanes_base.h: a vector of one real, in plain C */

enum { LANES = 1 };
typedef real vec;
static inline vec load(const real *x) { return *x; }
static inline void store(real *x, vec a) { *x = a; }
static inline vec all(double a) { return (real)a; }
static inline vec fused(vec a, vec b, vec c) { return a * b + c; }
static inline vec load_part(const real *x, int n) { return (void)n, *x; }
static inline void store_part(real *x, int n, vec a) { (void)n, *x = a; }
static inline vec select(vec w, vec a, vec b) { return w == 0 ? a : b; }
static inline vec between(vec a, vec most) { return a < -most ? -most : a > most ? most : a; }
static inline vec lesser(vec most, vec a) { return a > most ? most : a; }
static inline vec greater(vec least, vec a) { return a < least ? least : a; }
static inline vec magnitude(vec a) { return a < 0 ? -a : a; }

/* Traces of an |a| > most, of a NaN, of an a that is not 0: are there any? */
typedef bool traces;
static inline traces no_trace(void) { return false; }
static inline traces trace_outside(traces s, vec a, vec most)
{
    return s || !(a <= most && -a <= most);
}
static inline traces trace_nonzero(traces s, vec a) { return s || a != 0; }
static inline bool some(traces s) { return s; }

static inline unsigned nonzero(vec a) { return a != 0; }
static inline double total(vec a) { return a; }
static inline void add_to(double *w, vec a) { *w += a; }
static inline void add_totals(const real *x, ptrdiff_t stride, double *y)
{
    for (int k = 0; k < 4; k++) y[k] += x[k * stride];
}

/* Truths, one per lane. */
typedef bool lanes;
static inline lanes equal(vec a, vec b) { return a == b; }
static inline lanes at_most(vec a, vec b) { return a <= b; }
static inline lanes both(lanes a, lanes b) { return a && b; }
static inline vec choose_lanes(lanes w, vec a, vec b) { return w ? a : b; }
static inline int count(lanes w) { return w; }
static inline vec keep(vec a, int n) { return (void)n, a; }
static inline void bins(vec a, int64_t *bin)
{
    const double x = a;
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    const int64_t b = (int64_t)((bits & INT64_MAX) >> CRS_BIN_SHIFT) - CRS_BIN_FIRST;
    *bin = b < 0 ? 0 : b < CRS_BIN_LAST ? b : CRS_BIN_LAST;
}
