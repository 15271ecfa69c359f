/* SPDX-License-Identifier: MIT
 * fused_avx512_single: the fused iteration's kernels with sixteen floats per vector */
#include "rpca/kernels/kernels.h"

#if defined(__AVX512F__)
#include <immintrin.h>

enum { LANES = 16 };
typedef float real;
typedef __m512 vec;
static inline vec load(const float *x) { return _mm512_loadu_ps(x); }
static inline void store(float *x, vec a) { _mm512_storeu_ps(x, a); }
static inline vec all(double a) { return _mm512_set1_ps((float)a); }
static inline vec fused(vec a, vec b, vec c) { return _mm512_fmadd_ps(a, b, c); }

/* The first n lanes; the others are 0 and stay as they are. */
static inline __mmask16 first(int n) { return (__mmask16)((1u << n) - 1); }
static inline vec load_part(const float *x, int n)
{
    return n == LANES ? load(x) : _mm512_maskz_loadu_ps(first(n), x);
}
static inline void store_part(float *x, int n, vec a)
{
    if (n == LANES)
        store(x, a);
    else
        _mm512_mask_storeu_ps(x, first(n), a);
}

/* w == 0 ? a : b */
static inline vec select(vec w, vec a, vec b)
{
    return _mm512_mask_blend_ps(_mm512_cmp_ps_mask(w, _mm512_setzero_ps(), _CMP_EQ_OQ), b, a);
}

/* Minimum and maximum return their second argument when one is NaN. */
static inline vec between(vec a, vec most) { return _mm512_max_ps(-most, _mm512_min_ps(most, a)); }
static inline vec magnitude(vec a) { return _mm512_abs_ps(a); }

static inline unsigned nonzero(vec a)
{
    return _mm512_cmp_ps_mask(a, _mm512_setzero_ps(), _CMP_NEQ_UQ);
}

/* Traces of an |a| > most, of a NaN, of an a that is not 0: are there any? */
typedef struct {
    __mmask16 out;
    __m512i bits;
} traces;
static inline traces no_trace(void) { return (traces){ 0, _mm512_setzero_si512() }; }
static inline traces trace_outside(traces s, vec a, vec most)
{
    s.out |= _mm512_cmp_ps_mask(magnitude(a), most, _CMP_NLE_UQ);
    return s;
}
static inline traces trace_nonzero(traces s, vec a)
{
    s.bits = _mm512_or_si512(s.bits, _mm512_castps_si512(a));
    return s;
}
static inline bool some(traces s) { return (s.out | _mm512_test_epi32_mask(s.bits, s.bits)) != 0; }

static inline __m512d low_half(vec a) { return _mm512_cvtps_pd(_mm512_castps512_ps256(a)); }
static inline __m512d high_half(vec a)
{
    const __m512d halves = _mm512_castps_pd(a);
    return _mm512_cvtps_pd(_mm256_castpd_ps(_mm512_extractf64x4_pd(halves, 1)));
}
static inline double total(vec a) { return _mm512_reduce_add_pd(low_half(a) + high_half(a)); }
static inline void add_to(double *w, vec a)
{
    _mm512_storeu_pd(w, _mm512_loadu_pd(w) + low_half(a));
    _mm512_storeu_pd(w + 8, _mm512_loadu_pd(w + 8) + high_half(a));
}

/* y[k] += the total of the vector k strides from x on, k = 0..3 */
static inline void add_totals(const float *x, ptrdiff_t stride, double *y)
{
    for (int k = 0; k < 4; k++) y[k] += total(load(x + k * stride));
}

#define KERNEL      crs_cp_kernel_avx512_single
#define KERNEL_NAME "avx512 single"
#include "rpca/kernels/fused.inc"
#endif
