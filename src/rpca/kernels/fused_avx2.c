/* SPDX-License-Identifier: MIT
 * cp_kernel_avx2: the kernels with four doubles a vector and fused multiply-add */
#include "rpca/kernels/kernels.h"

#if defined(__AVX2__) && defined(__FMA__)
#include "rpca/kernels/lanes_avx2.h"

/* Bits that are not all 0 where |a| > most or a is NaN; bits of either; are there any? */
static inline vec outside(vec a, vec most)
{
    return _mm256_cmp_pd(magnitude(a), most, _CMP_NLE_UQ);
}
static inline vec either(vec a, vec b) { return _mm256_or_pd(a, b); }
static inline bool some(vec a)
{
    const __m256i bits = _mm256_castpd_si256(a);
    return !_mm256_testz_si256(bits, bits);
}
static inline unsigned nonzero(vec a)
{
    return (unsigned)_mm256_movemask_pd(_mm256_cmp_pd(a, _mm256_setzero_pd(), _CMP_NEQ_UQ));
}

static inline void add_to(double *w, vec a) { store(w, load(w) + a); }

/* y[k] += the total of the vector k strides from x on, k = 0..3 */
static inline void add_totals(const double *x, ptrdiff_t stride, double *y)
{
    const vec low = _mm256_hadd_pd(load(x), load(x + stride));
    const vec high = _mm256_hadd_pd(load(x + 2 * stride), load(x + 3 * stride));
    store(y, load(y) + _mm256_permute2f128_pd(low, high, 0x20) +
                 _mm256_permute2f128_pd(low, high, 0x31));
}

#define KERNEL      crs_cp_kernel_avx2
#define KERNEL_NAME "avx2"
#include "rpca/kernels/fused.inc"
#endif
