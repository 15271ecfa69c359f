/* SPDX-License-Identifier: MIT
 * tucker_span: nearly the leading right singular vectors of a long matrix, by subspace iteration
 *
 * X <- orth(S'S X) from a Gaussian X, S the left x I_d matrix T with its entries clipped, a few
 * rows at a time. Halko, Martinsson, Tropp, Finding structure with randomness, 2011. */
#include <crease/random.h>

#include "rpca/tucker/tucker_state.h"

enum { ROUNDS = 6, ROWS = 64 };

/* Rows of clip(W o T); NaN stays. */
static void take(const crs_tucker_fit *s, const void *T, double bound, ptrdiff_t first,
                 ptrdiff_t count, double *out)
{
    const float *f = s->c.single ? (const float *)T + first : NULL;
    const double *t = s->c.single ? NULL : (const double *)T + first;
    const unsigned char *mask = s->c.mask ? s->c.mask + first : NULL;
    for (ptrdiff_t j = 0; j < count; j++)
        out[j] = mask && !mask[j] ? 0 : clip(f ? (double)f[j] : t[j], -bound, bound);
}

static bool orthonormalize(crs_tucker_fit *s, ptrdiff_t rows, ptrdiff_t rank, double *x)
{
    double *u = s->svd, *sigma = u + rows * rank, *vt = sigma + rank, *work = vt + rank * rank;
    if (!crs_svd(rows, rank, x, u, sigma, vt, work)) return false;
    copy(rows * rank, u, x);
    return true;
}

bool crs_tucker_span(crs_tucker_fit *s, const void *T, double bound)
{
    const int last = s->half.order - 1;
    const ptrdiff_t rank = s->half.dim[last], right = s->c.shape.dim[last];
    const crease_random draws = { s->c.seed, 0 };
    double *x = s->factor[last], *rows = s->slab, *product = rows + ROWS * right;
    for (ptrdiff_t j = 0; j < right * rank; j++) x[j] = crease_random_normal(draws, (uint64_t)j);
    for (int round = 0; round < ROUNDS; round++) {
        if (!orthonormalize(s, right, rank, x)) return false;
        fill(right * rank, 0, s->SP);
        for (ptrdiff_t i = 0; i < s->left; i += ROWS) {
            const ptrdiff_t count = fewer(s->left - i, ROWS);
            take(s, T, bound, i * right, count * right, rows);
            crs_gemm(false, false, count, rank, right, 1, rows, x, 0, product);
            crs_gemm(true, false, right, rank, count, 1, rows, product, 1, s->SP);
        }
        copy(right * rank, s->SP, x);
    }
    return orthonormalize(s, right, rank, x);
}

ptrdiff_t crs_tucker_span_scratch(const crs_tucker_settings *c)
{
    const int last = c->shape.order - 1;
    return ROWS * (c->shape.dim[last] + c->ranks.dim[last]);
}
