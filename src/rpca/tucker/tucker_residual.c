/* SPDX-License-Identifier: MIT
 * tucker_residual: how far the point is from stationary, relative to the terms of each gradient
 *
 * With orthonormal factors, W_n the unfolding that multiplies X_n and G_n = W_n'W_n,
 *     X_n   2c|S_(n) W_n|       against  2|Z_(n) W_n| + 2|X_n G_n|,
 *     C     2c|S x_1 X_1' ...|  against  2|Z x_1 X_1' ...| + 2|C|,
 * where Z_(n) W_n = X_n G_n + c S_(n) W_n. */
#include "rpca/tucker/tucker_state.h"

/* |c s| / (|x + c s| + |x|); 0 where everything is 0 */
static double ratio(const crs_tucker_fit *s, ptrdiff_t n, const double *x, double *moved)
{
    const double c = s->c.alpha_noise / (1 + s->c.alpha_noise);
    const double step = c * crs_norm(n, moved);
    for (ptrdiff_t j = 0; j < n; j++) moved[j] = x[j] + c * moved[j];
    const double size = crs_norm(n, moved) + crs_norm(n, x);
    return step == 0 ? 0 : step / size;
}

/* |X_n G_n| where G_n = C_(n) C_(n)' */
static double front(crs_tucker_fit *s, int n)
{
    crease_space end;
    const ptrdiff_t rank = s->c.ranks.dim[n], rows = s->half.dim[n];
    double *gram = s->svd, *x = gram + rank * rank, *moved = x + rows * rank;
    const double *h = crs_tucker_reduce(s, s->SX, n, &end);
    fill(rank * rank, 0, gram);
    crs_unfolding_product(&s->c.ranks, n, rank, 1, s->core, s->core, gram);
    crs_gemm(false, false, rows, rank, rank, 1, s->factor[n], gram, 0, x);
    fill(rows * rank, 0, moved);
    crs_unfolding_product(&end, n, rank, 1, h, s->core, moved);
    return ratio(s, rows * rank, x, moved);
}

static double back(crs_tucker_fit *s)
{
    const int last = s->half.order - 1;
    const ptrdiff_t rank = s->half.dim[last], rows = s->c.shape.dim[last];
    double *gram = s->svd, *x = gram + rank * rank, *moved = x + rows * rank;
    crs_gram(s->left, rank, s->P, gram);
    crs_gemm(false, false, rows, rank, rank, 1, s->factor[last], gram, 0, x);
    copy(rows * rank, s->SP, moved);
    return ratio(s, rows * rank, x, moved);
}

double crs_tucker_residual(crs_tucker_fit *s)
{
    crease_space end;
    const ptrdiff_t size = crease_size(&s->c.ranks);
    double *moved = s->svd, worst = back(s);
    for (int n = 0; n < s->half.order - 1; n++) worst = larger(worst, front(s, n));
    copy(size, crs_tucker_reduce(s, s->SX, -1, &end), moved);
    return larger(worst, ratio(s, size, s->core, moved));
}
