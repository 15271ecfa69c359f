/* SPDX-License-Identifier: MIT
 * cp_sparse: tiles of E with few nonzeros are stored as marks and packed values
 *
 * The values lie at the front of the tile's first row, so that a tile can become dense again
 * where it is. Packing loses nothing: -0 never occurs, and NaN is not 0. */
#include "model/cp_state.h"

enum { SPARSE = 8 }; /* a tile is packed when at most one entry in so many is not 0 */

static double *place(const crs_cp_fused *s, ptrdiff_t tile)
{
    const ptrdiff_t block = tile / s->grid.chunks, chunk = tile % s->grid.chunks;
    return s->E + block * CRS_TILE_ROWS * s->grid.right + chunk * s->grid.width;
}

static uint64_t *marks_of(const crs_cp_fused *s, ptrdiff_t tile, ptrdiff_t row)
{
    return s->marks + (tile * CRS_TILE_ROWS + row) * s->grid.words;
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

/* e = the packed values of a row, where they belong; returns where the next row's begin. */
static const double *unpack(ptrdiff_t words, const uint64_t *marks, const double *from, double *e)
{
    for (ptrdiff_t k = 0; k < words; k++)
        for (uint64_t word = marks[k]; word; word &= word - 1) e[k * 64 + lowest(word)] = *from++;
    return from;
}

/* The other way; e is cleared. */
static double *pack(ptrdiff_t words, const uint64_t *marks, double *e, double *to)
{
    for (ptrdiff_t k = 0; k < words; k++)
        for (uint64_t word = marks[k]; word; word &= word - 1) {
            double *from = e + k * 64 + lowest(word);
            const double value = *from;
            *from = 0;
            *to++ = value;
        }
    return to;
}

void crs_cp_open(const crs_cp_fused *s, ptrdiff_t tile, crs_cp_tile *t, double *e)
{
    const double *from = place(s, tile);
    const bool dense = s->stored[tile] < 0;
    t->e = dense ? place(s, tile) : e;
    t->e_stride = dense ? s->grid.right : s->grid.width;
    for (ptrdiff_t i = 0; s->stored[tile] > 0 && i < t->rows; i++)
        from = unpack((t->columns + 63) / 64, marks_of(s, tile, i), from, e + i * t->e_stride);
}

void crs_cp_close(const crs_cp_fused *s, ptrdiff_t tile, const crs_cp_tile *t, ptrdiff_t nonzeros)
{
    const bool sparse = !s->c.dense && nonzeros <= t->rows * t->columns / SPARSE;
    double *to = place(s, tile);
    for (ptrdiff_t i = 0; nonzeros > 0 && i < t->rows; i++) {
        double *e = t->e + i * t->e_stride;
        uint64_t *marks = marks_of(s, tile, i);
        if (sparse) {
            s->kernel->mark(t->columns, e, marks);
            to = pack((t->columns + 63) / 64, marks, e, to);
        } else if (s->stored[tile] >= 0) {
            copy(t->columns, e, to + i * s->grid.right);
            fill(t->columns, 0, e);
        }
    }
    s->stored[tile] = sparse ? (int)nonzeros : -1;
}
