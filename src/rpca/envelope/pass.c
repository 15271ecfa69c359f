/* SPDX-License-Identifier: MIT
 * envelope_pass: sum phi and all S_(n) M_n in one read of T
 *
 * The tensor is left x right, M = V K', V and K the Khatri-Rao products of the modes of the rows
 * and of the columns. A tile of r = T - M stays in cache, becomes s, and is multiplied into
 * y = S K, and with the other tiles of its panel into S'V; these small arrays yield S_(n) M_n.
 * Sums are made band by band and added in the bands' order, whichever thread works on which. */
#include "rpca/envelope/envelope_state.h"

static ptrdiff_t padded(const crs_envelope *s)
{
    return s->grid.chunks * s->k.rank * s->grid.width;
}

/* Rows of the Khatri-Rao product of the rows' modes: those of all but the last, which seldom
 * change, times the last's. */
static void row_products(const crs_envelope *s, ptrdiff_t row, ptrdiff_t count, double *to)
{
    const int last = s->grid.split - 1;
    const ptrdiff_t rank = s->k.rank, dim = s->c.shape.dim[last], end = row + count;
    double *left = to + CRS_ENVELOPE_PANEL * rank;
    for (ptrdiff_t i = row % dim; row < end; i = 0) {
        crs_khatri_rao(&s->k, (crs_modes){ 0, last, -1 }, row / dim, 1, left);
        for (; i < dim && row < end; i++, row++, to += rank) {
            const double *x = s->k.factor[last] + i * rank;
            for (ptrdiff_t r = 0; r < rank; r++) to[r] = left[r] * x[r];
        }
    }
}

/* The fractional part of row (sqrt(5) - 1)/2, times 2^32: spread evenly in any range of rows. */
static uint32_t place(ptrdiff_t row) { return (uint32_t)row * 0x9e3779b9u; }

/* A band at work. */
typedef struct {
    crs_envelope *s;
    const crs_envelope_worker *w;
    double *collected, *column_weights;
    crs_envelope_tile tile;
} band_pass;

/* The tile of four rows from first + i on, at column `column`. */
static void place_tile(band_pass *p, ptrdiff_t first, ptrdiff_t i, ptrdiff_t column)
{
    const crs_envelope *s = p->s;
    const crs_cp_grid *g = &s->grid;
    crs_envelope_tile *t = &p->tile;
    const ptrdiff_t row = first + i, at = row * g->right + column;
    t->rows = fewer(CRS_TILE_ROWS, g->left - row);
    t->columns = fewer(g->width, g->right - column);
    t->ahead = row + CRS_TILE_ROWS < g->left ? CRS_TILE_ROWS * g->right : 0;
    t->r = p->w->panel + i * g->width;
    t->row = s->row_weights + row;
    t->column = p->column_weights + column;
    if (s->c.single) t->single = (const float *)s->T + at;
    if (!s->c.single) t->t = (const double *)s->T + at;
    if (s->c.mask) t->mask = s->c.mask + at;
    for (int k = 0; k < CRS_TILE_ROWS; k++) t->counted[k] = place(row + k) <= s->counted;
}

/* s in the panel, and its shares of y and S'V */
static void pass_panel(band_pass *p, ptrdiff_t row, ptrdiff_t count)
{
    crs_envelope *s = p->s;
    const crs_envelope_worker *w = p->w;
    const ptrdiff_t rank = s->k.rank, width = s->grid.width, stride = s->stride;
    row_products(s, row, count, w->rows);
    if (s->rows_wanted) fill(CRS_ENVELOPE_PANEL * stride, 0, w->y);
    fill(count, 0, s->row_weights + row);
    for (ptrdiff_t j = 0; j < s->grid.right; j += width) {
        for (ptrdiff_t i = 0; i < count; i += CRS_TILE_ROWS) {
            place_tile(p, row, i, j);
            s->kernel->low_rank(rank, w->rows + i * rank, s->columns + j * rank, &p->tile);
            s->kernel->envelope(&p->tile);
            if (s->rows_wanted)
                s->kernel->multiply(stride, s->wide + j * stride, &p->tile, w->y + i * stride);
        }
        if (s->columns_wanted)
            s->kernel->collect(count, rank, p->tile.columns, width, w->rows, w->panel,
                               p->collected + j * rank);
    }
    for (ptrdiff_t i = 0; s->rows_wanted && i < count; i++)
        for (ptrdiff_t r = 0; r < rank; r++) s->y[(row + i) * rank + r] = w->y[i * stride + r];
}

static void pass_band(void *self, ptrdiff_t band, int worker)
{
    crs_envelope *s = self;
    const crs_cp_grid *g = &s->grid;
    const ptrdiff_t columns = g->chunks * g->width;
    double sums[CRS_ENV_SUMS] = { 0 };
    ptrdiff_t loud = 0;
    band_pass p = { .s = s, .w = s->worker + worker };
    ptrdiff_t row, end;
    p.tile = (crs_envelope_tile){ .stride = g->right, .width = g->width, .next = &s->next };
    p.tile.sums = sums;
    p.tile.loud = &loud;
    p.tile.histogram = p.w->histogram;
    if (!s->same) p.tile.judge = &s->judge;
    p.column_weights = s->column_weights + band * columns;
    p.collected = s->collected + band * padded(s);
    fill(columns, 0, p.column_weights);
    if (s->columns_wanted) fill(padded(s), 0, p.collected);
    for (crs_cp_band(g, band, &row, &end); row < end; row += CRS_ENVELOPE_PANEL)
        pass_panel(&p, row, fewer(CRS_ENVELOPE_PANEL, end - row));
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
    out->observed = s->observed;
    out->nonzeros = (ptrdiff_t)a[CRS_ENV_NONZERO];
    add_histograms(s, out->histogram);
    if (s->columns_wanted) add_bands(g->bands, padded(s), s->collected);
    add_bands(g->bands, g->chunks * g->width, s->column_weights);
    crs_envelope_fold(s, out);
}
