/* SPDX-License-Identifier: MIT
 * cp_kernel_avx2: the kernels with four doubles a vector and fused multiply-add */
#include "model/cp_kernel.h"

#if defined(__AVX2__) && defined(__FMA__)
#include <immintrin.h>

enum { LANES = 4 };
typedef __m256d vec;
static inline vec load(const double *x) { return _mm256_loadu_pd(x); }
static inline void store(double *x, vec a) { _mm256_storeu_pd(x, a); }
static inline vec all(double a) { return _mm256_set1_pd(a); }
static inline vec fused(vec a, vec b, vec c) { return _mm256_fmadd_pd(a, b, c); }

static inline double total(vec a)
{
    const __m128d half = _mm_add_pd(_mm256_castpd256_pd128(a), _mm256_extractf128_pd(a, 1));
    return _mm_cvtsd_f64(_mm_add_sd(half, _mm_unpackhi_pd(half, half)));
}

static inline unsigned nonzero(vec a)
{
    return (unsigned)_mm256_movemask_pd(_mm256_cmp_pd(a, _mm256_setzero_pd(), _CMP_NEQ_UQ));
}

#define KERNEL      crs_cp_kernel_avx2
#define KERNEL_NAME "avx2"
#include "model/cp_kernel.inc"
#endif
