/* SPDX-License-Identifier: MIT
 * cp_fused_start: the first iterate, and any part of the current one */
#include "model/cp_state.h"

static void copy_or_zero(ptrdiff_t n, const double *from, double *to)
{
    if (!to) return;
    if (from)
        copy(n, from, to);
    else
        fill(n, 0, to);
}

static bool seen_at(const crs_cp_fused *s, ptrdiff_t j) { return !s->c.mask || s->c.mask[j]; }

/* Lambda at entry j as the next step will read it. */
static double lambda_at(const crs_cp_fused *s, ptrdiff_t j)
{
    const crs_cp_entry *c = &(s->started ? &s->rule : &s->first)->at[seen_at(s, j)];
    return c->lambda_b * s->B[j] + (s->has_older ? c->lambda_older * s->older[j] : 0);
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
        crs_cp_tile t = crs_cp_tile_at(s, tile / s->grid.chunks, tile % s->grid.chunks);
        ptrdiff_t nonzeros = 0;
        s->stored[tile] = -1;
        crs_cp_open(s, tile, &t, NULL);
        for (ptrdiff_t i = 0; i < t.rows; i++)
            for (ptrdiff_t j = 0; j < t.columns; j++) nonzeros += t.e[i * t.e_stride + j] != 0;
        crs_cp_close(s, tile, &t, nonzeros);
    }
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
    }
    copy_or_zero(n, z, s->Z);
    copy_or_zero(n, b, s->B);
    copy_or_zero(n, lambda, s->older);
    if (e) {
        for (ptrdiff_t j = 0; j < n; j++) s->E[j] = e[j] == 0 ? 0 : e[j];
        pack_all(s);
    } else {
        for (ptrdiff_t k = 0; k < s->grid.blocks * s->grid.chunks; k++) s->stored[k] = 0;
        if (s->c.dense) fill(n, 0, s->E), pack_all(s);
    }
    s->started = false;
    s->statistics = (crs_cp_statistics){ 0 };
    s->moves_before = INFINITY;
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
    for (ptrdiff_t chunk = 0; chunk < s->grid.chunks; chunk++) {
        const ptrdiff_t block = row / CRS_TILE_ROWS;
        crs_cp_tile t = crs_cp_tile_at(s, block, chunk);
        crs_cp_open(s, block * s->grid.chunks + chunk, &t, s->worker->e);
        copy(t.columns, t.e + row % CRS_TILE_ROWS * t.e_stride, out + chunk * s->grid.width);
        if (t.e == s->worker->e) fill(CRS_TILE_ROWS * t.width, 0, t.e);
    }
}

static double low_rank_at(const crs_cp_fused *s, ptrdiff_t j, const double *kr)
{
    const ptrdiff_t rank = s->c.rank, width = s->grid.width;
    const double *column = s->columns + j / width * rank * width + j % width;
    double sum = 0;
    for (ptrdiff_t r = 0; r < rank; r++) sum += kr[r] * column[r * width];
    return sum;
}

/* B = T - Z - E where it is no variable of its own, and Lambda is 2 alpha_N W o B */
static double last_at(const crs_cp_fused *s, crs_cp_part part, ptrdiff_t j, double e)
{
    if (s->c.method != CRS_CP_BCD) return part == CRS_CP_B ? s->B[j] : lambda_at(s, j);
    const bool seen = seen_at(s, j);
    return (part == CRS_CP_B ? 1 : s->rule.at[seen].weight) * ((seen ? s->T[j] : 0) - s->Z[j] - e);
}

void crs_cp_fused_read(const crs_cp_fused *s, crs_cp_part part, ptrdiff_t first, ptrdiff_t count,
                       double *out)
{
    const ptrdiff_t right = s->grid.right;
    for (ptrdiff_t row = first; row < first + count; row++, out += right) {
        const double *kr =
            part == CRS_CP_LOW_RANK ? crs_cp_row_products(s, s->worker, row, 1) : NULL;
        if (part == CRS_CP_Z) copy(right, s->Z + row * right, out);
        if (part == CRS_CP_LOW_RANK)
            for (ptrdiff_t j = 0; j < right; j++) out[j] = low_rank_at(s, j, kr);
        if (part == CRS_CP_Z || part == CRS_CP_LOW_RANK) continue;
        read_sparse(s, row, out);
        for (ptrdiff_t j = 0; part != CRS_CP_E && j < right; j++)
            out[j] = last_at(s, part, row * right + j, out[j]);
    }
}
