/* SPDX-License-Identifier: MIT
 * cp_factor: X_n = (Z_(n) M_n + (h/2) X_n)(G_n + ((h + nu)/2) I)^{-1}, G_n = M_n'M_n
 *
 * Z_(n) M_n comes from y (modes of the rows) or w (modes of the columns), in which the modes of
 * the other side are summed over already. A singular system without h and nu is solved by the
 * pseudo-inverse. */
#include "rpca/fused/state.h"

void crs_cp_right_side(crs_cp_fused *s, const double *table, int from, int to, int n)
{
    const crs_cp_gathering g = { .weigh = s->kernel->weigh,
                                 .k = kruskal_of(s),
                                 .threads = s->c.threads,
                                 .from = from,
                                 .to = to,
                                 .table = table,
                                 .fold = s->fold,
                                 .work = s->gather };
    crs_cp_gather(&g, n, s->rhs);
}

void crs_cp_gram(crs_cp_fused *s, int n)
{
    crs_gram(s->c.shape.dim[n], s->c.rank, s->factor[n], s->gram[n]);
}

void crs_cp_gram_of_others(crs_cp_fused *s, int n, double shift)
{
    const ptrdiff_t rank = s->c.rank, size = rank * rank;
    fill(size, 1, s->matrix);
    for (int j = 0; j < s->c.shape.order; j++)
        for (ptrdiff_t k = 0; j != n && k < size; k++) s->matrix[k] *= s->gram[j][k];
    for (ptrdiff_t r = 0; r < rank; r++) s->matrix[r * rank + r] += shift;
}

/* rhs (dim x rank) times the inverse of matrix + shift I, in place */
static void solve(crs_cp_fused *s, int n, double shift)
{
    const ptrdiff_t rank = s->c.rank, dim = s->c.shape.dim[n];
    crs_cp_gram_of_others(s, n, shift);
    if (shift > 0 && crs_cholesky(rank, s->matrix)) {
        crs_cholesky_solve_rows(rank, s->matrix, dim, s->rhs);
        return;
    }
    crs_cp_gram_of_others(s, n, 0);
    if (shift > 0)
        crs_ballquad(dim, rank, s->matrix, shift, INFINITY, s->rhs, s->solve);
    else
        crs_pinv_apply(dim, rank, s->matrix, s->rhs, s->solve);
}

static void update(crs_cp_fused *s, const double *table, int from, int to)
{
    const double h = s->c.h_factor;
    for (int n = from; n < to; n++) {
        const ptrdiff_t size = s->c.shape.dim[n] * s->c.rank;
        double moved = 0;
        crs_cp_right_side(s, table, from, to, n);
        axpy(size, h / 2, s->factor[n], s->rhs);
        solve(s, n, (h + s->c.nu) / 2);
        for (ptrdiff_t k = 0; k < size; k++) moved += square(s->rhs[k] - s->factor[n][k]);
        copy(size, s->rhs, s->factor[n]);
        crs_cp_gram(s, n);
        s->statistics.move_factor[n] = moved;
    }
}

void crs_cp_update_rows(crs_cp_fused *s) { update(s, s->y, 0, s->grid.split); }
void crs_cp_update_columns(crs_cp_fused *s) { update(s, s->w, s->grid.split, s->c.shape.order); }
