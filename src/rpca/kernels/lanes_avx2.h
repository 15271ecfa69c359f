/* SPDX-License-Identifier: MIT
 * lanes_avx2.inc: vectors of four doubles */
#include <immintrin.h>

enum { LANES = 4 };
typedef double real;
typedef __m256d vec;
static inline vec load(const double *x) { return _mm256_loadu_pd(x); }
static inline void store(double *x, vec a) { _mm256_storeu_pd(x, a); }
static inline vec all(double a) { return _mm256_set1_pd(a); }
static inline vec fused(vec a, vec b, vec c) { return _mm256_fmadd_pd(a, b, c); }

/* The first n lanes; the others are 0 and stay as they are. */
static inline __m256i first(int n)
{
    static const long long ones[8] = { -1, -1, -1, -1, 0, 0, 0, 0 };
    return _mm256_loadu_si256((const __m256i *)(ones + 4 - n));
}
static inline vec load_part(const double *x, int n)
{
    return n == LANES ? load(x) : _mm256_maskload_pd(x, first(n));
}
static inline void store_part(double *x, int n, vec a)
{
    if (n == LANES)
        store(x, a);
    else
        _mm256_maskstore_pd(x, first(n), a);
}

/* w == 0 ? a : b */
static inline vec select(vec w, vec a, vec b)
{
    return _mm256_blendv_pd(b, a, _mm256_cmp_pd(w, _mm256_setzero_pd(), _CMP_EQ_OQ));
}

/* Minimum and maximum return their second argument when one is NaN. */
static inline vec between(vec a, vec most) { return _mm256_max_pd(-most, _mm256_min_pd(most, a)); }
static inline vec lesser(vec most, vec a) { return _mm256_min_pd(most, a); }
static inline vec greater(vec least, vec a) { return _mm256_max_pd(least, a); }
static inline vec magnitude(vec a) { return _mm256_andnot_pd(all(-0.0), a); }

static inline double total(vec a)
{
    const __m128d half = _mm_add_pd(_mm256_castpd256_pd128(a), _mm256_extractf128_pd(a, 1));
    return _mm_cvtsd_f64(_mm_add_sd(half, _mm_unpackhi_pd(half, half)));
}
