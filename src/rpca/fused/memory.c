/* SPDX-License-Identifier: MIT
 * cp_memory: how the tensor is cut, and one block of memory carved for everything */
#include "core/carve.h"
#include "rpca/fused/state.h"

enum {
    STAGGER = 9 * CRS_LINE, /* between tensors, lest equal places share a cache set */
    WIDE = 384,             /* columns of a tile at most */
    FEW_COLUMNS = 32,       /* take in another mode below this, */
    COLUMNS = 1 << 12,      /* up to so many */
    MOST_BANDS = 32,
    FEWEST_BANDS = 4,
    SHARE = 16 /* the bands' sums of w take at most a SHARE-th of a tensor, if they can */
};

/* Of the tensors' type. */
static void *reals(crs_carver *c, const crs_cp_fused *s, ptrdiff_t rows, ptrdiff_t columns)
{
    ptrdiff_t count;
    if (!crs_mul_size(rows, columns, &count)) c->used = -1;
    return carve_bytes(c, c->used < 0 ? 0 : count, (size_t)s->size);
}

static void *tensor(crs_carver *c, const crs_cp_fused *s, bool wanted)
{
    if (!wanted) return NULL;
    void *p = reals(c, s, s->grid.left, s->grid.right);
    carve_bytes(c, STAGGER, 1);
    return p;
}

crs_cp_grid crs_cp_grid_of(const crease_space *s, ptrdiff_t rank, ptrdiff_t block, ptrdiff_t panel)
{
    crs_cp_grid g = { .split = s->order - 1, .right = s->dim[s->order - 1] };
    const ptrdiff_t enough = more(FEW_COLUMNS, rank);
    while (g.split > 1 && g.right < enough && s->dim[g.split - 1] <= COLUMNS / g.right)
        g.right *= s->dim[--g.split];
    g.left = crs_left(s, g.split);
    g.chunks = (g.right + WIDE - 1) / WIDE;
    const ptrdiff_t even = (g.right + g.chunks - 1) / g.chunks;
    g.width = (even + block - 1) / block * block;
    g.chunks = (g.right + g.width - 1) / g.width;
    g.words = (g.width + 63) / 64;
    g.blocks = (g.left + CRS_TILE_ROWS - 1) / CRS_TILE_ROWS;
    g.panel = panel;
    g.panels = (g.left + panel - 1) / panel;
    const ptrdiff_t cheap = more(g.left / (SHARE * rank), FEWEST_BANDS);
    g.bands = fewer(g.panels, fewer(cheap, MOST_BANDS));
    return g;
}

/* Rows of the Khatri-Rao product of the modes after the first of either side. */
static ptrdiff_t fold_rows(const crs_cp_fused *s)
{
    const crease_space *shape = &s->c.shape;
    return more(s->grid.left / shape->dim[0], s->grid.right / shape->dim[s->grid.split]);
}

static void carve_workers(crs_cp_fused *s, crs_carver *m)
{
    const ptrdiff_t rank = s->c.rank, width = s->grid.width;
    s->worker = carve_bytes(m, s->c.threads, sizeof *s->worker);
    for (int k = 0; k < s->c.threads; k++) {
        crs_cp_worker w;
        w.e = reals(m, s, CRS_TILE_ROWS, width);
        w.rest = reals(m, s, CRS_TILE_ROWS, s->kernel->block);
        w.partial = reals(m, s, CRS_TILE_ROWS * s->kernel->lanes, rank);
        w.rows = carve_doubles(m, CRS_PANEL, rank);
        w.narrow = reals(m, s, CRS_PANEL, rank);
        w.collected = reals(m, s, width, rank);
        w.v = reals(m, s, CRS_TILE_ROWS, rank);
        carve_bytes(m, STAGGER, 1);
        if (m->base) s->worker[k] = w;
    }
}

static void carve_factors(crs_cp_fused *s, crs_carver *m)
{
    const ptrdiff_t rank = s->c.rank;
    ptrdiff_t longest = 0;
    for (int n = 0; n < s->c.shape.order; n++) {
        s->factor[n] = carve_doubles(m, s->c.shape.dim[n], rank);
        s->gram[n] = carve_doubles(m, rank, rank);
        longest = more(longest, s->c.shape.dim[n]);
    }
    for (int n = 0; s->c.accelerate && n < s->c.shape.order; n++) {
        s->before[n] = carve_doubles(m, s->c.shape.dim[n], rank);
        s->kept[n] = carve_doubles(m, s->c.shape.dim[n], rank);
    }
    s->rhs = carve_doubles(m, longest, rank);
    s->solved = carve_doubles(m, longest, rank);
    s->matrix = carve_doubles(m, rank, rank);
    s->gather = carve_doubles(m, 2 * (ptrdiff_t)s->c.threads, rank);
    s->fold = carve_doubles(m, fold_rows(s), rank);
    s->solve = carve_doubles(m, crs_ballquad_scratch(longest, rank), 1);
}

static void carve(crs_cp_fused *s, crs_carver *m)
{
    const crs_cp_grid *g = &s->grid;
    const ptrdiff_t rank = s->c.rank, tiles = g->blocks * g->chunks;
    const bool admm = s->c.method != CRS_CP_BCD;
    s->Z = tensor(m, s, true);
    s->E = tensor(m, s, true);
    s->B = tensor(m, s, admm);
    s->older = tensor(m, s, s->has_older);
    s->y = carve_doubles(m, g->left, rank);
    s->marks = carve_bytes(m, tiles, CRS_TILE_ROWS * (size_t)g->words * sizeof *s->marks);
    s->stored = carve_bytes(m, tiles, sizeof *s->stored);
    s->slots = carve_bytes(m, tiles, CRS_SLOT * (size_t)s->size);
    s->columns = reals(m, s, g->chunks * g->width, rank);
    s->collected = carve_doubles(m, g->bands * g->chunks * g->width, rank);
    s->w = carve_doubles(m, g->right, rank);
    s->sums = carve_doubles(m, g->bands, CRS_SUMS);
    carve_factors(s, m);
    carve_workers(s, m);
}

/* Everything but memory; returns the bytes of its block, < 0: too many. */
static ptrdiff_t plan(crs_cp_fused *s, const crs_cp_settings *c)
{
    crs_carver count = { 0 };
    ptrdiff_t bytes;
    *s = (crs_cp_fused){ .c = *c, .size = c->single ? sizeof(float) : sizeof(double) };
    s->kernel = c->kernel ? c->kernel : crs_cp_kernel_at(c->single, 0);
    const bool exact = c->ell == 0 || (c->ell == 2 * c->alpha_noise && !c->mask);
    s->has_older = c->method == CRS_CP_ADMM_G || (c->method == CRS_CP_ADMM_M && !exact);
    s->grid = crs_cp_grid_of(&c->shape, c->rank, s->kernel->block, CRS_PANEL);
    carve(s, &count);
    return count.used >= 0 && crs_add_size(count.used, CRS_LINE, &bytes) ? bytes : -1;
}

static ptrdiff_t checked_plan(crs_cp_fused *s, const crs_cp_settings *c, crease_error *e)
{
    if (!crs_cp_check(c, e)) return -1;
    const ptrdiff_t bytes = plan(s, c);
    if (bytes < 0) crs_fail(e, CREASE_NO_MEMORY, "robust CP: more memory than can be addressed");
    return bytes;
}

ptrdiff_t crs_cp_fused_bytes(const crs_cp_settings *c, crease_error *e)
{
    crs_cp_fused s;
    const ptrdiff_t bytes = checked_plan(&s, c, e);
    return bytes < 0 ? -1 : bytes + (ptrdiff_t)sizeof s;
}

crs_cp_fused *crs_cp_fused_new(const crs_cp_settings *c, const void *T, crease_error *e)
{
    crs_cp_fused plan_of;
    const ptrdiff_t bytes = checked_plan(&plan_of, c, e);
    if (bytes < 0) return NULL;
    crs_cp_fused *s = crs_alloc(1, sizeof *s);
    void *memory = s ? crs_alloc((size_t)bytes, 1) : NULL;
    if (!memory) {
        crs_free(s);
        crs_fail(e, CREASE_NO_MEMORY, "robust CP: out of memory: %td bytes needed", bytes);
        return NULL;
    }
    *s = plan_of;
    s->T = T;
    s->memory = memory;
    crs_large_pages(memory, (size_t)bytes);
    crs_carver m = carver_of(memory);
    carve(s, &m);
    for (ptrdiff_t k = 0; c->dense && k < s->grid.blocks * s->grid.chunks; k++) s->stored[k] = -1;
    crs_cp_rules(s);
    return s;
}

void crs_cp_fused_free(crs_cp_fused *s)
{
    if (s) crs_free(s->memory);
    crs_free(s);
}
