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
static inline double total(vec a) { return _mm512_reduce_add_pd(a); }

static inline unsigned nonzero(vec a)
{
    return _mm512_cmp_pd_mask(a, _mm512_setzero_pd(), _CMP_NEQ_UQ);
}

#define KERNEL      crs_cp_kernel_avx512
#define KERNEL_NAME "avx512"
#include "model/cp_kernel.inc"
#endif
