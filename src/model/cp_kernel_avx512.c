/* SPDX-License-Identifier: MIT
 * cp_kernel_avx512: the kernels with eight doubles a vector */
#include "model/cp_kernel.h"

#if defined(__AVX512F__)
#include <immintrin.h>

enum { LANES = 8 };
typedef double real;
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
static inline vec magnitude(vec a) { return _mm512_abs_pd(a); }

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

static inline double total(vec a) { return _mm512_reduce_add_pd(a); }
static inline void add_to(double *w, vec a) { store(w, load(w) + a); }

/* y[i] += the total of vector i of x, i = 0..3 */
static inline void add_totals(const double *x, double *y)
{
    for (int i = 0; i < CRS_TILE_ROWS; i++) y[i] += total(load(x + i * LANES));
}

#define KERNEL      crs_cp_kernel_avx512
#define KERNEL_NAME "avx512"
#include "model/cp_kernel.inc"
#endif
