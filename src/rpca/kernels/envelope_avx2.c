/* SPDX-License-Identifier: MIT
 * envelope_kernel_avx2: the envelope's kernels with four doubles a vector and fused multiply-add */
#include "rpca/kernels/envelope_kernel.h"

#if defined(__AVX2__) && defined(__FMA__)
#include "rpca/kernels/lanes_avx2.h"

static inline vec widen_part(const float *x, int n)
{
    const __m128i wanted = _mm256_castsi256_si128(
        _mm256_permutevar8x32_epi32(first(n), _mm256_setr_epi32(0, 2, 4, 6, 1, 3, 5, 7)));
    return _mm256_cvtps_pd(n == LANES ? _mm_loadu_ps(x) : _mm_maskload_ps(x, wanted));
}

typedef __m256d lanes;
static inline lanes equal(vec a, vec b) { return _mm256_cmp_pd(a, b, _CMP_EQ_OQ); }
static inline lanes at_most(vec a, vec b) { return _mm256_cmp_pd(a, b, _CMP_LE_OQ); }
static inline lanes both(lanes a, lanes b) { return _mm256_and_pd(a, b); }
static inline vec choose_lanes(lanes w, vec a, vec b) { return _mm256_blendv_pd(b, a, w); }
static inline int count(lanes w) { return __builtin_popcount((unsigned)_mm256_movemask_pd(w)); }
static inline vec keep(vec a, int n) { return _mm256_and_pd(a, _mm256_castsi256_pd(first(n))); }

/* 32 bits hold a bin; the upper halves stay 0 */
static inline void bins(vec a, int64_t *bin)
{
    const __m256i bits = _mm256_srli_epi64(_mm256_castpd_si256(magnitude(a)), CRS_BIN_SHIFT);
    const __m256i b = _mm256_sub_epi32(bits, _mm256_set1_epi64x(CRS_BIN_FIRST));
    const __m256i most = _mm256_set1_epi64x(CRS_BIN_LAST);
    _mm256_storeu_si256((__m256i *)bin,
                        _mm256_min_epi32(_mm256_max_epi32(b, _mm256_setzero_si256()), most));
}

#define KERNEL      crs_envelope_kernel_avx2
#define KERNEL_NAME "avx2"
#include "rpca/kernels/envelope.inc"
#endif
