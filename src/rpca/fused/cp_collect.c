/* SPDX-License-Identifier: MIT
 * cp_collect: w = Z'V, V the Khatri-Rao product of the rows' modes, in one read of Z */
#include "rpca/fused/state.h"

static ptrdiff_t padded(const crs_cp_fused *s)
{
    return s->grid.chunks * s->c.rank * s->grid.width;
}

static void collect_band(void *self, ptrdiff_t band, int worker)
{
    crs_cp_fused *s = self;
    const crs_cp_worker *w = s->worker + worker;
    const ptrdiff_t rank = s->c.rank;
    double *sum = s->collected + band * padded(s);
    ptrdiff_t row, end;
    fill(padded(s), 0, sum);
    for (crs_cp_band(&s->grid, band, &row, &end); row < end; row += CRS_PANEL) {
        const ptrdiff_t count = fewer(CRS_PANEL, end - row);
        const double *rows = crs_cp_row_products(s, w, row, count);
        if (s->c.single) s->kernel->narrow(count * rank, rows, w->narrow);
        for (ptrdiff_t chunk = 0; chunk < s->grid.chunks; chunk++) {
            crs_cp_tile t = crs_cp_tile_at(s, row, count, chunk);
            t.partial = w->collected;
            s->kernel->collect(rank, s->c.single ? w->narrow : rows, &t,
                               sum + chunk * rank * s->grid.width);
        }
    }
}

void crs_cp_pass_collect(crs_cp_fused *s)
{
    const ptrdiff_t rank = s->c.rank, size = padded(s), block = s->kernel->block;
    crs_parallel(s->c.threads, s->grid.bands, collect_band, s);
    for (ptrdiff_t band = 1; band < s->grid.bands; band++)
        axpy(size, 1, s->collected + band * size, s->collected);
    const double *from = s->collected;
    for (ptrdiff_t first = 0; first < s->grid.right; first += block)
        for (ptrdiff_t r = 0; r < rank; r++, from += block)
            for (ptrdiff_t j = first; j < fewer(first + block, s->grid.right); j++)
                s->w[j * rank + r] = from[j - first];
}
