/* SPDX-License-Identifier: MIT
 * sparse: the tiles of E; those with few nonzeros are stored as marks and packed values
 *
 * A few values lie in the tile's slot, so that the tensor E takes no memory while it is very
 * sparse; more at the front of the tile's first row, where the tile can become dense again. Packing
 * loses nothing: -0 never occurs, and NaN is not 0. */
#include <string.h>

#include "rpca/fused/state.h"

enum { SPARSE = 8 }; /* a tile is packed when at most one entry in so many is not 0 */

static char *place(const crs_cp_fused *s, ptrdiff_t tile)
{
    const ptrdiff_t block = tile / s->grid.chunks, chunk = tile % s->grid.chunks;
    return at_entry(s, s->E, block * CRS_TILE_ROWS * s->grid.right + chunk * s->grid.width);
}

/* Where so many packed values lie. */
static char *packed(const crs_cp_fused *s, ptrdiff_t tile, ptrdiff_t count)
{
    return count <= CRS_SLOT ? at_entry(s, s->slots, tile * CRS_SLOT) : place(s, tile);
}

static int lowest(uint64_t word)
{
#if defined(__GNUC__)
    return __builtin_ctzll(word);
#else
    int k = 0;
    while (!(word >> k & 1)) k++;
    return k;
#endif
}

static int ones(uint64_t word)
{
#if defined(__GNUC__)
    return __builtin_popcountll(word);
#else
    int k = 0;
    for (; word; word &= word - 1) k++;
    return k;
#endif
}

static void move_entry(ptrdiff_t size, const char *from, char *to)
{
    if (size == sizeof(float))
        memcpy(to, from, sizeof(float));
    else
        memcpy(to, from, sizeof(double));
}

/* e = the packed values of a row, where they belong; returns where the next row's begin. */
static const char *unpack(const crs_cp_fused *s, const uint64_t *marks, const char *from, char *e)
{
    for (ptrdiff_t k = 0; k < s->words; k++)
        for (uint64_t word = marks[k]; word; word &= word - 1, from += s->size)
            move_entry(s->size, from, e + (k * 64 + lowest(word)) * s->size);
    return from;
}

/* The other way; e is cleared. */
static char *pack(const crs_cp_fused *s, const uint64_t *marks, char *e, char *to)
{
    static const double zero = 0;
    for (ptrdiff_t k = 0; k < s->words; k++)
        for (uint64_t word = marks[k]; word; word &= word - 1, to += s->size) {
            char *from = e + (k * 64 + lowest(word)) * s->size;
            double value;
            move_entry(s->size, from, (char *)&value);
            move_entry(s->size, (const char *)&zero, from);
            move_entry(s->size, (char *)&value, to);
        }
    return to;
}

crs_stored *crs_sparse_open(const crs_cp_fused *s, ptrdiff_t tile, crs_cp_tile *t, crs_stored *e,
                            bool anew)
{
    const char *from = packed(s, tile, s->stored[tile]);
    const bool dense = s->stored[tile] < 0;
    t->e = dense ? place(s, tile) : e;
    t->e_stride = dense ? s->grid.right : s->grid.width;
    t->marks = s->marks + tile * CRS_TILE_ROWS * s->words;
    for (ptrdiff_t i = 0; s->stored[tile] > 0 && i < t->rows; i++)
        from = unpack(s, t->marks + i * t->words, from, (char *)e + i * t->e_stride * s->size);
    if (anew) memset(t->marks, 0, CRS_TILE_ROWS * (size_t)t->words * sizeof *t->marks);
    return t->e;
}

ptrdiff_t crs_sparse_close(const crs_cp_fused *s, ptrdiff_t tile, const crs_cp_tile *t)
{
    ptrdiff_t nonzeros = 0;
    for (ptrdiff_t k = 0; k < CRS_TILE_ROWS * t->words; k++)
        if (t->marks[k]) nonzeros += ones(t->marks[k]);
    const bool sparse = nonzeros <= t->rows * t->columns / SPARSE;
    const ptrdiff_t step = t->e_stride * s->size;
    char *to = sparse ? packed(s, tile, nonzeros) : place(s, tile), *e = t->e;
    for (ptrdiff_t i = 0; nonzeros > 0 && i < t->rows; i++, e += step) {
        if (sparse) {
            to = pack(s, t->marks + i * t->words, e, to);
        } else if (s->stored[tile] >= 0) {
            memcpy(to + i * s->grid.right * s->size, e, (size_t)(t->columns * s->size));
            memset(e, 0, (size_t)(t->columns * s->size));
        }
    }
    s->stored[tile] = sparse ? (int)nonzeros : -1;
    return nonzeros;
}
