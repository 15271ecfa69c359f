/* SPDX-License-Identifier: MIT
 * lanes_avx512.h: vectors of eight doubles */
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

static inline unsigned nonzero(vec a)
{
    return _mm512_cmp_pd_mask(a, _mm512_setzero_pd(), _CMP_NEQ_UQ);
}

/* Traces of an |a| > most, of a NaN, of an a that is not 0: are there any? Masks and bits are kept
 * apart: to make vectors of masks would have every trace wait for the one before. */
typedef struct {
    __mmask8 out;
    __m512i bits;
} traces;
static inline traces no_trace(void) { return (traces){ 0, _mm512_setzero_si512() }; }
static inline traces trace_outside(traces s, vec a, vec most)
{
    s.out |= _mm512_cmp_pd_mask(magnitude(a), most, _CMP_NLE_UQ);
    return s;
}
static inline traces trace_nonzero(traces s, vec a)
{
    s.bits = _mm512_or_si512(s.bits, _mm512_castpd_si512(a));
    return s;
}
static inline bool some(traces s) { return (s.out | _mm512_test_epi64_mask(s.bits, s.bits)) != 0; }

static inline void add_to(double *w, vec a) { store(w, load(w) + a); }

/* y[k] += the total of the vector k strides from x on, k = 0..3; in the order of total() */
static inline __m256d halves(const double *x)
{
    const vec a = load(x);
    return _mm256_add_pd(_mm512_extractf64x4_pd(a, 1), _mm512_castpd512_pd256(a));
}
static inline void add_totals(const double *x, ptrdiff_t stride, double *y)
{
    const __m256d a = halves(x), b = halves(x + stride);
    const __m256d c = halves(x + 2 * stride), d = halves(x + 3 * stride);
    const __m256d low =
        _mm256_add_pd(_mm256_permute2f128_pd(a, c, 0x31), _mm256_permute2f128_pd(a, c, 0x20));
    const __m256d high =
        _mm256_add_pd(_mm256_permute2f128_pd(b, d, 0x31), _mm256_permute2f128_pd(b, d, 0x20));
    _mm256_storeu_pd(y, _mm256_add_pd(_mm256_loadu_pd(y), _mm256_hadd_pd(low, high)));
}

/* Truths, one per lane. */
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
