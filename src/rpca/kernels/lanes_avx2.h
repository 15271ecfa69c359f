/* SPDX-License-Identifier: MIT
 * lanes_avx2.h: vectors of four doubles */
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

/* Traces of an |a| > most, of a NaN, of an a that is not 0, as bits: are there any? */
typedef vec traces;
static inline traces no_trace(void) { return _mm256_setzero_pd(); }
static inline traces trace_outside(traces s, vec a, vec most)
{
    return _mm256_or_pd(s, _mm256_cmp_pd(magnitude(a), most, _CMP_NLE_UQ));
}
static inline traces trace_nonzero(traces s, vec a) { return _mm256_or_pd(s, a); }
static inline bool some(traces s)
{
    const __m256i bits = _mm256_castpd_si256(s);
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

/* Truths, one per lane. */
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
