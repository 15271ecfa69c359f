/* SPDX-License-Identifier: MIT
 * lanes.inc: what every loop over vectors of LANES reals needs */

#if defined(__GNUC__)
#define ALWAYS_INLINE static inline __attribute__((always_inline))
#define PREFETCH(p, offset)                                                                        \
    __builtin_prefetch((const void *)((uintptr_t)(p) + sizeof(real) * (uintptr_t)(offset)), 0, 3)
#else
#define ALWAYS_INLINE       static inline
#define PREFETCH(p, offset) ((void)(p), (void)(offset))
#endif

enum { ROWS = CRS_TILE_ROWS, VECTORS = 3, BLOCK = VECTORS * LANES };
enum { CACHE_LINE = 64 / sizeof(real) };

/* W as 0 or 1; 1 beyond the part. */
ALWAYS_INLINE vec observed(const unsigned char *mask, int part)
{
    real w[LANES];
    for (int k = 0; k < LANES; k++) w[k] = k >= part || mask[k] ? 1 : 0;
    return load(w);
}
