/* SPDX-License-Identifier: MIT
 * cp_pass: the two passes of an iteration over the tensors
 *
 * Entries: in every tile E, Z, B are updated while it is in cache, with [[X]] computed on the way,
 * and y = Z K follows from the new Z, K the Khatri-Rao product of the columns' modes: it yields
 * Z_(n) M_n for all modes of the rows in the next iteration. Collect: w = Z'V, V the rows' product
 * with their new factors, yields those of the columns. Sums are made band by band and added in
 * the bands' order, whichever thread works on which. */
#include "rpca/fused/state.h"

crs_cp_tile crs_cp_tile_at(const crs_cp_fused *s, ptrdiff_t row, ptrdiff_t rows, ptrdiff_t chunk)
{
    const crs_cp_grid *g = &s->grid;
    const ptrdiff_t column = chunk * g->width, at = row * g->right + column;
    crs_cp_tile t = { .stride = g->right, .words = g->words };
    t.rows = fewer(rows, g->left - row);
    t.columns = fewer(g->width, g->right - column);
    t.t = (const char *)s->T + at * s->size;
    t.z = at_entry(s, s->Z, at);
    if (s->B) t.b = at_entry(s, s->B, at);
    if (s->B) t.older = s->has_older ? at_entry(s, s->older, at) : t.b;
    if (s->c.mask) t.mask = s->c.mask + at;
    if (chunk + 1 < g->chunks)
        t.ahead = g->width;
    else if (row + rows < g->left)
        t.ahead = rows * g->right - column;
    return t;
}

static const void *columns_of(const crs_cp_fused *s, ptrdiff_t chunk)
{
    return at_entry(s, s->columns, chunk * s->c.rank * s->grid.width);
}

static void update_tile(const crs_cp_fused *s, const crs_cp_worker *w, crs_cp_tile *t,
                        ptrdiff_t tile)
{
    crs_cp_entries *entries = s->next == &s->eliminated ? s->kernel->eliminate : s->kernel->update;
    crs_cp_open(s, tile, t, w->e);
    entries(s->next, s->c.rank, w->v, columns_of(s, tile % s->grid.chunks), t);
    t->sums[CRS_SUM_NONZERO] += (double)crs_cp_close(s, tile, t);
}

/* The tiles of four rows, then their rows of y; kr NULL: Z stays as it is. */
static void pass_block(crs_cp_fused *s, const crs_cp_worker *w, ptrdiff_t block, const double *kr,
                       double *sums)
{
    const ptrdiff_t rank = s->c.rank, row = block * CRS_TILE_ROWS;
    const ptrdiff_t rows = fewer(CRS_TILE_ROWS, s->grid.left - row);
    double *y = s->y + row * rank;
    fill(rows * rank, 0, y);
    if (kr) s->kernel->spread(rows, rank, 2 * s->next->fold, kr, w->v);
    for (ptrdiff_t chunk = 0; chunk < s->grid.chunks; chunk++) {
        crs_cp_tile t = crs_cp_tile_at(s, row, CRS_TILE_ROWS, chunk);
        t.rest = w->rest;
        t.partial = w->partial;
        t.y = y;
        t.sums = sums;
        if (kr)
            update_tile(s, w, &t, block * s->grid.chunks + chunk);
        else
            s->kernel->project(rank, columns_of(s, chunk), &t);
    }
}

void crs_cp_band(const crs_cp_grid *g, ptrdiff_t band, ptrdiff_t *first, ptrdiff_t *end)
{
    *first = band * g->panels / g->bands * g->panel;
    *end = fewer(g->left, (band + 1) * g->panels / g->bands * g->panel);
}

const double *crs_cp_row_products(const crs_cp_fused *s, const crs_cp_worker *w, ptrdiff_t row,
                                  ptrdiff_t count)
{
    const double *const first_two[] = { s->factor[0], s->factor[1] };
    const crs_kruskal k = kruskal_of(s);
    if (s->grid.split == 1) return s->factor[0] + row * s->c.rank;
    if (s->grid.split == 2)
        s->kernel->pair(s->c.rank, s->c.shape.dim[1], row, count, first_two, w->rows);
    else
        crs_khatri_rao(&k, (crs_modes){ 0, s->grid.split, -1 }, row, count, w->rows);
    return w->rows;
}

void crs_cp_column_products(const crs_cp_fused *s)
{
    const crs_kruskal k = kruskal_of(s);
    crs_khatri_rao(&k, (crs_modes){ s->grid.split, s->c.shape.order, -1 }, 0, s->grid.right, s->w);
}

static void entries_of_band(void *self, ptrdiff_t band, int worker)
{
    crs_cp_fused *s = self;
    const crs_cp_worker *w = s->worker + worker;
    double sums[CRS_SUMS] = { 0 };
    ptrdiff_t row, end;
    for (crs_cp_band(&s->grid, band, &row, &end); row < end; row += CRS_PANEL) {
        const ptrdiff_t count = fewer(CRS_PANEL, end - row);
        const double *kr = crs_cp_row_products(s, w, row, count);
        for (ptrdiff_t i = 0; i < count; i += CRS_TILE_ROWS)
            pass_block(s, w, (row + i) / CRS_TILE_ROWS, kr + i * s->c.rank, sums);
    }
    copy(CRS_SUMS, sums, s->sums + band * CRS_SUMS);
}

static void start_of_band(void *self, ptrdiff_t band, int worker)
{
    crs_cp_fused *s = self;
    ptrdiff_t row, end;
    for (crs_cp_band(&s->grid, band, &row, &end); row < end; row += CRS_TILE_ROWS)
        pass_block(s, s->worker + worker, row / CRS_TILE_ROWS, NULL, NULL);
}

/* columns = the Khatri-Rao product of the columns' modes, in blocks */
static void set_columns(crs_cp_fused *s)
{
    const ptrdiff_t rank = s->c.rank, right = s->grid.right, block = s->kernel->block;
    const ptrdiff_t all = s->grid.chunks * s->grid.width;
    crs_cp_column_products(s);
    double *to = s->collected;
    for (ptrdiff_t first = 0; first < all; first += block)
        for (ptrdiff_t r = 0; r < rank; r++)
            for (ptrdiff_t j = first; j < first + block; j++)
                *to++ = j < right ? s->w[j * rank + r] : 0;
    s->kernel->narrow(all * rank, s->collected, s->columns);
}

void crs_cp_pass_start(crs_cp_fused *s)
{
    set_columns(s);
    crs_parallel(s->c.threads, s->grid.bands, start_of_band, s);
}

void crs_cp_pass_entries(crs_cp_fused *s)
{
    set_columns(s);
    crs_parallel(s->c.threads, s->grid.bands, entries_of_band, s);
    for (ptrdiff_t band = 1; band < s->grid.bands; band++)
        for (int k = 0; k < CRS_SUMS; k++) s->sums[k] += s->sums[band * CRS_SUMS + k];
    if (!s->has_older || s->next == &s->eliminated) return;
    void *b = s->older;
    s->older = s->B;
    s->B = b;
}
