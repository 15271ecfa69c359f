/* SPDX-License-Identifier: MIT
 * tucker_back: the last factor
 *
 * With P fixed the best X_d for M + S is X_d + S'P (P'P)^+; its columns are made orthonormal by
 * X_d = U diag(sigma) V', X_d <- U V', and C x_d (V diag(sigma) V') keeps the product. */
#include "rpca/tucker/tucker_state.h"

/* Directions whose eigenvalue of P'P is rounding are left alone. */
static bool solve(crs_tucker_fit *s)
{
    const int last = s->half.order - 1;
    const ptrdiff_t rank = s->half.dim[last], rows = s->c.shape.dim[last];
    double *gram = s->svd, *w = gram + rank * rank, *q = w + rank, *turned = q + rank * rank,
           *work = turned + rows * rank;
    crs_gram(s->left, rank, s->P, gram);
    if (!crs_eigh(rank, gram, w, q, work)) return false;
    crs_clean_spectrum(rank, w);
    crs_gemm(false, true, rows, rank, rank, 1, s->SP, q, 0, turned);
    for (ptrdiff_t i = 0; i < rows; i++)
        for (ptrdiff_t k = 0; k < rank; k++)
            turned[i * rank + k] = w[k] > 0 ? turned[i * rank + k] / w[k] : 0;
    crs_gemm(false, false, rows, rank, rank, 1, turned, q, 1, s->factor[last]);
    return true;
}

static bool orthonormalize(crs_tucker_fit *s)
{
    const int last = s->half.order - 1;
    const ptrdiff_t rank = s->half.dim[last], rows = s->c.shape.dim[last];
    double *u = s->svd, *sigma = u + rows * rank, *vt = sigma + rank, *root = vt + rank * rank,
           *work = root + rank * rank;
    if (!crs_svd(rows, rank, s->factor[last], u, sigma, vt, work)) return false;
    crs_gemm(false, false, rows, rank, rank, 1, u, vt, 0, s->factor[last]);
    for (ptrdiff_t k = 0; k < rank; k++)
        for (ptrdiff_t j = 0; j < rank; j++) u[k * rank + j] = sigma[k] * vt[k * rank + j];
    crs_gemm(true, false, rank, rank, rank, 1, vt, u, 0, root);
    crs_ttm(&s->c.ranks, last, (crs_mode_map){ root, rank, false }, 1, s->core, 0, s->chain);
    copy(crease_size(&s->c.ranks), s->chain, s->core);
    return true;
}

bool crs_tucker_back(crs_tucker_fit *s) { return solve(s) && orthonormalize(s); }
