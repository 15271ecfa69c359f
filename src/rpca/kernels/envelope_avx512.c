/* SPDX-License-Identifier: MIT
 * envelope_kernel_avx512: the envelope's kernels with eight doubles a vector */
#include "rpca/kernels/envelope_kernel.h"

#if defined(__AVX512F__)
#include "rpca/kernels/lanes_avx512.h"

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

#define KERNEL      crs_envelope_kernel_avx512
#define KERNEL_NAME "avx512"
#include "rpca/kernels/envelope.inc"
#endif
