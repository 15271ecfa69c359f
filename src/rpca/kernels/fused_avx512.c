/* SPDX-License-Identifier: MIT
 * cp_kernel_avx512: the kernels with eight doubles a vector */
#include "rpca/kernels/kernels.h"

#if defined(__AVX512F__)
#include "rpca/kernels/lanes_avx512.h"

static inline unsigned nonzero(vec a)
{
    return _mm512_cmp_pd_mask(a, _mm512_setzero_pd(), _CMP_NEQ_UQ);
}

/* 1 where |a| > most or a is NaN, else 0; 1 where either is not 0; are there any? */
static inline vec ones(unsigned lanes) { return _mm512_maskz_mov_pd((__mmask8)lanes, all(1)); }
static inline vec outside(vec a, vec most)
{
    return ones(_mm512_cmp_pd_mask(magnitude(a), most, _CMP_NLE_UQ));
}
static inline vec either(vec a, vec b) { return ones(nonzero(a) | nonzero(b)); }
static inline bool some(vec a) { return nonzero(a) != 0; }

static inline void add_to(double *w, vec a) { store(w, load(w) + a); }

/* y[k] += the total of the vector k strides from x on, k = 0..3 */
static inline void add_totals(const double *x, ptrdiff_t stride, double *y)
{
    for (int k = 0; k < 4; k++) y[k] += total(load(x + k * stride));
}

#define KERNEL      crs_cp_kernel_avx512
#define KERNEL_NAME "avx512"
#include "rpca/kernels/fused.inc"
#endif
