/* SPDX-License-Identifier: MIT
 * fused_avx2_single: the fused iteration's kernels with eight floats per vector and fused
 * multiply-add */
#include "rpca/kernels/kernels.h"

#if defined(__AVX2__) && defined(__FMA__)
#include <immintrin.h>

enum { LANES = 8 };
typedef float real;
typedef __m256 vec;
static inline vec load(const float *x) { return _mm256_loadu_ps(x); }
static inline void store(float *x, vec a) { _mm256_storeu_ps(x, a); }
static inline vec all(double a) { return _mm256_set1_ps((float)a); }
static inline vec fused(vec a, vec b, vec c) { return _mm256_fmadd_ps(a, b, c); }

/* The first n lanes; the others are 0 and stay as they are. */
static inline __m256i first(int n)
{
    static const int ones[16] = { -1, -1, -1, -1, -1, -1, -1, -1 };
    return _mm256_loadu_si256((const __m256i *)(ones + 8 - n));
}
static inline vec load_part(const float *x, int n)
{
    return n == LANES ? load(x) : _mm256_maskload_ps(x, first(n));
}
static inline void store_part(float *x, int n, vec a)
{
    if (n == LANES)
        store(x, a);
    else
        _mm256_maskstore_ps(x, first(n), a);
}

/* w == 0 ? a : b */
static inline vec select(vec w, vec a, vec b)
{
    return _mm256_blendv_ps(b, a, _mm256_cmp_ps(w, _mm256_setzero_ps(), _CMP_EQ_OQ));
}

/* Minimum and maximum return their second argument when one is NaN. */
static inline vec between(vec a, vec most) { return _mm256_max_ps(-most, _mm256_min_ps(most, a)); }
static inline vec magnitude(vec a) { return _mm256_andnot_ps(all(-0.0), a); }

/* Traces of an |a| > most, of a NaN, of an a that is not 0, as bits: are there any? */
typedef vec traces;
static inline traces no_trace(void) { return _mm256_setzero_ps(); }
static inline traces trace_outside(traces s, vec a, vec most)
{
    return _mm256_or_ps(s, _mm256_cmp_ps(magnitude(a), most, _CMP_NLE_UQ));
}
static inline traces trace_nonzero(traces s, vec a) { return _mm256_or_ps(s, a); }
static inline bool some(traces s)
{
    const __m256i bits = _mm256_castps_si256(s);
    return !_mm256_testz_si256(bits, bits);
}
static inline unsigned nonzero(vec a)
{
    return (unsigned)_mm256_movemask_ps(_mm256_cmp_ps(a, _mm256_setzero_ps(), _CMP_NEQ_UQ));
}

static inline __m256d low_half(vec a) { return _mm256_cvtps_pd(_mm256_castps256_ps128(a)); }
static inline __m256d high_half(vec a) { return _mm256_cvtps_pd(_mm256_extractf128_ps(a, 1)); }
static inline double total(vec a)
{
    const __m256d sum = low_half(a) + high_half(a);
    const __m128d half = _mm_add_pd(_mm256_castpd256_pd128(sum), _mm256_extractf128_pd(sum, 1));
    return _mm_cvtsd_f64(_mm_add_sd(half, _mm_unpackhi_pd(half, half)));
}
static inline void add_to(double *w, vec a)
{
    _mm256_storeu_pd(w, _mm256_loadu_pd(w) + low_half(a));
    _mm256_storeu_pd(w + 4, _mm256_loadu_pd(w + 4) + high_half(a));
}

/* y[k] += the total of the vector k strides from x on, k = 0..3 */
static inline __m256d halves(const float *x)
{
    const vec a = load(x);
    return low_half(a) + high_half(a);
}
static inline void add_totals(const float *x, ptrdiff_t stride, double *y)
{
    const __m256d low = _mm256_hadd_pd(halves(x), halves(x + stride));
    const __m256d high = _mm256_hadd_pd(halves(x + 2 * stride), halves(x + 3 * stride));
    _mm256_storeu_pd(y, _mm256_loadu_pd(y) + _mm256_permute2f128_pd(low, high, 0x20) +
                            _mm256_permute2f128_pd(low, high, 0x31));
}

#define KERNEL      crs_cp_kernel_avx2_single
#define KERNEL_NAME "avx2 single"
#include "rpca/kernels/fused.inc"
#endif
