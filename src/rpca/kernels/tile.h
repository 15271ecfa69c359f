/* SPDX-License-Identifier: MIT
 * tile.h: what every loop over the vectors of a tile needs, after one of lanes_*.h */

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

/* What memory is asked for while a tile is worked on: the tile `ahead` of it, in the order its
 * entries lie, which is what the hardware's own prefetching follows. From entry n of this order on:
 * its place, and what is skipped after so many more, at the end of a row. */
typedef struct {
    ptrdiff_t at, left, skip;
} soon;
ALWAYS_INLINE soon soon_of(ptrdiff_t ahead, ptrdiff_t columns, ptrdiff_t stride, ptrdiff_t n)
{
    const ptrdiff_t row = columns == stride ? 0 : n / columns, in = n - row * columns;
    return (soon){ ahead + row * stride + in, columns - in, stride - columns };
}
ALWAYS_INLINE ptrdiff_t place_of(const soon *s, ptrdiff_t n) /* of the n-th from there on */
{
    return s->at + n + (n < s->left ? 0 : s->skip);
}

/* W as 0 or 1; 1 beyond the part. */
ALWAYS_INLINE vec observed(const unsigned char *mask, int part)
{
    real w[LANES];
    for (int k = 0; k < LANES; k++) w[k] = k >= part || mask[k] ? 1 : 0;
    return load(w);
}

/* How many lanes of a vector are used when `left` entries are left. */
ALWAYS_INLINE int lanes_of(ptrdiff_t left) { return left < LANES ? (int)left : LANES; }

/* s (rank) += sum of the rows of y o k, both rows x rank */
static void weigh(ptrdiff_t rows, ptrdiff_t rank, const double *y, const double *k, double *s)
{
    enum { MANY = 8 };
    ptrdiff_t r = 0;
    for (; r + MANY <= rank; r += MANY) {
        double a[MANY] = { 0 };
        for (ptrdiff_t i = 0; i < rows; i++)
            for (int n = 0; n < MANY; n++) a[n] += y[i * rank + r + n] * k[i * rank + r + n];
        for (int n = 0; n < MANY; n++) s[r + n] += a[n];
    }
    for (; r < rank; r++)
        for (ptrdiff_t i = 0; i < rows; i++) s[r] += y[i * rank + r] * k[i * rank + r];
}
