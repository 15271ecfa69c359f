/* SPDX-License-Identifier: MIT
 * fused_neon_single: the fused iteration's kernels with four floats per vector */
#include "rpca/kernels/kernels.h"

#if defined(__aarch64__)
#include <arm_neon.h>

enum { LANES = 4 };
typedef float real;
typedef float32x4_t vec;
static inline vec load(const float *x) { return vld1q_f32(x); }
static inline void store(float *x, vec a) { vst1q_f32(x, a); }
static inline vec all(double a) { return vdupq_n_f32((float)a); }
static inline vec fused(vec a, vec b, vec c) { return vfmaq_f32(c, a, b); }

/* The first n lanes; the others are 0 and stay as they are. */
static inline vec load_part(const float *x, int n)
{
    float a[LANES] = { 0 };
    if (n == LANES) return load(x);
    for (int k = 0; k < n; k++) a[k] = x[k];
    return load(a);
}
static inline void store_part(float *x, int n, vec a)
{
    float b[LANES];
    if (n == LANES) {
        store(x, a);
        return;
    }
    store(b, a);
    for (int k = 0; k < n; k++) x[k] = b[k];
}

/* w == 0 ? a : b */
static inline vec select(vec w, vec a, vec b) { return vbslq_f32(vceqzq_f32(w), a, b); }

/* Minimum and maximum return their second argument when one is NaN: not so vminq_f32. */
static inline vec between(vec a, vec most)
{
    const vec low = vbslq_f32(vcltq_f32(most, a), most, a);
    return vbslq_f32(vcgtq_f32(-most, low), -most, low);
}
static inline vec magnitude(vec a) { return vabsq_f32(a); }

/* Traces of an |a| > most, of a NaN, of an a that is not 0, as bits: are there any? */
typedef uint32x4_t traces;
static inline traces no_trace(void) { return vdupq_n_u32(0); }
static inline traces trace_outside(traces s, vec a, vec most)
{
    return vornq_u32(s, vcaleq_f32(a, most));
}
static inline traces trace_nonzero(traces s, vec a)
{
    return vorrq_u32(s, vreinterpretq_u32_f32(a));
}
static inline bool some(traces s) { return vmaxvq_u32(s) != 0; }
static inline unsigned nonzero(vec a)
{
    static const uint32_t bit[LANES] = { 1, 2, 4, 8 };
    return vaddvq_u32(vbicq_u32(vld1q_u32(bit), vceqzq_f32(a)));
}

static inline float64x2_t low_half(vec a) { return vcvt_f64_f32(vget_low_f32(a)); }
static inline float64x2_t high_half(vec a) { return vcvt_high_f64_f32(a); }
static inline double total(vec a) { return vaddvq_f64(low_half(a) + high_half(a)); }
static inline void add_to(double *w, vec a)
{
    vst1q_f64(w, vld1q_f64(w) + low_half(a));
    vst1q_f64(w + 2, vld1q_f64(w + 2) + high_half(a));
}

/* y[k] += the total of the vector k strides from x on, k = 0..3 */
static inline void add_totals(const float *x, ptrdiff_t stride, double *y)
{
    for (int k = 0; k < 4; k++) y[k] += total(load(x + k * stride));
}

#define KERNEL      crs_cp_kernel_neon_single
#define KERNEL_NAME "neon single"
#include "rpca/kernels/fused.inc"
#endif
