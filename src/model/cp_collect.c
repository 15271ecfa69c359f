/* SPDX-License-Identifier: MIT
 * cp_collect: w = Z'V, V the Khatri-Rao product of the rows' modes, in one read of Z */
#include "model/cp_state.h"

static ptrdiff_t padded(const crs_cp_fused *s)
{
    return s->grid.chunks * s->c.rank * s->grid.width;
}

/* The panel's columns of a chunk, in cache and padded with 0. */
static void load_panel(const crs_cp_fused *s, ptrdiff_t row, ptrdiff_t count, ptrdiff_t chunk,
                       double *to)
{
    const ptrdiff_t width = s->grid.width, column = chunk * width;
    const ptrdiff_t n = fewer(width, s->grid.right - column);
    for (ptrdiff_t i = 0; i < count; i++) {
        s->kernel->copy(n, s->Z + (row + i) * s->grid.right + column, to + i * width);
        fill(width - n, 0, to + i * width + n);
    }
}

static void collect_band(void *self, ptrdiff_t band, int worker)
{
    crs_cp_fused *s = self;
    const crs_cp_worker *w = s->worker + worker;
    const ptrdiff_t rank = s->c.rank, width = s->grid.width;
    double *sum = s->collected + band * padded(s);
    ptrdiff_t row, end;
    fill(padded(s), 0, sum);
    for (crs_cp_band(&s->grid, band, &row, &end); row < end; row += CRS_PANEL) {
        const ptrdiff_t count = fewer(CRS_PANEL, end - row);
        const double *kr = crs_cp_row_products(s, w, row, count);
        for (ptrdiff_t chunk = 0; chunk < s->grid.chunks; chunk++) {
            load_panel(s, row, count, chunk, w->panel);
            s->kernel->collect(count, rank, width, width, kr, w->panel, sum + chunk * rank * width);
        }
    }
}

void crs_cp_pass_collect(crs_cp_fused *s)
{
    const ptrdiff_t rank = s->c.rank, width = s->grid.width, size = padded(s);
    crs_parallel(s->c.threads, s->grid.bands, collect_band, s);
    for (ptrdiff_t band = 1; band < s->grid.bands; band++)
        axpy(size, 1, s->collected + band * size, s->collected);
    for (ptrdiff_t j = 0; j < s->grid.right; j++)
        for (ptrdiff_t r = 0; r < rank; r++)
            s->w[j * rank + r] = s->collected[(j / width * rank + r) * width + j % width];
}
