/* SPDX-License-Identifier: MIT
 * lanes_neon.h: vectors of two doubles */
#include <arm_neon.h>

enum { LANES = 2 };
typedef double real;
typedef float64x2_t vec;
static inline vec load(const double *x) { return vld1q_f64(x); }
static inline void store(double *x, vec a) { vst1q_f64(x, a); }
static inline vec all(double a) { return vdupq_n_f64(a); }
static inline vec fused(vec a, vec b, vec c) { return vfmaq_f64(c, a, b); }

/* The first n lanes; the others are 0 and stay as they are. */
static inline vec load_part(const double *x, int n)
{
    return n == LANES ? load(x) : vcombine_f64(vld1_f64(x), vdup_n_f64(0));
}
static inline void store_part(double *x, int n, vec a)
{
    if (n == LANES)
        store(x, a);
    else
        vst1_f64(x, vget_low_f64(a));
}

/* w == 0 ? a : b */
static inline vec select(vec w, vec a, vec b) { return vbslq_f64(vceqzq_f64(w), a, b); }

/* Minimum and maximum return their second argument when one is NaN: not so vminq_f64. */
static inline vec lesser(vec most, vec a) { return vbslq_f64(vcltq_f64(most, a), most, a); }
static inline vec greater(vec least, vec a) { return vbslq_f64(vcgtq_f64(least, a), least, a); }
static inline vec between(vec a, vec most) { return greater(-most, lesser(most, a)); }
static inline vec magnitude(vec a) { return vabsq_f64(a); }

static inline double total(vec a) { return vaddvq_f64(a); }

/* Traces of an |a| > most, of a NaN, of an a that is not 0, as bits: are there any? */
typedef uint64x2_t traces;
static inline traces no_trace(void) { return vdupq_n_u64(0); }
static inline traces trace_outside(traces s, vec a, vec most)
{
    return vornq_u64(s, vcaleq_f64(a, most));
}
static inline traces trace_nonzero(traces s, vec a)
{
    return vorrq_u64(s, vreinterpretq_u64_f64(a));
}
static inline bool some(traces s) { return vmaxvq_u32(vreinterpretq_u32_u64(s)) != 0; }
static inline unsigned nonzero(vec a)
{
    const uint64x2_t is = vceqzq_f64(a);
    return (vgetq_lane_u64(is, 0) ? 0u : 1u) | (vgetq_lane_u64(is, 1) ? 0u : 2u);
}

static inline void add_to(double *w, vec a) { store(w, load(w) + a); }

/* y[k] += the total of the vector k strides from x on, k = 0..3 */
static inline void add_totals(const double *x, ptrdiff_t stride, double *y)
{
    store(y, load(y) + vpaddq_f64(load(x), load(x + stride)));
    store(y + 2, load(y + 2) + vpaddq_f64(load(x + 2 * stride), load(x + 3 * stride)));
}

/* Truths, one per lane. */
typedef uint64x2_t lanes;
static inline lanes equal(vec a, vec b) { return vceqq_f64(a, b); }
static inline lanes at_most(vec a, vec b) { return vcleq_f64(a, b); }
static inline lanes both(lanes a, lanes b) { return vandq_u64(a, b); }
static inline vec choose_lanes(lanes w, vec a, vec b) { return vbslq_f64(w, a, b); }
static inline int count(lanes w) { return (int)vaddvq_u64(vshrq_n_u64(w, 63)); }
static inline vec keep(vec a, int n)
{
    return n == LANES ? a : vcombine_f64(vget_low_f64(a), vdup_n_f64(0));
}

static inline void bins(vec a, int64_t *bin)
{
    const uint64x2_t bits = vshrq_n_u64(vreinterpretq_u64_f64(magnitude(a)), CRS_BIN_SHIFT);
    const int64x2_t b = vreinterpretq_s64_u64(bits) - vdupq_n_s64(CRS_BIN_FIRST);
    const int64x2_t least = vdupq_n_s64(0), most = vdupq_n_s64(CRS_BIN_LAST);
    const int64x2_t low = vbslq_s64(vcgtq_s64(b, least), b, least);
    vst1q_s64(bin, vbslq_s64(vcltq_s64(low, most), low, most));
}
