/* SPDX-License-Identifier: MIT
 * tile: c = sum_t a_t b_t' of `count` terms, a_t of CRS_TILE_ROWS and b_t of CRS_TILE_COLUMNS
 * numbers, for the instruction sets there are
 *
 * Each entry is a sum in order, from 0 on, and so off by at most count 2^-53/(1 - count 2^-53) of
 * the size of its terms, whether or not products are rounded before they are added. */
#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#endif

#include "verify/regress.h"

#if defined(__x86_64__) && defined(__GNUC__)
#define AS(name)       name##_avx512
#define TARGET         __attribute__((target("avx512f")))
#define VEC            __m512d
#define LANES          8
#define ROWS           8
#define VECS           3
#define ALL(x)         _mm512_set1_pd(x)
#define LOAD(x)        _mm512_loadu_pd(x)
#define STORE(x, a)    _mm512_storeu_pd(x, a)
#define FUSED(a, b, c) _mm512_fmadd_pd(a, b, c)
#include "verify/tile.inc"

#define AS(name)       name##_avx2
#define TARGET         __attribute__((target("avx2,fma")))
#define VEC            __m256d
#define LANES          4
#define ROWS           4
#define VECS           3
#define ALL(x)         _mm256_set1_pd(x)
#define LOAD(x)        _mm256_loadu_pd(x)
#define STORE(x, a)    _mm256_storeu_pd(x, a)
#define FUSED(a, b, c) _mm256_fmadd_pd(a, b, c)
#include "verify/tile.inc"
#endif

/* Single numbers: what the compiler makes of them */
#define AS(name) name##_base
#define TARGET
#define VEC            double
#define LANES          1
#define ROWS           4
#define VECS           4
#define ALL(x)         (x)
#define LOAD(x)        (*(x))
#define STORE(x, a)    (*(x) = (a))
#define FUSED(a, b, c) ((a) * (b) + (c))
#include "verify/tile.inc"

crs_tile *crs_tile_at(int k)
{
    crs_tile *found[3] = { NULL, NULL, NULL };
    int count = 0;
#if defined(__x86_64__) && defined(__GNUC__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f")) found[count++] = tile_avx512;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) found[count++] = tile_avx2;
#endif
    found[count++] = tile_base;
    return k < count ? found[k] : NULL;
}
