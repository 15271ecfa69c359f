/* SPDX-License-Identifier: MIT
 * lanes_avx512.inc: vectors of eight doubles */
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
static inline vec lesser(vec most, vec a) { return _mm512_min_pd(most, a); }
static inline vec greater(vec least, vec a) { return _mm512_max_pd(least, a); }
static inline vec magnitude(vec a) { return _mm512_abs_pd(a); }

static inline double total(vec a) { return _mm512_reduce_add_pd(a); }
