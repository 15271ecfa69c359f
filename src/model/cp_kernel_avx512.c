/* SPDX-License-Identifier: MIT
 * cp_kernel_avx512: the kernels with eight doubles a vector */
#include "model/cp_kernel.h"

#if defined(__AVX512F__)
#include <immintrin.h>

enum { LANES = 8 };
typedef __m512d vec;
static inline vec load(const double *x) { return _mm512_loadu_pd(x); }
static inline void store(double *x, vec a) { _mm512_storeu_pd(x, a); }
static inline vec all(double a) { return _mm512_set1_pd(a); }
static inline vec fused(vec a, vec b, vec c) { return _mm512_fmadd_pd(a, b, c); }

/* The first n lanes; the others are 0 and stay as they are. */
static inline __mmask8 first(int n) { return (__mmask8)((1u << n) - 1); }
static inline vec load_part(const double *x, int n)
{
    return n == LANES ? load(x) : _mm512_maskz_loadu_pd(first(n), x);
}
static inline void store_part(double *x, int n, vec a)
{
    if (n == LANES)
        store(x, a);
    else
        _mm512_mask_storeu_pd(x, first(n), a);
}

/* w == 0 ? a : b */
static inline vec select(vec w, vec a, vec b)
{
    return _mm512_mask_blend_pd(_mm512_cmp_pd_mask(w, _mm512_setzero_pd(), _CMP_EQ_OQ), b, a);
}

/* Minimum and maximum return their second argument when one is NaN. */
static inline vec between(vec a, vec most) { return _mm512_max_pd(-most, _mm512_min_pd(most, a)); }
static inline vec lesser(vec most, vec a) { return _mm512_min_pd(most, a); }
static inline vec greater(vec least, vec a) { return _mm512_max_pd(least, a); }
static inline vec magnitude(vec a) { return _mm512_abs_pd(a); }
static inline vec nonzero_as_one(vec a)
{
    return _mm512_maskz_mov_pd(_mm512_cmp_pd_mask(a, _mm512_setzero_pd(), _CMP_NEQ_UQ), all(1));
}
static inline double total(vec a) { return _mm512_reduce_add_pd(a); }

static inline unsigned nonzero(vec a)
{
    return _mm512_cmp_pd_mask(a, _mm512_setzero_pd(), _CMP_NEQ_UQ);
}

static inline vec widen_part(const float *x, int n)
{
    if (n == LANES) return _mm512_cvtps_pd(_mm256_loadu_ps(x));
    return _mm512_cvtps_pd(_mm512_castps512_ps256(_mm512_maskz_loadu_ps(first(n), x)));
}

typedef __mmask8 lanes;
static inline lanes equal(vec a, vec b) { return _mm512_cmp_pd_mask(a, b, _CMP_EQ_OQ); }
static inline lanes at_most(vec a, vec b) { return _mm512_cmp_pd_mask(a, b, _CMP_LE_OQ); }
static inline lanes both(lanes a, lanes b) { return a & b; }
static inline vec choose_lanes(lanes w, vec a, vec b) { return _mm512_mask_blend_pd(w, b, a); }
static inline int count(lanes w) { return __builtin_popcount(w); }
static inline vec keep(vec a, int n) { return _mm512_maskz_mov_pd(first(n), a); }

static inline void bins(vec a, int64_t *bin)
{
    const __m512i bits = _mm512_srli_epi64(_mm512_castpd_si512(magnitude(a)), CRS_BIN_SHIFT);
    const __m512i b = _mm512_sub_epi64(bits, _mm512_set1_epi64(CRS_BIN_FIRST));
    const __m512i most = _mm512_set1_epi64(CRS_BIN_LAST);
    _mm512_storeu_si512(bin, _mm512_min_epi64(_mm512_max_epi64(b, _mm512_setzero_si512()), most));
}

#define KERNEL      crs_cp_kernel_avx512
#define KERNEL_NAME "avx512"
#include "model/cp_kernel.inc"
#endif
