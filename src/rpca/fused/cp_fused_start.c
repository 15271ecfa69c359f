/* SPDX-License-Identifier: MIT
 * cp_fused_start: the first iterate, and any part of the current one */
#include <string.h>

#include "dense/dense.h"
#include "rpca/fused/state.h"

/* to = from in the tensors' type, or 0 */
static void set(const crs_cp_fused *s, ptrdiff_t n, const double *from, void *to)
{
    if (!to) return;
    if (from)
        s->kernel->narrow(n, from, to);
    else
        memset(to, 0, (size_t)(n * s->size));
}

static bool seen_at(const crs_cp_fused *s, ptrdiff_t j) { return !s->c.mask || s->c.mask[j]; }

/* Lambda at entry j as the next step will read it. */
static double lambda_at(const crs_cp_fused *s, ptrdiff_t j)
{
    const crs_cp_entry *c = &s->next->at[seen_at(s, j)];
    return c->lambda_b * entry_of(s, s->B, j) +
           (s->has_older ? c->lambda_older * entry_of(s, s->older, j) : 0);
}

static bool derivable(const crs_cp_fused *s, ptrdiff_t n, const double *b, const double *lambda,
                      crease_error *error)
{
    for (ptrdiff_t j = 0; lambda && j < n; j++) {
        const double wanted = s->rule.at[seen_at(s, j)].weight * (b ? b[j] : 0);
        if (!(fabs(lambda[j] - wanted) <= 0x1p-50 * fabs(wanted)))
            return crs_fail(error, CREASE_BAD_ARGUMENT,
                            "robust CP: entry %td of Lambda is %g, but exact minimization over B "
                            "keeps Lambda = 2 alpha_noise W o B, %g; start from that, or give ell",
                            j + 1, lambda[j], wanted);
    }
    return true;
}

/* E given in its dense place; tiles with few nonzeros are packed. */
static void pack_all(crs_cp_fused *s)
{
    for (ptrdiff_t tile = 0; tile < s->grid.blocks * s->grid.chunks; tile++) {
        const ptrdiff_t row = tile / s->grid.chunks * CRS_TILE_ROWS, chunk = tile % s->grid.chunks;
        crs_cp_tile t = crs_cp_tile_at(s, row, CRS_TILE_ROWS, chunk);
        s->stored[tile] = -1;
        crs_cp_open(s, tile, &t, NULL);
        for (ptrdiff_t i = 0; i < t.rows; i++)
            for (ptrdiff_t j = 0; j < t.columns; j++)
                if (entry_of(s, t.e, i * t.e_stride + j) != 0)
                    t.marks[i * t.words + j / 64] |= (uint64_t)1 << j % 64;
        crs_cp_close(s, tile, &t);
    }
}

/* No -0: it would be lost in packing. */
static void set_sparse(crs_cp_fused *s, ptrdiff_t n, const double *e)
{
    set(s, n, e, s->E);
    for (ptrdiff_t j = 0; j < n; j++)
        if (entry_of(s, s->E, j) == 0) memset(at_entry(s, s->E, j), 0, (size_t)s->size);
    pack_all(s);
}

bool crs_cp_fused_start(crs_cp_fused *s, const double *const *factor, const double *z,
                        const double *e, const double *b, const double *lambda, crease_error *error)
{
    const ptrdiff_t n = crease_size(&s->c.shape);
    const bool admm = s->c.method != CRS_CP_BCD;
    if (admm && !s->has_older && !derivable(s, n, b, lambda, error)) return false;
    for (int k = 0; k < s->c.shape.order; k++) {
        copy(s->c.shape.dim[k] * s->c.rank, factor[k], s->factor[k]);
        crs_cp_gram(s, k);
        if (s->c.accelerate) copy(s->c.shape.dim[k] * s->c.rank, factor[k], s->before[k]);
    }
    set(s, n, z, s->Z);
    set(s, n, b, s->B);
    set(s, n, lambda, s->older);
    for (ptrdiff_t k = 0; k < s->grid.blocks * s->grid.chunks; k++) s->stored[k] = 0;
    if (e || s->c.dense) set_sparse(s, n, e);
    s->next = &s->first;
    s->statistics = (crs_cp_statistics){ 0 };
    s->moves_before = INFINITY;
    crs_cp_potential_start(s, b, lambda);
    crs_cp_pass_start(s);
    return true;
}

void crs_cp_fused_rows(const crs_cp_fused *s, ptrdiff_t *left, ptrdiff_t *right)
{
    *left = s->grid.left;
    *right = s->grid.right;
}

/* Row `row` of E, from its tiles. */
static void read_sparse(const crs_cp_fused *s, ptrdiff_t row, double *out)
{
    const ptrdiff_t block = row / CRS_TILE_ROWS, inside = row % CRS_TILE_ROWS;
    for (ptrdiff_t chunk = 0; chunk < s->grid.chunks; chunk++, out += s->grid.width) {
        crs_cp_tile t = crs_cp_tile_at(s, block * CRS_TILE_ROWS, CRS_TILE_ROWS, chunk);
        const char *e = crs_cp_look(s, block * s->grid.chunks + chunk, &t, s->worker->e);
        s->kernel->widen(t.columns, e + inside * t.e_stride * s->size, out);
        if (t.e == s->worker->e) memset(t.e, 0, (size_t)(CRS_TILE_ROWS * s->grid.width * s->size));
    }
}

static void read_low_rank(const crs_cp_fused *s, ptrdiff_t row, double *out)
{
    const ptrdiff_t rank = s->c.rank;
    const double *kr = crs_cp_row_products(s, s->worker, row, 1);
    crs_gemv(false, s->grid.right, rank, 1, s->w, kr, 0, out);
}

/* B = T - Z - E where it is no variable of its own, and Lambda is 2 alpha_N W o B */
static double last_at(const crs_cp_fused *s, crs_cp_part part, ptrdiff_t j, double e)
{
    if (s->c.method != CRS_CP_BCD) return part == CRS_CP_B ? entry_of(s, s->B, j) : lambda_at(s, j);
    const bool seen = seen_at(s, j);
    const double rest = (seen ? entry_of(s, s->T, j) : 0) - entry_of(s, s->Z, j) - e;
    return part == CRS_CP_B ? rest : s->rule.at[seen].weight * rest;
}

void crs_cp_fused_read(const crs_cp_fused *s, crs_cp_part part, ptrdiff_t first, ptrdiff_t count,
                       double *out)
{
    const ptrdiff_t right = s->grid.right;
    if (part == CRS_CP_LOW_RANK) crs_cp_column_products(s);
    for (ptrdiff_t row = first; row < first + count; row++, out += right) {
        if (part == CRS_CP_Z) s->kernel->widen(right, at_entry(s, s->Z, row * right), out);
        if (part == CRS_CP_LOW_RANK) read_low_rank(s, row, out);
        if (part == CRS_CP_Z || part == CRS_CP_LOW_RANK) continue;
        read_sparse(s, row, out);
        for (ptrdiff_t j = 0; part != CRS_CP_E && j < right; j++)
            out[j] = last_at(s, part, row * right + j, out[j]);
    }
}
