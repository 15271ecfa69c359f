/* SPDX-License-Identifier: MIT
 * envelope_memory: settings checked, and one block of memory carved for everything */
#include "core/carve.h"
#include "rpca/envelope/envelope_state.h"

static bool check(const crs_envelope_settings *c, crease_error *e)
{
    if (!crs_cp_check_shape(&c->shape, c->rank, c->threads, e)) return false;
    return (c->alpha_noise > 0 && c->alpha_noise < INFINITY) ||
           crs_fail(e, CREASE_BAD_ARGUMENT,
                    "robust CP: alpha_noise is %g; give a finite number > 0", c->alpha_noise);
}

static void carve_workers(crs_envelope *s, crs_carver *m)
{
    const ptrdiff_t rank = s->c.rank, width = s->grid.width;
    s->worker = carve_bytes(m, s->c.threads, sizeof *s->worker);
    for (int k = 0; k < s->c.threads; k++) {
        crs_envelope_worker w;
        w.panel = carve_doubles(m, CRS_ENVELOPE_PANEL, width);
        w.y = carve_doubles(m, CRS_ENVELOPE_PANEL, crs_envelope_stride(s->kernel, rank));
        w.rows = carve_doubles(m, CRS_ENVELOPE_PANEL + 1, rank);
        w.histogram = carve_bytes(m, CRS_ENVELOPE_BINS, sizeof *w.histogram);
        if (m->base) s->worker[k] = w;
    }
}

static void carve(crs_envelope *s, crs_carver *m)
{
    const crs_cp_grid *g = &s->grid;
    const ptrdiff_t rank = s->c.rank, rows = g->blocks * CRS_TILE_ROWS;
    const ptrdiff_t *dim = s->c.shape.dim;
    s->y = carve_doubles(m, g->left, rank);
    s->wide = carve_doubles(m, g->right, crs_envelope_stride(s->kernel, rank));
    s->columns = carve_doubles(m, g->chunks * g->width, rank);
    s->collected = carve_doubles(m, g->bands * g->chunks * g->width, rank);
    s->w = carve_doubles(m, g->right, rank);
    s->row_weights = carve_doubles(m, rows, 1);
    s->column_weights = carve_doubles(m, g->bands * g->chunks, g->width);
    s->sums = carve_doubles(m, g->bands, CRS_ENV_SUMS);
    s->fold = carve_doubles(m, more(g->left / dim[0], g->right / dim[g->split]), rank);
    s->gather = carve_doubles(m, 2 * (ptrdiff_t)s->c.threads, rank);
    carve_workers(s, m);
}

/* Everything but memory; returns the bytes of its block, < 0 with the reason in e. */
static ptrdiff_t plan(crs_envelope *s, const crs_envelope_settings *c, crease_error *e)
{
    crs_carver count = { 0 };
    ptrdiff_t bytes;
    if (!check(c, e)) return -1;
    *s = (crs_envelope){ .c = *c, .kernel = c->kernel ? c->kernel : crs_envelope_kernel_at(0) };
    s->grid = crs_cp_grid_of(&c->shape, c->rank, s->kernel->block, CRS_ENVELOPE_PANEL);
    carve(s, &count);
    if (count.used >= 0 && crs_add_size(count.used, CRS_LINE, &bytes)) return bytes;
    crs_fail(e, CREASE_NO_MEMORY, "robust CP: more memory than can be addressed");
    return -1;
}

ptrdiff_t crs_envelope_bytes(const crs_envelope_settings *c, crease_error *e)
{
    crs_envelope s;
    const ptrdiff_t bytes = plan(&s, c, e);
    return bytes < 0 ? -1 : bytes + (ptrdiff_t)sizeof s;
}

crs_envelope *crs_envelope_new(const crs_envelope_settings *c, const void *T, crease_error *e)
{
    crs_envelope planned;
    const ptrdiff_t bytes = plan(&planned, c, e);
    if (bytes < 0) return NULL;
    crs_envelope *s = crs_alloc(1, sizeof *s);
    void *memory = s ? crs_alloc((size_t)bytes, 1) : NULL;
    if (!memory) {
        crs_free(s);
        crs_fail(e, CREASE_NO_MEMORY, "robust CP: out of memory: %td bytes needed", bytes);
        return NULL;
    }
    *s = planned;
    s->T = T;
    s->memory = memory;
    crs_large_pages(memory, (size_t)bytes);
    crs_carver m = carver_of(memory);
    carve(s, &m);
    s->observed = crease_size(&c->shape);
    for (ptrdiff_t j = crease_size(&c->shape) - 1; c->mask && j >= 0; j--)
        s->observed -= c->mask[j] == 0;
    return s;
}

void crs_envelope_free(crs_envelope *s)
{
    if (s) crs_free(s->memory);
    crs_free(s);
}

double crs_envelope_traffic(const crs_envelope *s)
{
    const double bytes = (s->c.single ? 4 : 8) + (s->c.mask ? 1 : 0);
    return bytes * (double)crease_size(&s->c.shape);
}

double crs_envelope_flops(const crs_envelope *s, ptrdiff_t rank)
{
    return 6 * (double)rank * (double)crease_size(&s->c.shape);
}
