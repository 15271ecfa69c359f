/* SPDX-License-Identifier: MIT
 * envelope_pass: sum phi and all S_(n) M_n in one read of T
 *
 * The tensor is left x right, M = V K', V and K the Khatri-Rao products of the modes of the rows
 * and of the columns. A tile of r = T - M stays in cache, becomes s, and is multiplied into
 * y = S K, and with the other tiles of its panel into S'V; these small arrays yield S_(n) M_n.
 * Sums are made band by band and added in the bands' order, whichever thread works on which. */
#include "model/envelope_state.h"

static ptrdiff_t padded(const crs_envelope *s)
{
    return s->grid.chunks * s->k.rank * s->grid.width;
}

/* The fractional part of row (sqrt(5) - 1)/2, times 2^32: spread evenly in any range of rows. */
static uint32_t place(ptrdiff_t row) { return (uint32_t)row * 0x9e3779b9u; }

/* s of four rows from `row` on in one chunk, at `to`, and its share of y */
static void pass_tile(crs_envelope *s, const crs_envelope_worker *w, ptrdiff_t first, ptrdiff_t i,
                      ptrdiff_t chunk, crs_envelope_tile t)
{
    const crs_cp_grid *g = &s->grid;
    const ptrdiff_t rank = s->k.rank, row = first + i, column = chunk * g->width;
    const ptrdiff_t at = row * g->right + column;
    const double *columns = s->columns + chunk * rank * g->width;
    t.rows = fewer(CRS_TILE_ROWS, g->left - row);
    t.columns = fewer(g->width, g->right - column);
    t.ahead = row + CRS_TILE_ROWS < g->left ? CRS_TILE_ROWS * g->right : 0;
    t.r = w->panel + i * g->width;
    t.row += row;
    t.column += column;
    if (s->c.single) t.single = (const float *)s->T + at;
    if (!s->c.single) t.t = (const double *)s->T + at;
    if (s->c.mask) t.mask = s->c.mask + at;
    for (int k = 0; k < CRS_TILE_ROWS; k++) t.counted[k] = place(row + k) <= s->counted;
    s->kernel->low_rank(rank, w->rows + i * rank, columns, &t);
    s->kernel->envelope(&t);
    if (s->rows_wanted)
        s->kernel->multiply(s->stride, s->wide + column * s->stride, &t, w->y + i * s->stride);
}

static void pass_panel(crs_envelope *s, const crs_envelope_worker *w, ptrdiff_t row,
                       ptrdiff_t count, const crs_envelope_tile *t, double *collected)
{
    const ptrdiff_t rank = s->k.rank, width = s->grid.width;
    row_products(s, row, count, w->rows);
    if (s->rows_wanted) fill(CRS_PANEL * s->stride, 0, w->y);
    fill(count, 0, t->row + row);
    for (ptrdiff_t chunk = 0; chunk < s->grid.chunks; chunk++) {
        for (ptrdiff_t i = 0; i < count; i += CRS_TILE_ROWS) {
            pass_tile(s, w, row, i, chunk, *t);
        }
        if (s->columns_wanted)
            s->kernel->collect(count, rank, fewer(width, s->grid.right - chunk * width), width,
                               w->rows, w->panel, collected + chunk * rank * width);
    }
    for (ptrdiff_t i = 0; s->rows_wanted && i < count; i++)
        copy(rank, w->y + i * s->stride, s->y + (row + i) * rank);
}

static void pass_band(void *self, ptrdiff_t band, int worker)
{
    crs_envelope *s = self;
    const crs_cp_grid *g = &s->grid;
    const crs_envelope_worker *w = s->worker + worker;
    double sums[CRS_ENV_SUMS] = { 0 };
    double *collected = s->collected + band * padded(s);
    crs_envelope_tile t = { .stride = g->right, .width = g->width, .next = &s->next, .sums = sums };
    ptrdiff_t row, end;
    if (!s->same) t.judge = &s->judge;
    t.histogram = w->histogram;
    t.row = s->row_weights;
    t.column = s->column_weights + band * g->chunks * g->width;
    fill(g->chunks * g->width, 0, t.column);
    if (s->columns_wanted) fill(padded(s), 0, collected);
    for (crs_cp_band(g, band, &row, &end); row < end; row += CRS_PANEL)
        pass_panel(s, w, row, fewer(CRS_PANEL, end - row), &t, collected);
    copy(CRS_ENV_SUMS, sums, s->sums + band * CRS_ENV_SUMS);
}

void crs_envelope_point(crs_envelope *s, ptrdiff_t rank, const double *const *factor)
{
    const ptrdiff_t width = s->grid.width, right = s->grid.right;
    s->k = (crs_kruskal){ .shape = s->c.shape, .rank = rank };
    for (int n = 0; n < s->c.shape.order; n++) s->k.factor[n] = factor[n];
    crs_khatri_rao(&s->k, (crs_modes){ s->grid.split, s->c.shape.order, -1 }, 0, right, s->w);
    s->stride = crs_envelope_stride(s->kernel, rank);
    for (ptrdiff_t j = 0; j < right; j++)
        for (ptrdiff_t r = 0; r < s->stride; r++)
            s->wide[j * s->stride + r] = r < rank ? s->w[j * rank + r] : 0;
    for (ptrdiff_t j = 0; j < s->grid.chunks * width; j++)
        for (ptrdiff_t r = 0; r < rank; r++)
            s->columns[(j / width * rank + r) * width + j % width] =
                j < right ? s->w[j * rank + r] : 0;
}

/* The bands' arrays of `size` added up into the first. */
static void add_bands(ptrdiff_t bands, ptrdiff_t size, double *x)
{
    for (ptrdiff_t band = 1; band < bands; band++) axpy(size, 1, x + band * size, x);
}

static void add_histograms(const crs_envelope *s, ptrdiff_t *to)
{
    for (int k = 0; k < CRS_ENVELOPE_BINS; k++) to[k] = 0;
    for (int k = 0; k < s->c.threads; k++)
        for (int b = 0; b < CRS_ENVELOPE_BINS; b++) to[b] += s->worker[k].histogram[b];
}

static void want(crs_envelope *s, const crs_envelope_sums *out)
{
    s->rows_wanted = s->columns_wanted = false;
    s->counted = out->every > 1 ? UINT32_MAX / (uint32_t)out->every : UINT32_MAX;
    for (int n = 0; n < s->c.shape.order; n++)
        if (out->gradient[n]) *(n < s->grid.split ? &s->rows_wanted : &s->columns_wanted) = true;
    for (int k = 0; k < s->c.threads; k++)
        memset(s->worker[k].histogram, 0, CRS_ENVELOPE_BINS * sizeof *s->worker[k].histogram);
}

void crs_envelope_evaluate(crs_envelope *s, ptrdiff_t rank, const double *const *factor,
                           const crs_envelope_face *judge, const crs_envelope_face *next,
                           crs_envelope_sums *out)
{
    const crs_cp_grid *g = &s->grid;
    const double *a = s->sums;
    s->same = judge == next;
    s->judge = crs_envelope_rule_of(judge, s->c.alpha_noise);
    s->next = s->same ? s->judge : crs_envelope_rule_of(next, s->c.alpha_noise);
    want(s, out);
    crs_envelope_point(s, rank, factor);
    crs_parallel(s->c.threads, g->bands, pass_band, s);
    add_bands(g->bands, CRS_ENV_SUMS, s->sums);
    out->value = a[CRS_ENV_VALUE];
    out->value_next = a[CRS_ENV_VALUE_NEXT];
    out->squares = a[CRS_ENV_SQUARES];
    out->weights = 0;
    for (ptrdiff_t i = 0; i < g->left; i++) out->weights += s->row_weights[i];
    out->observed = (ptrdiff_t)a[CRS_ENV_OBSERVED];
    out->nonzeros = (ptrdiff_t)a[CRS_ENV_NONZERO];
    add_histograms(s, out->histogram);
    if (s->columns_wanted) add_bands(g->bands, padded(s), s->collected);
    add_bands(g->bands, g->chunks * g->width, s->column_weights);
    crs_envelope_fold(s, out);
}
